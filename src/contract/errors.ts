import errors from '../../data/errors.json' with { type: 'json' }
import type { ErrorCode } from './types.ts'

/** An error code in the table of errors. */
interface KnownError {
  status: number
  /** The statuses that have this code besides the usual one. */
  other_statuses: number[]
  condition: string
  remedy: string
}

/**
 * Every error code with its statuses and its words for the documentation. The
 * contract closes the list of codes.
 */
export const ERRORS: Record<ErrorCode, KnownError> = errors

interface ApiErrorDetails {
  /** A status other than the usual one of the code. */
  status?: number
  /** Whether a larger plan would allow the call. */
  upgrade?: boolean
  retryAfterSeconds?: number
  /** The methods of the route, for a 405. */
  allow?: string
  /**
   * Whether the deadline of the call passed: the month gets the call back, the
   * minute does not.
   */
  isDeadline?: boolean
  /** Whether no lot has the name that was sent. */
  isUnknownLot?: boolean
  /** For the log only. */
  cause?: unknown
}

/** A refusal with a code of the contract and a sentence to act on. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly upgrade: boolean
  readonly retryAfterSeconds: number | null
  readonly allow: string | null
  readonly isDeadline: boolean
  readonly isUnknownLot: boolean

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.status = details.status ?? ERRORS[code].status
    this.upgrade = details.upgrade ?? false
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.allow = details.allow ?? null
    this.isDeadline = details.isDeadline ?? false
    this.isUnknownLot = details.isUnknownLot ?? false
  }
}

/** Ends the work for a client that has disconnected. It is never sent. */
export class ClientLeft extends Error {
  constructor() {
    super('The client left before it had its answer.')
  }
}

/** The caller sent something that cannot be used: 400. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request', message)
}

/** What the caller names does not exist, or is another account's: 404. */
export function notFound(
  message: string,
  details: ApiErrorDetails = {},
): ApiError {
  return new ApiError('not_found', message, details)
}

/**
 * The address exists, but does not support the method.
 * @param allow the supported methods, as in the `Allow` header.
 */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError(
    'invalid_request',
    `This address accepts ${allow} only.`,
    {
      status: 405,
      allow,
    },
  )
}

/**
 * The service cannot answer for a moment: 503, which gives the call back to the
 * month and to the minute.
 */
export function unavailable(
  message: string,
  details: ApiErrorDetails = {},
): ApiError {
  return new ApiError('internal_error', message, {
    status: 503,
    retryAfterSeconds: 1,
    ...details,
  })
}

/**
 * The call was not answered by its deadline: 503, which gives the call back to
 * the month only. If the minute got it back too, a caller that sends more than
 * the service can answer would never be limited.
 */
export function deadlinePassed(
  message: string,
  details: ApiErrorDetails = {},
): ApiError {
  return unavailable(message, { isDeadline: true, ...details })
}

/** The message for an address without a route, for programs. */
export const NOTHING_HERE =
  'There is nothing at this address. GET /openapi.yaml lists the operations.'

/**
 * Where clients of agents look for a sign-in when a key is refused (RFC 8414,
 * 9728, OpenID Connect).
 */
const SIGN_IN =
  /^\/(register|authorize|token|(.*\/)?\.well-known\/(oauth-|openid-).*)$/
export const NO_SIGN_IN =
  'There is no sign-in here. If you sent a key, it is unknown or revoked.'

/** Runs when no route has the address. */
export function unknownRoute(req?: { path: string }): never {
  throw notFound(req && SIGN_IN.test(req.path) ? NO_SIGN_IN : NOTHING_HERE)
}

/**
 * An error that the operator can fix: the command line shows it as one
 * sentence, without a stack.
 */
export class UserError extends Error {
  /** 2 for a bad argument or setting, 1 for anything else. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Whether an error of the system or of PostgreSQL carries one of these codes
 * (`ENOENT`, `23505`, …).
 */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Error &&
    codes.includes((error as NodeJS.ErrnoException).code ?? '')
  )
}
