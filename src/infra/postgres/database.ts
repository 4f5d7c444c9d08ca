import type { Caller } from '../../domain/caller.ts'
import { CircuitBreaker, tookTooLong } from '../overload/circuitBreaker.ts'
import { createSlots } from '../overload/slots.ts'
import { openServing, type ServingOptions, type Sql } from './sql.ts'

export { openAdminConnection, type Sql } from './sql.ts'

/** The pools of a serving process on one server. */
export interface Database {
  /** The reads of callers, and what account pages write. */
  read: ConnectionPool
  /** The counters: apart, so that no slow read delays an admission. */
  count: ConnectionPool
  /** Exports and periodic jobs: few, and allowed to take longer. */
  export: ConnectionPool
  /** A circuit breaker for the work of one meter. */
  countBreaker(): CircuitBreaker
  end(): Promise<void>
}

/**
 * How many connections a purpose has, how long a statement may take, and how
 * long after its beginning a call is refused.
 */
type PoolLimits = Pick<
  ConnectionPoolSettings,
  'connections' | 'timeoutMs' | 'deadlineMs'
>

export interface DatabaseSettings
  extends Record<'read' | 'count' | 'export', PoolLimits> {
  url: string
  /**
   * How long an answer is awaited on a silent connection after it was replaced:
   * a minute, unless a test cannot wait.
   */
  lateAnswersMs?: number | undefined
  /** Called when connections that are open and silent were replaced. */
  onRenewal?(): void
}

const RENEWAL_PAUSES_MS = { least: 5_000, most: 300_000 }
const LATE_ANSWERS_MS = 60_000
/**
 * A server that has not answered a statement this long after its timeout is
 * silent.
 */
const SILENCE_MS = 500

/**
 * Opens the pools of a serving process. Only single autocommit statements may
 * run on them: the driver lets a statement of a dead transaction run inside
 * another caller's (postgres.js 3.4.9, upstream pull request 1155), so no
 * `begin` here.
 */
export function openDatabase(settings: DatabaseSettings): Database {
  const { url, lateAnswersMs = LATE_ANSWERS_MS } = settings
  /**
   * The driver cannot notice connections that are open and silent (a network
   * that swallows packets). One network leads to them all.
   */
  const renew = withGrowingPauses(RENEWAL_PAUSES_MS, () => {
    for (const each of [read, count, exports]) each.renew()
    settings.onRenewal?.()
  })
  const breakerOf = ({ timeoutMs }: PoolLimits) =>
    new CircuitBreaker({ silenceMs: timeoutMs + SILENCE_MS, onSilence: renew })
  const pool = (
    name: 'read' | 'count' | 'export',
    more: Pick<ConnectionPoolSettings, 'breaker' | 'prepare'>,
  ) => createConnectionPool({ url, lateAnswersMs, ...settings[name], ...more })
  const read = pool('read', { breaker: breakerOf(settings.read) })
  const count = pool('count', {})
  const exports = pool('export', {
    breaker: breakerOf(settings.export),
    prepare: false,
  })

  return {
    read,
    count,
    export: exports,
    countBreaker: () => breakerOf(settings.count),
    end: async () => {
      await Promise.all([read, count, exports].map(each => each.end()))
    },
  }
}

/**
 * Work that runs at most once in `least` milliseconds. While it is requested
 * again and again, each pause is twice as long as the one before, up to `most`:
 * new connections that fall silent too are not the network's fault. COMMIT then
 * waits for a synchronous standby, and the server keeps each replaced session
 * until the standby is back: without the growth 23 of one process after 90 s.
 */
export function withGrowingPauses(
  { least, most }: { least: number; most: number },
  work: () => void,
  now = () => performance.now(),
) {
  let ranAt = Number.NEGATIVE_INFINITY
  let pauseMs = least
  return () => {
    const sinceMs = now() - ranAt
    if (sinceMs < pauseMs) return
    pauseMs =
      sinceMs < 2 * pauseMs + least ? Math.min(most, 2 * pauseMs) : least
    ranAt = now()
    work()
  }
}

interface ConnectionPoolSettings extends ServingOptions {
  /** How long after its beginning a call is refused. */
  deadlineMs: number
  /**
   * How long the answers of replaced connections are awaited: what was charged
   * may have to be given back.
   */
  lateAnswersMs: number
  /** Stands around the work; absent where each meter has its own. */
  breaker?: CircuitBreaker
}

const LAST_ANSWERS_S = 5

/** One pool of a serving process. */
interface ConnectionPool {
  /**
   * Runs the statements of a caller when a connection is free (see
   * `createSlots`). Work that runs at the deadline is ended by its statement
   * timeout, and holds its slot until then.
   * @throws ApiError 503 at the deadline or when the server cannot be reached;
   * ClientLeft.
   */
  run<T>(caller: Caller, work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * The driver, for statements that wait for no turn. Ask for it each time:
   * `renew` replaces it.
   */
  sql(): Sql
  /**
   * Sends statements to new connections from now on. The old ones are closed
   * once their last answers may have come.
   */
  renew(): void
  end(): Promise<void>
}

/** Opens a pool. */
export function createConnectionPool(
  settings: ConnectionPoolSettings,
): ConnectionPool {
  const { connections, breaker, lateAnswersMs } = settings
  const inSlot = createSlots(connections, settings.deadlineMs, tookTooLong)
  let sql = openServing(settings)
  let retired: Sql[] = []

  function renew() {
    const old = sql
    sql = openServing(settings)
    retired.push(old)
    setTimeout(() => {
      retired = retired.filter(each => each !== old)
      void old.end({ timeout: 0 })
    }, lateAnswersMs).unref()
  }

  return {
    run: <T>(caller: Caller, work: (sql: Sql) => Promise<T>) =>
      // Async, so that work which throws at once still releases its slot.
      inSlot(caller, async () =>
        breaker ? breaker.run(() => work(sql)) : work(sql),
      ),
    sql: () => sql,
    renew,
    end: async () => {
      const ends = retired.map(old => old.end({ timeout: 0 }))
      await Promise.all([sql.end({ timeout: LAST_ANSWERS_S }), ...ends])
    },
  }
}
