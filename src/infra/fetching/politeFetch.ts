import { setTimeout as wait } from 'node:timers/promises'
import labels from '../../../data/labels.json' with { type: 'json' }
import { fetchOnce } from './fetchOnce.ts'
import {
  FetchFailure,
  isWebPage,
  parseJson,
  readBytes,
  refuseNoData,
  titleOf,
} from './jsonBody.ts'
import { nextHop, type Request } from './redirects.ts'
import {
  conditionFor,
  NotModified,
  type Validator,
  validatorOf,
} from './validators.ts'

/** How every source is fetched. */
export interface FetchManners {
  /** Names the service and how to reach its operator. */
  userAgent: string
  /** For one answer, redirect and body included. */
  timeoutMs: number
  /** The largest body that is read. */
  mostBytes: number
  /**
   * A `Retry-After` up to this is waited for once; a longer one is reported.
   */
  longestWaitSeconds: number
  /** Between the pages of one series. */
  pauseMs: number
}

/**
 * Returns the JSON of the answer, or a `FetchedFile` for a request that says
 * `isFile`.
 */
export type FetchJson = (request: Request) => Promise<unknown>

export interface FetchedFile {
  body: Buffer
  /** Its `Last-Modified`. */
  modified: string | null
}

/** The rest of what a fetch works with. */
interface FetchContext {
  /** Aborts the request; its reason is then thrown. */
  stop?: AbortSignal | undefined
  /**
   * Of the last good answer to a request that `isWhole`; such an answer
   * replaces it.
   */
  validator?: Validator | null
}

/**
 * An expired signature of a file in S3: status 403, and these words in an XML
 * body.
 */
const EXPIRED =
  /Request has expired|<Code>ExpiredToken<\/Code>|Signature expired/i
const LONGEST_REFUSAL_BYTES = 65_536

/**
 * The one way to fetch JSON or a file from a source. Retries only an answer
 * with a short `Retry-After`, once.
 * @throws FetchFailure when the source does not answer with JSON, or a file is
 * empty or a web page; the reason never holds a key or a signed URL.
 * @throws NotModified when the whole answer is the one that the validator
 * describes.
 */
export function politeFetch(
  manners: FetchManners,
  context: FetchContext = {},
): FetchJson {
  return async request => {
    const { body, contentType, modified } = await getTwice(
      request,
      manners,
      context,
    )
    if (!request.isFile) return parseJson(body.toString('utf8'), contentType)
    refuseNoData(body.toString('utf8', 0, LONGEST_REFUSAL_BYTES), contentType)
    return { body, modified } satisfies FetchedFile
  }
}

/**
 * What the host of a photo answers the public: the status of HEAD or, where
 * that is an error, of a GET of a few bytes. Null where it says nothing of the
 * public: the host cannot be reached, redirects, or is busy, or the photo is
 * gone.
 */
export async function photoStatus(
  url: URL,
  { userAgent, timeoutMs }: FetchManners,
  stop: AbortSignal,
): Promise<number | null> {
  const ask = async (method: 'HEAD' | 'GET') => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const headers = {
      'user-agent': userAgent,
      accept: 'image/*',
      range: 'bytes=0-63',
    }
    const answer = await fetchOnce(url, { method, headers, signal })
    await answer.body?.cancel()
    return answer.status
  }
  try {
    const first = await ask('HEAD')
    const status = first < 400 ? first : await ask('GET')
    return status < 300 || status === 401 || status === 403 ? status : null
  } catch {
    stop.throwIfAborted()
    return null
  }
}

async function getTwice(
  request: Request,
  manners: FetchManners,
  context: FetchContext,
) {
  const first = await get(request, manners, context)
  if (!('waitSeconds' in first)) return first
  // "0" does not permit two requests within a second.
  await wait(Math.max(1, first.waitSeconds) * 1000, undefined, {
    signal: context.stop,
  }).catch(() => {})
  const second = await get(request, manners, context)
  if (!('waitSeconds' in second)) return second
  throw new FetchFailure(
    `${first.reason} It answered the same after the wait.`,
    second.waitSeconds,
  )
}

