import { isAway } from '../postgres/circuitBreaker.ts'
import { servingPool } from '../postgres/connectionPool.ts'
import { createDataState } from '../postgres/dataVersion.ts'
import type { ServingSql } from '../postgres/statements.ts'
import { refusalOf, tell } from './replicaState.ts'
import { withDeadline } from './withDeadline.ts'
import type { WrittenPositions } from './writtenPositions.ts'

export interface ReplicaSettings {
  url: string
  readConnections: number
  exportConnections: number
  readTimeoutMs: number
  exportTimeoutMs: number
  /** Further behind than this it is left out. */
  mostLagMs: number
  onChange(change: { replica: string; isUsed: boolean; reason: string }): void
}

/** A streaming replica, as far as one process knows it. */
export interface Replica {
  /** Host, port and database: no account, no password. */
  name: string
  read: ServingSql
  export: ServingSql
  isUsed(): boolean
  /** Null while it does not answer. */
  lagSeconds(): number | null
  /** Asks how it stands, and uses it or leaves it out from then on. Never throws. */
  look(): Promise<void>
  /** Whether its data is as new as this version, or newer; asks it when that is not known. */
  hasReached(version: number): Promise<boolean>
  /** Runs a read. One that it cannot answer because it is away fails at once, and leaves it out. */
  attempt<T>(work: () => Promise<T>): Promise<T>
  end(): Promise<void>
}

/** A read that waits longer makes the replica be looked at, so that one that fell silent is noticed long before a deadline. */
const SUSPICIOUS_MS = 300
const LOOK_DEADLINE_MS = 700
/** Nothing is undone by the late answer to a read. */
const LATE_ANSWERS_MS = 1_000
const NO_VERSION = -1

export function openReplica(settings: ReplicaSettings, positions: WrittenPositions): Replica {
  const name = nameOf(settings.url)
  const pool = (connections: number, timeoutMs: number) =>
    servingPool({ url: settings.url, connections, timeoutMs, lateAnswersMs: LATE_ANSWERS_MS })
  const read = pool(settings.readConnections, settings.readTimeoutMs)
  const exports = pool(settings.exportConnections, settings.exportTimeoutMs)
  // A connection of its own, so that a replica whose others are all at work is not taken for dead.
  const looks = pool(1, LOOK_DEADLINE_MS)
  const attempts = new Set<(reason: Error) => void>()
  let isUsed: boolean | null = null
  let lagMs: number | null = null
  let version = NO_VERSION
  let looking: Promise<void> | null = null

  function become(used: boolean, reason: string): void {
    if (used !== isUsed) settings.onChange({ replica: name, isUsed: used, reason })
    isUsed = used
  }

  /** What waits for it is told at once, and later reads find new connections: the old ones may be silent. */
  function giveUp(reason: string): void {
    lagMs = null
    version = NO_VERSION
    if (isUsed) for (const each of [read, exports]) each.renew()
    become(false, reason)
    for (const fail of attempts) fail(new ReplicaGivenUp(reason))
  }

  async function lookOnce(): Promise<void> {
    try {
      const told = await withDeadline(tell(looks.sql), LOOK_DEADLINE_MS)
      const refusal = refusalOf(told, positions.system())
      if (refusal) return giveUp(refusal)
      lagMs = positions.lagMs(told.replayed!)
      version = told.version
      if (lagMs <= settings.mostLagMs) become(true, 'it answers and has replayed what was written')
      else become(false, 'it is too far behind')
    } catch (error) {
      looks.renew()
      giveUp(`it does not answer: ${error instanceof Error ? error.message : error}`)
    }
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = null
    })
    return looking
  }

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    let fail: (reason: Error) => void = () => {}
    const givenUp = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    attempts.add(fail)
    const suspicion = setTimeout(() => void look(), SUSPICIOUS_MS)
    try {
      return await Promise.race([work(), givenUp])
    } catch (error) {
      if (isAway(error)) giveUp(`a read failed: ${(error as Error).message}`)
      throw error
    } finally {
      clearTimeout(suspicion)
      attempts.delete(fail)
    }
  }

  const readState = createDataState(
    read.sql,
    work => attempt(() => work(NEVER)),
    () => null,
  )
  return {
    name,
    read: read.sql,
    export: exports.sql,
    isUsed: () => isUsed === true,
    lagSeconds: () => (lagMs === null || lagMs === Number.POSITIVE_INFINITY ? null : lagMs / 1000),
    look,
    hasReached: async least => {
      if (version < least) version = (await readState()).version
      return version >= least
    },
    attempt,
    end: async () => {
      await Promise.all([read, exports, looks].map(each => each.end()))
    },
  }
}

const NEVER = new AbortController().signal

/** The replica was given up while a read waited for it. */
class ReplicaGivenUp extends Error {}

function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}
