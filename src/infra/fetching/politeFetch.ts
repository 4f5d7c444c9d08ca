import { setTimeout as wait } from 'node:timers/promises'
import { FetchFailure, isWebPage, parseJson, readText, titleOf } from './jsonBody.ts'

/** How every source is fetched. */
export interface FetchManners {
  /** Names the service and how to reach its operator. */
  userAgent: string
  /** For one answer, redirect and body included. */
  timeoutMs: number
  /** The largest body that is read. */
  mostBytes: number
  /** A `Retry-After` up to this is waited for once; a longer one is reported. */
  longestWaitSeconds: number
  /** Between the pages of one series. */
  pauseMs: number
}

interface Request {
  address: URL
  /** Sent to the host of `address` alone: a key in here never follows a redirect. */
  secretHeaders?: Record<string, string>
  /** Other hosts that the source may redirect to. */
  redirectHosts: readonly string[]
}

export type FetchJson = (request: Request) => Promise<unknown>

/** An expired signature of a file in S3: status 403, and these words in an XML body. */
const EXPIRED = /Request has expired|<Code>ExpiredToken<\/Code>|Signature expired/i
const LONGEST_REFUSAL_BYTES = 65_536

/**
 * The one way to fetch JSON from a source. Retries only an answer with a short `Retry-After`, once.
 * @param stop aborts the request; its reason is then thrown.
 * @throws FetchFailure when the source does not answer with JSON; the reason never holds a key or a signed address.
 */
export function politeFetch(manners: FetchManners, stop?: AbortSignal): FetchJson {
  return async request => {
    const first = await get(request, manners, stop)
    if (!('waitSeconds' in first)) return first.json
    // "0" does not permit two requests within a second.
    await wait(Math.max(1, first.waitSeconds) * 1000, undefined, stop && { signal: stop }).catch(() => {})
    const second = await get(request, manners, stop)
    if (!('waitSeconds' in second)) return second.json
    throw new FetchFailure(`${first.reason} It answered the same after the wait.`, second.waitSeconds)
  }
}

type Answer = { json: unknown } | { waitSeconds: number; reason: string }

async function get(request: Request, manners: FetchManners, stop?: AbortSignal): Promise<Answer> {
  stop?.throwIfAborted()
  const timeout = AbortSignal.timeout(manners.timeoutMs)
  const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
  try {
    const { answer, host } = await followed(request, manners, signal)
    if (answer.ok) {
      const text = await readText(answer, manners.mostBytes)
      return { json: parseJson(text, answer.headers.get('content-type')) }
    }
    return await refusal(answer, { host, wasRedirected: host !== request.address.host }, manners)
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    stop?.throwIfAborted()
    if (timeout.aborted)
      throw new FetchFailure(`${request.address.host} took longer than ${manners.timeoutMs / 1000} s.`)
    throw new FetchFailure(`${request.address.host} cannot be read: ${causeOf(error)}.`)
  }
}

/** One redirect is followed, here, because a key must not be forwarded and the host must be an allowed one. */
async function followed(
  { address, secretHeaders = {}, redirectHosts }: Request,
  { userAgent }: FetchManners,
  signal: AbortSignal,
): Promise<{ answer: Response; host: string }> {
  const headers = { 'user-agent': userAgent, accept: 'application/json' }
  const first = await fetch(address, {
    headers: { ...headers, ...secretHeaders },
    redirect: 'manual',
    signal,
  })
  const location = redirectOf(first)
  if (location === null) return { answer: first, host: address.host }
  await first.body?.cancel()
  const secrets = secretsOf(address, secretHeaders)
  const url = nextHop(address, location, { allowed: redirectHosts, secrets })
  const answer = await fetch(url, { headers, redirect: 'manual', signal })
  if (redirectOf(answer) === null) return { answer, host: url.host }
  await answer.body?.cancel()
  throw new FetchFailure(`${url.host} redirects again; at most one redirect is followed.`)
}

function redirectOf({ status, headers }: Response): string | null {
  return status >= 300 && status <= 399 ? headers.get('location') : null
}

