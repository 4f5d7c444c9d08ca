import { ApiError, deadlinePassed, unavailable } from '../../contract/errors.ts'

/** What a circuit breaker does with work, by whether the database answers. */
type CircuitState =
  /** Work runs. Failures in a row are counted. */
  | 'closed'
  /** Work is refused at once, for a pause. */
  | 'open'
  /**
   * One work tries whether the database is back; all other work is refused at
   * once.
   */
  | 'half-open'

interface CircuitBreakerSettings {
  /**
   * Longer than the statement timeout: a database that can be reached has
   * answered by then, if only with the timeout.
   */
  silenceMs: number
  /**
   * Called when work got no answer within `silenceMs`, and no other work has
   * since it began.
   */
  onSilence?: () => void
}

const FAILURES_IN_A_ROW = 5
const OPEN_MS = 300

// Why: callers while the database is away, who are refused at once and not after 2 s:
// npx vitest run test/faults/databaseFaults.test.ts
/**
 * The one place where a database failure becomes an answer: 5 failures in a row
 * open the circuit for 300 ms of refusals at once, then one call tries. A
 * failure is a lost connection, a server that is full or shutting down, or
 * silence (a half-open connection never errors). A statement that only takes
 * too long is its caller's own: it opens the circuit for nobody.
 */
export class CircuitBreaker {
  readonly #silenceMs: number
  readonly #onSilence: () => void
  #state: CircuitState = 'closed'
  /** What began in another period says nothing about the state of now. */
  #period = 0
  #failuresInARow = 0
  #openUntil = 0
  #answeredAt = 0

  constructor({ silenceMs, onSilence = () => {} }: CircuitBreakerSettings) {
    this.#silenceMs = silenceMs
    this.#onSilence = onSilence
  }

  /**
   * Runs database work, or refuses it at once while the database is away.
   * @param askers how many calls wait for it: a failure counts once for each.
   * @returns what the work returns.
   * @throws ApiError 503 when the database is away or took too long; what else
   * the work throws.
   */
  async run<T>(work: () => Promise<T>, askers = 1): Promise<T> {
    const refusal = this.refusal()
    if (refusal) throw refusal
    if (this.#state === 'open') this.#become('half-open')
    const period = this.#period
    const startedAt = performance.now()
    try {
      const answer = await answerWithin(
        work(),
        this.#silenceMs,
        () => new Silence(),
      )
      this.#answered(period)
      return answer
    } catch (error) {
      if (!isAway(error)) this.#answered(period)
      else this.#failed(period, askers)
      if (error instanceof Silence && this.#answeredAt < startedAt)
        this.#onSilence()
      throw asRefusal(error)
    }
  }

  /**
   * The refusal of a call while the circuit is open, or another call tries
   * whether the database is back; null: it may run.
   */
  refusal(): ApiError | null {
    const isRefused =
      this.#state === 'half-open' ||
      (this.#state === 'open' && performance.now() < this.#openUntil)
    return isRefused ? away() : null
  }

  /**
   * Counts a call that has waited for shared work to its deadline.
   * @returns its refusal.
   */
  gaveUp(): ApiError {
    this.#failed(this.#period, 1)
    return away()
  }

  #answered(period: number) {
    this.#answeredAt = performance.now()
    if (period !== this.#period) return
    this.#failuresInARow = 0
    if (this.#state === 'half-open') this.#become('closed')
  }

  #failed(period: number, times: number) {
    if (period !== this.#period || this.#state === 'open') return
    this.#failuresInARow += times
    if (this.#state === 'closed' && this.#failuresInARow < FAILURES_IN_A_ROW)
      return
    this.#openUntil = performance.now() + OPEN_MS
    this.#become('open')
  }

  #become(state: CircuitState) {
    this.#state = state
    this.#period++
    this.#failuresInARow = 0
  }
}

/** The server has answered nothing. */
class Silence extends Error {}

/**
 * The answer, when it comes in time.
 * @throws what `late` returns when it does not.
 */
export function answerWithin<T>(
  answer: Promise<T>,
  deadlineMs: number,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), deadlineMs)
    void answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function asRefusal(error: unknown) {
  if (error instanceof ApiError) return error
  if (isAway(error)) return away(error)
  return isTooSlow(error) ? tookTooLong(error) : error
}

function away(cause?: unknown) {
  return unavailable(
    'The database cannot be reached for a moment. Try again shortly.',
    { cause },
  )
}

/**
 * The refusal of a call whose statement ran into its timeout or into the
 * deadline.
 */
export function tookTooLong(cause?: unknown): ApiError {
  return deadlinePassed(
    'The database took too long to answer. Try again shortly, or request less.',
    {
      cause,
    },
  )
}

/**
 * The error codes of the driver for a lost connection (postgres.js 3.4.9), of
 * the socket below it, and of rows that the driver lost.
 */
const LOST_CONNECTION = new Set(
  `CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT ROWS_LOST
  ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOENT`.split(
    /\s+/,
  ),
)

/**
 * Silence, or SQLSTATE classes: 08 connection, 53 out of resources, 57P
 * shutdown or startup, 58 input/output.
 */
function isAway(error: unknown) {
  const code = codeOf(error)
  return (
    error instanceof Silence ||
    LOST_CONNECTION.has(code) ||
    /^(08|53|58)...$/.test(code) ||
    code.startsWith('57P') ||
    code === '25006'
  )
}

/**
 * SQLSTATE 57014: the statement timeout; 55P03: a lock timed out; 40P01 and
 * 40001: a conflict that a second attempt may not have.
 */
function isTooSlow(error: unknown) {
  return ['57014', '55P03', '40P01', '40001'].includes(codeOf(error))
}

function codeOf(error: unknown) {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : ''
}
