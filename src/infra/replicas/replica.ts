import { callerFor } from '../../domain/caller.ts'
import { answerWithin, isAway } from '../overload/circuitBreaker.ts'
import { createConnectionPool, type PoolLimits } from '../postgres/database.ts'
import { createDataState, DATABASE_NOW } from '../postgres/dataVersion.ts'
import { fragment, onlyRow, type Sql } from '../postgres/sql.ts'

export interface ReplicaSettings {
  url: string
  read: PoolLimits
  export: PoolLimits
  /** A replica that is further behind is left out. */
  mostLagMs: number
  onChange(change: { replica: string; isUsed: boolean; reason: string }): void
}

/** A read that waits longer triggers a look, so that a replica that fell silent is noticed long before a deadline. */
const SUSPICIOUS_MS = 300
const LOOK_DEADLINE_MS = 700
const LOOKS: PoolLimits = { connections: 1, timeoutMs: LOOK_DEADLINE_MS, deadlineMs: LOOK_DEADLINE_MS }
/** Nothing is undone by the late answer to a read. */
const LATE_ANSWERS_MS = 1_000
const NO_VERSION = -1

/**
 * Opens a streaming replica.
 * @param primarySystem the cluster of the primary; null until it has been reached.
 */
export function openReplica(settings: ReplicaSettings, primarySystem: () => string | null) {
  const name = serverName(settings.url)
  const common = { url: settings.url, lateAnswersMs: LATE_ANSWERS_MS }
  const read = createConnectionPool({ ...common, ...settings.read })
  const exports = createConnectionPool({ ...common, ...settings.export, prepare: false })
  // A connection of its own, so that a replica whose others are all at work is not taken for dead.
  const looks = createConnectionPool({ ...common, ...LOOKS })
  const attempts = new Set<(reason: Error) => void>()
  let isUsed: boolean | null = null
  let lagMs: number | null = null
  let version = NO_VERSION
  let looking: Promise<void> | null = null

  function use(isFit: boolean, reason: string) {
    if (isFit !== isUsed) settings.onChange({ replica: name, isUsed: isFit, reason })
    isUsed = isFit
  }

  /** Fails the reads that wait for it at once. Later reads find new connections: the old ones may be silent. */
  function leaveOut(reason: string) {
    lagMs = null
    version = NO_VERSION
    if (isUsed) for (const each of [read, exports]) each.renew()
    use(false, reason)
    for (const fail of attempts) fail(new Error(reason))
  }

  async function lookOnce() {
    try {
      const state = await answerWithin(readState(looks.sql()), LOOK_DEADLINE_MS)
      const refusal = refusalOf(state, primarySystem())
      if (refusal) return leaveOut(refusal)
      lagMs = state.lag_ms
      version = state.version
      if (lagMs <= settings.mostLagMs) use(true, 'it answers and has replayed what was written')
      else use(false, 'it is too far behind')
    } catch (error) {
      looks.renew()
      leaveOut(`it does not answer: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** Reads its state, and uses it or leaves it out from then on. Never throws. */
  function look() {
    looking ??= lookOnce().finally(() => {
      looking = null
    })
    return looking
  }

  /** Runs a read. One that it cannot answer because it is away fails at once, and leaves it out. */
  async function attempt<T>(work: () => Promise<T>) {
    let fail: (reason: Error) => void = () => {}
    const leftOut = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    attempts.add(fail)
    const suspicion = setTimeout(() => void look(), SUSPICIOUS_MS)
    try {
      return await Promise.race([work(), leftOut])
    } catch (error) {
      if (isAway(error)) leaveOut(`a read failed: ${(error as Error).message}`)
      throw error
    } finally {
      clearTimeout(suspicion)
      attempts.delete(fail)
    }
  }

  const readVersion = createDataState(work =>
    attempt(() => read.run(callerFor('data version'), sql => work({ sql, now: DATABASE_NOW }))),
  )
  return {
    /** Host, port and database: no account, no password. */
    name,
    read,
    export: exports,
    isUsed: () => isUsed === true,
    /** Null while it does not answer. */
    lagSeconds: () => lagMs && lagMs / 1000,
    look,
    /** Whether its data is as new as this version, or newer; reads its version when that is not known. */
    hasReached: async (least: number) => {
      if (version < least) version = (await readVersion()).version
      return version >= least
    },
    attempt,
    end: async () => {
      await Promise.all([read, exports, looks].map(each => each.end()))
    },
  }
}

function serverName(url: string) {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}

/** What a server that is configured as a replica reports of itself. */
interface ReplicaState {
  is_replica: boolean
  /** Which database cluster: a primary and its replicas share the number. */
  system: string
  /** The age of the last change that it has replayed, by its own clock; 0 when it has replayed all that it has received. */
  lag_ms: number
  version: number
}

async function readState(sql: Sql) {
  return onlyRow(sql<ReplicaState[]>`
    select
      pg_is_in_recovery() as is_replica,
      ${SYSTEM} as system,
      case
        when exists (select from pg_stat_wal_receiver) and pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
        else greatest(0, coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0))
      end::float8 * 1000 as lag_ms,
      (select version from data_version) as version`)
}

/** The number of a server's database cluster, as SQL. */
export const SYSTEM = fragment`(select system_identifier::text from pg_control_system())`

/** Why a server is no replica of ours; null when it is one. */
function refusalOf(state: ReplicaState, system: string | null) {
  if (!state.is_replica) return 'it is no replica: it takes writes of its own'
  if (system === null) return 'the primary has not been reached yet'
  return state.system === system ? null : 'it is a replica of another database'
}
