import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { ApiError, ClientLeft, unavailable } from '../../domain/errors.ts'
import { spanned } from '../traces.ts'

/**
 * Runs one piece of database work for a request, or refuses it. The signal is aborted when its deadline has passed.
 * @param askers how many requests wait for it (1): a failure counts once for each.
 */
export type Guard = <T>(work: (signal: AbortSignal) => Promise<T>, askers?: number) => Promise<T>

/** For work that many requests share, each with a deadline of its own. */
export interface SharedGuard extends Guard {
  /** What a request is told, at once, while another one tries whether the database is back; null: it may come in. */
  refusal(): ApiError | null
  /** Counts a request that has waited to its deadline. @returns what it is told. */
  gaveUp(): ApiError
}

interface GuardSettings {
  /** What the work is called in traces; null: it is no part of one request. */
  name: string | null
  /** Longer than the statement timeout, so that a database that can be reached has said something by then. */
  deadlineMs: number
  /** Is told when a deadline has passed and the database has answered nobody since that work began. */
  onSilence?: () => void
  /** How many pieces of work may run at once; four times as many may wait. Absent: as many as come. */
  mostAtOnce?: number
}

const FAILURES_IN_A_ROW = 5

/**
 * The one place where a database failure becomes an answer: a deadline of its own (a half-open connection never
 * errors), a breaker (5 failures in a row, then 300 ms of refusals at once, then one try), and 503 for everything that
 * says the database is away, full or slow. Anything else is a fault of ours and stays as it is.
 */
export function createGuard({
  name,
  deadlineMs,
  mostAtOnce,
  onSilence = () => {},
}: GuardSettings): SharedGuard {
  const breaker = circuitBreaker(
    handleWhen(error => isAway(error) || error instanceof TaskCancelledError || isBrokenOffTry(error)),
    { halfOpenAfter: 300, breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW) },
  )
  /** Who leaves says nothing of the database; but cockatiel would take what is no failure for a success, and the try is over. */
  const isBrokenOffTry = (error: unknown) =>
    error instanceof ClientLeft && breaker.state === CircuitState.HalfOpen
  const deadline = timeout(deadlineMs, TimeoutStrategy.Aggressive)
  const policy = mostAtOnce
    ? wrap(bulkhead(mostAtOnce, 4 * mostAtOnce), breaker, deadline)
    : wrap(breaker, deadline)
  let answeredAt = 0
  const traced = <T>(work: () => Promise<T>) => (name === null ? work() : spanned(name, work))
  const countFailures = async (error: unknown, times: number) => {
    for (let n = 0; n < Math.min(times, FAILURES_IN_A_ROW); n++) {
      await breaker.execute(() => Promise.reject(error)).catch(() => {})
    }
  }

  async function run<T>(work: (signal: AbortSignal) => Promise<T>, askers = 1): Promise<T> {
    const startedAt = performance.now()
    try {
      // Cockatiel would let everyone wait for the outcome of the one try.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError()
      // A signal of its own: cockatiel's default is one for all calls, on which listeners pile up.
      return await traced(() =>
        policy.execute(async ({ signal }) => {
          const answer = await work(signal).catch(error => {
            if (!isAway(error) && !(error instanceof ClientLeft)) answeredAt = performance.now()
            throw error
          })
          answeredAt = performance.now()
          return answer
        }, new AbortController().signal),
      )
    } catch (error) {
      if (error instanceof TaskCancelledError && answeredAt < startedAt) onSilence()
      void countFailures(error, askers - 1)
      throw asRefusal(error)
    }
  }

  const refusal = () => (breaker.state === CircuitState.HalfOpen ? away(new BrokenCircuitError()) : null)
  const gaveUp = () => {
    void countFailures(new TaskCancelledError(), 1)
    return tookTooLong()
  }
  return Object.assign(run, { refusal, gaveUp })
}

function asRefusal(error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (error instanceof BulkheadRejectedError) {
    return withCause(unavailable('Too many ask at once. Try again shortly.'), error)
  }
  if (error instanceof BrokenCircuitError || isAway(error)) return away(error)
  if (error instanceof TaskCancelledError || isTooSlow(error)) return tookTooLong(error)
  return error
}

function away(cause: unknown): ApiError {
  return withCause(unavailable('The database cannot be reached for a moment. Try again shortly.'), cause)
}

function tookTooLong(cause?: unknown): ApiError {
  return withCause(
    unavailable('The database took too long to answer. Try again shortly, or ask for less.'),
    cause,
  )
}

function withCause(refusal: ApiError, cause: unknown): ApiError {
  if (cause !== undefined) refusal.cause = cause
  return refusal
}

/** The driver's own words for a lost connection (postgres.js 3.4.9), and those of the socket below it. */
const LOST_CONNECTION = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])

/** SQLSTATE classes: 08 connection, 53 out of resources, 57P shutdown or startup, 58 input/output. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  return (
    LOST_CONNECTION.has(code) || /^(08|53|58)...$/.test(code) || code.startsWith('57P') || code === '25006'
  )
}

/** SQLSTATE 57014: the statement timeout; 55P03: a lock could not be had; 40P01 and 40001: asked to try again. */
function isTooSlow(error: unknown): boolean {
  return ['57014', '55P03', '40P01', '40001'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
