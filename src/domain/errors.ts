import type { ErrorCode } from '../contract/types.ts'

/** Every error code with its usual status and its words for the documentation. The contract closes the list of codes. */
export const ERRORS: Record<ErrorCode, { status: number; condition: string; remedy: string }> = {
  missing_api_key: {
    status: 401,
    condition: 'No API key was sent.',
    remedy:
      'Send the header "Authorization: Bearer <API_KEY>". A free key needs no card: make one on your account page.',
  },
  invalid_api_key: {
    status: 401,
    condition: 'The API key is unknown, mistyped or revoked.',
    remedy:
      'Compare the key with the one you were shown: bp_live_ and 36 letters and digits. If it is lost, make a new one on your account page.',
  },
  forbidden: {
    status: 403,
    condition: 'The key is valid, but its plan does not include what was asked.',
    remedy: 'The message names the plan that does; "upgrade" is where to get it.',
  },
  not_found: {
    status: 404,
    condition: 'There is no such route, listing, sale or score.',
    remedy:
      'Check the address. For comparables it can also mean that too few lots like it were sold in the last 365 days.',
  },
  invalid_request: {
    status: 400,
    condition:
      'A parameter is unknown, repeated or malformed, or the method, size or type of the request is not accepted.',
    remedy: 'The message names the parameter and what it must be. 405, 413, 415 and 431 carry this code too.',
  },
  burst_rate_exceeded: {
    status: 429,
    condition: 'The key made all its calls of the current minute.',
    remedy: 'Wait as many seconds as Retry-After says. The call was not counted.',
  },
  monthly_quota_exceeded: {
    status: 429,
    condition: 'The account made all its calls of the current month (UTC).',
    remedy:
      'Wait for the next month, as RateLimit-Reset says, or take a larger plan. The call was not counted.',
  },
  internal_error: {
    status: 500,
    condition: 'The service failed (500), or cannot answer for a moment (503, with Retry-After).',
    remedy:
      'Try again, after Retry-After where it is given. The call was not counted. Quote X-Request-Id if it persists.',
  },
}

interface ApiErrorDetails {
  /** Where the status is not the usual one of the code. */
  status?: number
  /** Whether a higher plan would have let the call through. */
  upgrade?: boolean
  retryAfterSeconds?: number
  /** The methods of the route, for a 405. */
  allow?: string
  /** Whether the deadline of the call passed: the month gets the call back, the minute does not. */
  isDeadline?: boolean
}

/** A refusal with a code of the contract and a sentence to act on. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly upgrade: boolean
  readonly retryAfterSeconds: number | null
  readonly allow: string | null
  readonly isDeadline: boolean

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = details.status ?? ERRORS[code].status
    this.upgrade = details.upgrade ?? false
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.allow = details.allow ?? null
    this.isDeadline = details.isDeadline ?? false
  }
}

/** Ends the work for a client that has disconnected. It is never sent. */
export class ClientLeft extends Error {
  constructor() {
    super('The client left before it had its answer.')
    this.name = 'ClientLeft'
  }
}

/** The address is there, but does not take the method. @param allow the methods that it takes, as in the header. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('invalid_request', `This address takes ${allow} only.`, { status: 405, allow })
}

/** The service cannot answer for a moment: 503, which gives the call back to the month and to the minute. */
export function unavailable(message: string): ApiError {
  return new ApiError('internal_error', message, { status: 503, retryAfterSeconds: 1 })
}

/**
 * The call was not answered by its deadline: 503, which gives the call back to the month only. If the minute got it back too, a caller
 * that sends more than the service can answer would never be limited.
 */
export function deadlinePassed(message: string): ApiError {
  return new ApiError('internal_error', message, { status: 503, retryAfterSeconds: 1, isDeadline: true })
}
