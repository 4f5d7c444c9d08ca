import type { Reading } from './jsonBody.ts'

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
export function conditionFor(url: URL, known: readonly Hop[]): Record<string, string> {
  const hop = known.findLast(({ address }) => address === addressOf(url))
  const condition: Record<string, string> = {}
  if (hop?.etag?.startsWith('"')) condition['if-none-match'] = hop.etag
  else if (hop?.last_modified) condition['if-modified-since'] = hop.last_modified
  else return {}
  // Node's fetch would add `no-cache`, for which many servers ignore the condition.
  return { ...condition, 'cache-control': 'max-age=0' }
}

/** @param at the moment of the fetch. */
export function hopOf(url: URL, { status, headers }: Response, at: Date): Hop {
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
