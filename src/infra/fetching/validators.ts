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
