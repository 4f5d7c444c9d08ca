import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { ApiError, deadlinePassed, unavailable } from '../../domain/errors.ts'

/** Runs database work, or refuses it at once while the database is away. @param askers how many calls wait for it (1): a failure counts once for each. */
export type CircuitBreaker = <T>(work: () => Promise<T>, askers?: number) => Promise<T>

/** For work that many calls share, each with a deadline of its own. */
export interface SharedCircuitBreaker extends CircuitBreaker {
  /** The refusal of a call while another one tries whether the database is back; null: it may run. */
  refusal(): ApiError | null
  /** Counts a call that has waited to its deadline. @returns its refusal. */
  gaveUp(): ApiError
}

interface CircuitBreakerSettings {
  /** Longer than the statement timeout: a database that can be reached has answered by then, if only with the timeout. */
  silenceMs: number
  /** Called when work got no answer within `silenceMs`, and no other work has since it began. */
  onSilence?: () => void
}

const FAILURES_IN_A_ROW = 5
const HALF_OPEN_AFTER_MS = 300

// Why: callers while the database is away, who are refused at once and not after 2 s; npx vitest run test/faults/databaseFaults.test.ts
/**
 * The one place where a database failure becomes an answer: 5 failures in a row open the circuit for 300 ms of refusals at once, then one
 * call tries. A failure is a lost connection, a server that is full or shutting down, or silence (a half-open connection never errors). A
 * statement that only takes too long is its caller's own: it opens the circuit for nobody.
 */
export function createCircuitBreaker({
  silenceMs,
  onSilence = () => {},
}: CircuitBreakerSettings): SharedCircuitBreaker {
  const breaker = circuitBreaker(handleWhen(isAway), {
    halfOpenAfter: HALF_OPEN_AFTER_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  })
  let answeredAt = 0
  const countFailures = async (error: unknown, times: number) => {
    for (let n = 0; n < Math.min(times, FAILURES_IN_A_ROW); n++) {
      await breaker.execute(() => Promise.reject(error)).catch(() => {})
    }
  }

  async function run<T>(work: () => Promise<T>, askers = 1) {
    const startedAt = performance.now()
    try {
      // Cockatiel would let every call wait for the outcome of the one that tries.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError()
      return await breaker.execute(async () => {
        const answer = await answerWithin(work(), silenceMs, () => new Silence()).catch(error => {
          if (!isAway(error)) answeredAt = performance.now()
          throw error
        })
        answeredAt = performance.now()
        return answer
      })
    } catch (error) {
      if (error instanceof Silence && answeredAt < startedAt) onSilence()
      void countFailures(error, askers - 1)
      throw asRefusal(error)
    }
  }

  const refusal = () => (breaker.state === CircuitState.HalfOpen ? away(new BrokenCircuitError()) : null)
  const gaveUp = () => {
    void countFailures(new Silence(), 1)
    return away()
  }
  return Object.assign(run, { refusal, gaveUp })
}

/** The server has answered nothing. */
class Silence extends Error {}

/**
 * The answer, when it comes in time. Cockatiel's timeout aborts a signal after every call, which takes 5 % of the processor time of a listing.
 * @throws what `late` returns when it does not, or else an Error that says so.
 */
export function answerWithin<T>(answer: Promise<T>, deadlineMs: number, late?: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(late?.() ?? new Error(`no answer within ${deadlineMs} ms`)),
      deadlineMs,
    )
    void answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function asRefusal(error: unknown) {
  if (error instanceof ApiError) return error
  if (error instanceof BrokenCircuitError || isAway(error)) return away(error)
  return isTooSlow(error) ? tookTooLong(error) : error
}

function away(cause?: unknown) {
  return unavailable('The database cannot be reached for a moment. Try again shortly.', { cause })
}

/** The refusal of a call whose statement ran into its timeout or into the deadline. */
export function tookTooLong(cause?: unknown) {
  return deadlinePassed('The database took too long to answer. Try again shortly, or request less.', {
    cause,
  })
}

/** The error codes of the driver for a lost connection (postgres.js 3.4.9), of the socket below it, and of rows that the driver lost. */
const LOST_CONNECTION = new Set(
  `CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT ROWS_LOST
  ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOENT`.split(/\s+/),
)

/** Silence, or SQLSTATE classes: 08 connection, 53 out of resources, 57P shutdown or startup, 58 input/output. */
export function isAway(error: unknown) {
  const code = codeOf(error)
  return (
    error instanceof Silence ||
    LOST_CONNECTION.has(code) ||
    /^(08|53|58)...$/.test(code) ||
    code.startsWith('57P') ||
    code === '25006'
  )
}

/** SQLSTATE 57014: the statement timeout; 55P03: a lock timed out; 40P01 and 40001: a conflict that a second attempt may not have. */
function isTooSlow(error: unknown) {
  return ['57014', '55P03', '40P01', '40001'].includes(codeOf(error))
}

function codeOf(error: unknown) {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