async function get(
  request: Request,
  manners: FetchManners,
  context: FetchContext,
) {
  const { host } = request.url
  const { stop } = context
  stop?.throwIfAborted()
  const timeout = AbortSignal.timeout(manners.timeoutMs)
  const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
  const known = (request.isWhole && context.validator) || null
  try {
    const { answer, from } = await followed(
      request,
      known,
      manners.userAgent,
      signal,
    )
    if (!answer.ok)
      return await refusal(answer, from.host, from.host === host, manners)
    const body = await readBytes(answer, manners.mostBytes)
    if (request.isWhole) context.validator = validatorOf(from, answer)
    const { headers } = answer
    return {
      body,
      contentType: headers.get('content-type'),
      modified: headers.get('last-modified'),
    }
  } catch (error) {
    if (error instanceof FetchFailure || error instanceof NotModified)
      throw error
    stop?.throwIfAborted()
    if (timeout.aborted)
      throw new FetchFailure(
        `${host} is unreachable (timed out after ${manners.timeoutMs / 1000} s).`,
      )
    throw new FetchFailure(`${host} is unreachable (${causeOf(error)}).`)
  }
}

/**
 * Redirects are followed here, because a key must not be forwarded and each
 * host must be an allowed one.
 */
async function followed(
  request: Request,
  known: Validator | null,
  userAgent: string,
  signal: AbortSignal,
) {
  const { url, isFile = false, mostRedirects = 1 } = request
  const accept = isFile ? 'text/csv, */*;q=0.1' : 'application/json'
  let from = url
  let secrets = request.secretHeaders
  for (let redirects = 0; ; redirects++) {
    const condition = conditionFor(from, known)
    const headers = {
      'user-agent': userAgent,
      accept,
      ...secrets,
      ...condition,
    }
    const answer = await fetchOnce(from, { headers, signal })
    if (answer.status === 304 && 'cache-control' in condition)
      throw new NotModified()
    const location =
      answer.status >= 300 && answer.status <= 399
        ? answer.headers.get('location')
        : null
    if (location === null) return { answer, from }
    await answer.body?.cancel()
    if (redirects === mostRedirects)
      throw new FetchFailure(
        `${from.host} redirects again; at most ${mostRedirects === 1 ? 'one redirect is' : `${mostRedirects} redirects are`} followed.`,
      )
    from = nextHop(request, location, from)
    secrets = {}
  }
}

/**
 * @param isFirst whether the source itself refused, not the host that it
 * redirects to.
 */
async function refusal(
  answer: Response,
  host: string,
  isFirst: boolean,
  manners: FetchManners,
) {
  const { status, headers } = answer
  const waitSeconds = retryAfterSeconds(headers.get('retry-after'), Date.now())
  const body = await readBytes(answer, LONGEST_REFUSAL_BYTES).then(
    String,
    () => '',
  )
  if ((status === 429 || status === 503) && waitSeconds !== null) {
    const reason = `${host} answered ${status} and asks for a wait of ${waitSeconds} s.`
    if (waitSeconds > manners.longestWaitSeconds)
      throw new FetchFailure(reason, waitSeconds)
    return { waitSeconds, reason }
  }
  if (EXPIRED.test(body))
    throw new FetchFailure(
      `${host} answered ${status}: the signed address of the file has expired.`,
    )
  const page = isWebPage(body, headers.get('content-type'))
    ? `, with a web page${titleOf(body)}`
    : ''
  throw new FetchFailure(
    `${host} answered ${status}${page}.${(isFirst && HINTS[status]) || ''}`,
    waitSeconds,
  )
}

const HINTS: Record<number, string> = {
  400: ' Check the columns, where and order.',
  401: ' The key is missing or wrong.',
  403: ' The key is wrong, or the source blocks this client. It is not tried again.',
  404: ' Check the address.',
  429: ' Too many requests.',
}

/**
 * Node's fetch hides the reason (ECONNREFUSED, a body that ends early) in the
 * cause.
 */
function causeOf(error: unknown) {
  const { cause, message } = error as Error
  const { code = '', message: detail } = (cause ?? {}) as NodeJS.ErrnoException
  return (
    (labels.network as Record<string, string>)[code] ??
    (detail || code || message)
  )
}

/**
 * Every form of an HTTP date begins with a weekday; `Date.parse` alone would
 * accept "-5".
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i

/**
 * The wait of a `Retry-After` header, in whole seconds from now. It holds a
 * number or a date (RFC 9110, section 10.2.3).
 */
export function retryAfterSeconds(
  header: string | null,
  nowMs: number,
): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(atMs)
    ? null
    : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}
