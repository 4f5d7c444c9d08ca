import type { ErrorRequestHandler, Request, Response } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { ApiError, ClientLeft, NO_SIGN_IN } from '../../contract/errors.ts'
import type { Schemas } from '../../contract/types.ts'
import { CALL_LOG_PATH } from '../../usecases/accounts/signIn.ts'
import { callOf } from '../call.ts'
import { redactKeys } from './requestLog.ts'

const OUR_FAULT =
  'The service failed to answer. The request id (X-Request-Id) names the failure in our logs.'

/**
 * The error body of the contract.
 * @param callId of a call that the log of an account has.
 */
export function errorBody(
  publicUrl: string,
  error: ApiError,
  callId: string | null = null,
): Schemas['ApiError'] & { error_description?: string } {
  return {
    error: error.message,
    // The words that clients of OAuth show (RFC 6749, 5.2).
    error_description: error.message === NO_SIGN_IN ? error.message : undefined,
    code: error.code,
    docs: `${publicUrl}/docs/errors#${error.code}`,
    // JSON leaves out what is undefined.
    upgrade: error.upgrade ? `${publicUrl}/pricing` : undefined,
    request_log_url: callId
      ? `${publicUrl}${CALL_LOG_PATH}?call=${callId}`
      : undefined,
  }
}

/**
 * Turns anything that was thrown into the error body of the contract. What is
 * not a refusal is a failure of the service: it is logged and answered with
 * 500.
 * @param sendErrorPage sends the refusal as a page to a browser; false where it
 * must be JSON.
 */
export function errorHandler(
  publicUrl: string,
  sendErrorPage: (
    req: Request,
    res: Response,
    error: ApiError,
  ) => Promise<boolean>,
): ErrorRequestHandler {
  return async (thrown, req, res, _next) => {
    // Ending the response of a client that has left ends the call for load
    // shedding.
    if (thrown instanceof ClientLeft && res.closed) return void res.end()
    const error = asRefusal(thrown)
    const call = callOf(res)
    if (error.status >= 500 && error !== call.refusal)
      logFailure(req, error, thrown)
    call.error = error
    if (res.headersSent) return void res.destroy()
    const own = call.refuse?.(error) ?? { headers: {}, body: null }
    if (error.status === 401)
      res.setHeader('WWW-Authenticate', challengeOf(error))
    if (error.retryAfterSeconds !== null)
      res.setHeader('Retry-After', error.retryAfterSeconds)
    if (error.allow !== null) res.setHeader('Allow', error.allow)
    res.setHeader('Cache-Control', 'no-store')
    res.set(own.headers)
    if (
      !req.originalUrl.startsWith('/api/') &&
      (await sendErrorPage(req, res, error))
    )
      return
    const isOfOwner =
      call.charge && 'madeByOwner' in call.charge && call.charge.madeByOwner
    const body =
      own.body ?? errorBody(publicUrl, error, isOfOwner ? req.id : null)
    if (own.body === null) call.errorCode = error.code
    // A file that has no such range has its headers by then.
    for (const name of ['Content-Type', 'Content-Disposition', 'ETag'])
      res.removeHeader(name)
    res.status(error.status).json(body)
  }
}

const A_SECOND_MS = 1_000
/**
 * When each cause was logged last. Its names are few: sentences of this
 * program, and codes of PostgreSQL.
 */
const loggedAt = new Map<string, number>()

/**
 * A refusal that was expected, such as a database that is away or a full disk,
 * is one line a second and cause: it fails every call.
 */
function logFailure(req: Request, error: ApiError, thrown: unknown) {
  if (thrown !== error)
    return void req.log.error({ err: thrown }, 'the call failed')
  const { code, message } = (error.cause ?? {}) as {
    code?: string
    message?: string
  }
  const name = `${error.message} ${code}`
  const now = performance.now()
  if (now - (loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) < A_SECOND_MS)
    return
  loggedAt.set(name, now)
  req.log.warn(
    { cause: { code, message: message && redactKeys(message) } },
    error.message,
  )
}

/** RFC 6750, section 3.1: an error code is for a request that sent a key. */
function challengeOf({ code }: ApiError) {
  return code === 'invalid_api_key' ? 'Bearer error="invalid_token"' : 'Bearer'
}

function asRefusal(thrown: unknown) {
  if (thrown instanceof ApiError) return thrown
  return asBodyFault(thrown) ?? new ApiError('internal_error', OUR_FAULT)
}

/** Faults of Express's body parser (body-parser 2), as refusals. */
const BODY_FAULTS: Record<string, string> = labels.body_faults

/**
 * A body that is not compressed as its header says arrives as a plain zlib
 * error with a status.
 */
function asBodyFault(thrown: unknown) {
  if (!(thrown instanceof Error) || !('status' in thrown)) return null
  const status = Number(thrown.status)
  if (!(status >= 400 && status < 500)) return null
  const type = 'type' in thrown ? String(thrown.type) : ''
  return new ApiError(
    'invalid_request',
    BODY_FAULTS[type] ?? BODY_FAULTS[status] ?? 'The body cannot be read.',
    { status },
  )
}
