import type { Caller } from '../../domain/caller.ts'
import { ClientLeft, deadlinePassed } from '../../domain/errors.ts'
import { spanned } from '../traces.ts'
import { type CircuitBreaker, tookTooLong } from './circuitBreaker.ts'
import { createFairQueue } from './fairQueue.ts'
import { openServing, type Sql } from './sql.ts'

/** The connections of a serving process to one server, for one purpose. */
export type ConnectionPool = ReturnType<typeof createConnectionPool>

export interface ConnectionPoolSettings {
  /** How traces name its work. */
  name: string
  url: string
  connections: number
  /** How long a statement may take. */
  timeoutMs: number
  /** How long after its beginning a call is refused. */
  deadlineMs: number
  /** How long the answers of replaced connections are awaited: what was charged may have to be given back. */
  lateAnswersMs: number
  /** Stands around the work; absent on a replica, where a failed read goes to the primary. */
  breaker?: CircuitBreaker
}

const LAST_ANSWERS_S = 5

/** One pool of a serving process, on the primary or on a replica. A share may use half of the connections at once. */
export function createConnectionPool(settings: ConnectionPoolSettings) {
  const { name, connections, deadlineMs, lateAnswersMs } = settings
  // Async, so that work which throws at once still releases its slot.
  const breaker: CircuitBreaker = settings.breaker ?? (async work => work())
  const queue = createFairQueue(connections, Math.max(1, Math.floor(connections / 2)))
  let sql = openServing(settings)
  let retired: Sql[] = []

  function run<T>(caller: Caller, work: (sql: Sql) => Promise<T>): Promise<T> {
    const deadlineAt = caller.startedAt + deadlineMs
    return new Promise((resolve, reject) => {
      let isRunning = false
      const notServed = () => (queue.isAtLimit(caller.share) ? tooManyAtOnce() : queueTooLong())
      const deadline = setTimeout(() => {
        leaveQueue()
        reject(isRunning ? tookTooLong() : notServed())
      }, deadlineAt - performance.now())
      const leaveQueue = queue.enter(caller.share, release => {
        const settle = () => {
          clearTimeout(deadline)
          release()
        }
        isRunning = !caller.hasLeft() && performance.now() < deadlineAt
        if (isRunning) {
          void breaker(() => work(sql))
            .then(resolve, reject)
            .finally(settle)
        } else {
          settle()
          reject(caller.hasLeft() ? new ClientLeft() : notServed())
        }
      })
    })
  }

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
     * Runs the statements of a caller when its share's turn comes. Work that still waits at the caller's deadline, or whose client has left
     * by its turn, is never begun; work that runs is ended by its statement timeout, and holds its slot until then.
     * @throws ApiError 503 at the deadline or when the server cannot be reached; ClientLeft.
     */
    run: <T>(caller: Caller, work: (sql: Sql) => Promise<T>) => spanned(name, () => run(caller, work)),
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

function tooManyAtOnce() {
  return deadlinePassed('Your earlier calls took all the time of this one. Send fewer calls at once.')
}

function queueTooLong() {
  return deadlinePassed('The service is overloaded. Try again shortly.')
}
