import { FetchFailure, type Reading } from './jsonBody.ts'

/** What one hop of a fetch answered: what a later request can refer to. */
export interface Hop {
  /** Host and path: a query may hold a key or a signature. */
  address: string
  etag: string | null
  last_modified: string | null
  is_redirect: boolean
  /** When it answered so, RFC 3339. */
  at: string
}

/** The hops of the last good fetch, and those of this one, which `politeFetch` adds. */
export interface HopMemory {
  known: readonly Hop[]
  seen: Hop[]
  /** The moment of this fetch. */
  now: Date
}

/** The source has nothing newer than what was loaded last. */
export class NotModified extends Error {}

/**
 * The headers that ask for a newer version only; none for an address without a usable validator. A strong ETag comes first, then the
 * `Last-Modified`: a weak ETag may stand for several contents (RFC 9110, section 8.8.1).
 */
function conditionFor(url: URL, known: readonly Hop[]): Record<string, string> {
  const hop = known.findLast(({ address }) => address === addressOf(url))
  const condition: Record<string, string> = {}
  if (hop?.etag?.startsWith('"')) condition['if-none-match'] = hop.etag
  else if (hop?.last_modified) condition['if-modified-since'] = hop.last_modified
  else return {}
  // Node's fetch would add `no-cache`, for which many servers ignore the condition.
  return { ...condition, 'cache-control': 'max-age=0' }
}

/** @param at the moment of the fetch. */
function hopOf(url: URL, { status, headers }: Response, at: Date): Hop {
  const modified = headers.get('last-modified')
  return {
    address: addressOf(url),
    etag: headers.get('etag'),
    // A file that was written in this very second may be written again in it (RFC 9110, section 8.8.2.2).
    last_modified: modified === headers.get('date') ? null : modified,
    is_redirect: status >= 300,
    at: at.toISOString(),
  }
}

function addressOf({ host, pathname }: URL): string {
  return host + pathname
}

/** A request that was counted before it is made; `end` corrects the count once its body is read. */
export interface CountedCall {
  /** How many bytes the budget has left. */
  mostBytes: number
  /** @param rateLimit the `X-RateLimit-Limit` of the answer. */
  end(bytes: number, rateLimit: number | null): Promise<void>
}

/** The rest of what a fetch works with. */
export interface FetchContext {
  /** Aborts the request; its reason is then thrown. */
  stop?: AbortSignal
  /** Counts a request. @throws FetchFailure when none may be made. */
  count?: () => Promise<CountedCall>
  hops?: HopMemory
}

export type FetchHop = (url: URL, secretHeaders?: Record<string, string>) => Promise<Response>

/** The hops of one fetch: each is counted before its request is made, and asks only for what is newer than the known hop. */
export function startWalk({ count, hops }: FetchContext, mostBytes: number, init: RequestInit) {
  let rateLimit: number | null = null
  let call: CountedCall | undefined
  let reading: Reading = { bytes: 0, mostBytes }
  const end = async () => {
    const ended = call
    call = undefined
    await ended?.end(reading.bytes, rateLimit)
  }
  const fetchHop: FetchHop = async (url, secretHeaders) => {
    await end()
    call = await count?.()
    reading = { bytes: 0, mostBytes: Math.min(mostBytes, call?.mostBytes ?? mostBytes) }
    const condition = hops ? conditionFor(url, hops.known) : {}
    const answer = await fetch(url, { ...init, headers: { ...init.headers, ...secretHeaders, ...condition } })
    const limit = answer.headers.get('x-ratelimit-limit') ?? ''
    rateLimit = /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : null
    if (answer.status === 304 && Object.keys(condition).length > 0) throw new NotModified()
    if (answer.status < 400) hops?.seen.push(hopOf(url, answer, hops.now))
    return answer
  }
  /** `reading` is that of the last hop, `end` corrects its count. */
  return { fetch: fetchHop, reading: () => reading, end }
}

/** The address that an answer redirects to, as the source wrote it; null for another answer. */
export function redirectOf({ status, headers }: Response): string | null {
  return status >= 300 && status <= 399 && status !== 304 ? headers.get('location') : null
}

/** The secret headers, and a key that the operator wrote into the address. */
export function secretsOf(address: URL, headers: Record<string, string>): string[] {
  const inAddress = [...address.searchParams].filter(([name]) => /key|token|secret/i.test(name))
  return [...Object.values(headers), ...inAddress.map(([, value]) => value)].filter(secret => secret !== '')
}

/**
 * The address of a redirect. A key that the source repeats in it is not sent to another host: the value of a parameter is
 * removed, and anywhere else the redirect is refused.
 * @throws FetchFailure when the redirect is refused; the reason names only hosts.
 */
export function nextHop(
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
