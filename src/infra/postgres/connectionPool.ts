import type { Caller } from '../../domain/caller.ts'
import { spanned } from '../traces.ts'
import { type CircuitBreaker, tookTooLong } from './circuitBreaker.ts'
import { createSlots } from './fairQueue.ts'
import { openServing, type ServingOptions, type Sql } from './sql.ts'

/** The connections of a serving process to one server, for one purpose. */
export type ConnectionPool = ReturnType<typeof createConnectionPool>

export interface ConnectionPoolSettings extends ServingOptions {
  /** How traces name its work. */
  name: string
  /** How long after its beginning a call is refused. */
  deadlineMs: number
  /** How long the answers of replaced connections are awaited: what was charged may have to be given back. */
  lateAnswersMs: number
  /** Stands around the work; absent on a replica, where a failed read goes to the primary. */
  breaker?: CircuitBreaker
}

const LAST_ANSWERS_S = 5

/** One pool of a serving process, on the primary or on a replica. A tenant may use half of the connections at once. */
export function createConnectionPool(settings: ConnectionPoolSettings) {
  const { name, connections, lateAnswersMs } = settings
  // Async, so that work which throws at once still releases its slot.
  const breaker: CircuitBreaker = settings.breaker ?? (async work => work())
  const inSlot = createSlots(connections, settings.deadlineMs, tookTooLong)
  let sql = openServing(settings)
  let retired: Sql[] = []

  /** Sends statements to new connections from now on. The old ones are closed once their last answers may have come. */
  function renew(): void {
    const old = sql
    sql = openServing(settings)
    retired.push(old)
    setTimeout(() => {
      retired = retired.filter(each => each !== old)
      void old.end({ timeout: 0 })
    }, lateAnswersMs).unref()
  }

  return {
    /**
     * Runs the statements of a caller when its tenant's turn comes (see `createSlots`). Work that runs at the deadline is ended by its
     * statement timeout, and holds its slot until then.
     * @throws ApiError 503 at the deadline or when the server cannot be reached; ClientLeft.
     */
    run: <T>(caller: Caller, work: (sql: Sql) => Promise<T>) =>
      spanned(name, () => inSlot(caller, () => breaker(() => work(sql)))),
    /** The driver, for statements that wait for no turn. Ask for it each time: `renew` replaces it. */
    sql: () => sql,
    renew,
    end: async () => {
      await Promise.all([
        sql.end({ timeout: LAST_ANSWERS_S }),
        ...retired.map(old => old.end({ timeout: 0 })),
      ])
    },
  }
}