/** The secret headers, and a key that the operator wrote into the address. */
function secretsOf(address: URL, headers: Record<string, string>): string[] {
  const inAddress = [...address.searchParams].filter(([name]) => /key|token|secret/i.test(name))
  return [...Object.values(headers), ...inAddress.map(([, value]) => value)].filter(secret => secret !== '')
}

async function refusal(
  answer: Response,
  { host, wasRedirected }: { host: string; wasRedirected: boolean },
  manners: FetchManners,
): Promise<Answer> {
  const { status, headers } = answer
  const waitSeconds = retryAfterSeconds(headers.get('retry-after'), Date.now())
  const body = await readText(answer, LONGEST_REFUSAL_BYTES).catch(() => '')
  if ((status === 429 || status === 503) && waitSeconds !== null) {
    const reason = `${host} answered ${status} and asks for a wait of ${waitSeconds} s.`
    if (waitSeconds > manners.longestWaitSeconds) throw new FetchFailure(reason, waitSeconds)
    return { waitSeconds, reason }
  }
  if (EXPIRED.test(body))
    throw new FetchFailure(`${host} answered ${status}: the signed address of the file has expired.`)
  const page = isWebPage(body, headers.get('content-type')) ? `, with a web page${titleOf(body)}` : ''
  const hint = wasRedirected ? undefined : HINTS[status]
  throw new FetchFailure(`${host} answered ${status}${page}.${hint ?? ''}`, waitSeconds)
}

const HINTS: Record<number, string> = {
  401: ' The key is missing or wrong.',
  403: ' The key is wrong, or the source blocks this client. It is not tried again.',
  429: ' Too many requests.',
}

/** Node's fetch hides the reason (ECONNREFUSED, a body that ends early) in the cause. */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error
  if (!(cause instanceof Error)) return message
  const code = 'code' in cause ? String(cause.code) : null
  return code === 'UND_ERR_SOCKET'
    ? 'the connection ended before the answer did'
    : cause.message || code || message
}

/** Every form of an HTTP date begins with a weekday; `Date.parse` alone would accept "-5". */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i

/** The wait of a `Retry-After` header, in whole seconds from now. It holds a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}

/**
 * The address of a redirect. A key that the source repeats in it is not sent to another host: the value of a parameter is
 * removed, and anywhere else the redirect is refused.
 * @throws FetchFailure when the redirect is refused; the reason names only hosts.
 */
function nextHop(
  from: URL,
  location: string,
  { allowed, secrets }: { allowed: readonly string[]; secrets: readonly string[] },
): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to === null || !mayRedirect(from, to, allowed)) {
    throw new FetchFailure(
      `${from.host} redirects to ${to?.host ?? 'an invalid address'}, which is not among the hosts allowed for it.`,
    )
  }
  if (to.host === from.host) return to
  for (const [name, value] of [...to.searchParams]) {
    if (secrets.includes(value)) to.searchParams.delete(name)
  }
  if (secrets.some(secret => holds(to, secret)))
    throw new FetchFailure(`${from.host} redirects to ${to.host} with our key in the address.`)
  return to
}

/**
 * Whether a redirect is allowed: to the source's own host, or to one that the operator allows. Never from https to http, and never
 * to an address with a password.
 * @param allowed host names, each with a port where only that one is meant; `*.example.com` is any host below it.
 */
export function mayRedirect(from: URL, to: URL, allowed: readonly string[]): boolean {
  if (!/^https?:$/.test(to.protocol) || (from.protocol === 'https:' && to.protocol !== 'https:')) return false
  if (to.username !== '' || to.password !== '') return false
  return to.host === from.host || allowed.some(pattern => isNamedBy(pattern.toLowerCase(), to))
}

function isNamedBy(pattern: string, { host, hostname }: URL): boolean {
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1))
  return pattern === hostname || pattern === host
}

/** As a whole word of the path or the query, plain or percent-encoded. */
function holds({ pathname, search }: URL, secret: string): boolean {
  const word = new RegExp(`(?<![\\w-])${secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`)
  return [pathname + search, decoded(pathname + search)].some(text => word.test(text))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
