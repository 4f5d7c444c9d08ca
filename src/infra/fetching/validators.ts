/** Asks for a newer version of the content of one URL only. */
export interface Validator {
  /** Host and path: a query may hold a key or a signature. */
  address: string
  headers: Record<string, string>
}

/** The source has nothing newer than what was loaded last. */
export class NotModified extends Error {}

/**
 * The headers that ask for a newer version only; none without a validator of
 * this address.
 */
export function conditionFor(url: URL, known: Validator | null) {
  return known?.address === url.host + url.pathname ? known.headers : {}
}

/**
 * How to ask for a newer version than this answer; null when it does not say. A
 * strong ETag comes first, then the `Last-Modified`: a weak ETag may stand for
 * several contents (RFC 9110, section 8.8.1).
 */
export function validatorOf(url: URL, { headers }: Response): Validator | null {
  const address = url.host + url.pathname
  const etag = headers.get('etag')
  const modified = headers.get('last-modified')
  // Node's fetch would add `no-cache`, for which many servers ignore the
  // condition.
  const fresh = { 'cache-control': 'max-age=0' }
  if (etag?.startsWith('"'))
    return { address, headers: { ...fresh, 'if-none-match': etag } }
  // A file that was written in this very second may be written again in it (RFC 9110, section
  // 8.8.2.2).
  if (modified === null || modified === headers.get('date')) return null
  return { address, headers: { ...fresh, 'if-modified-since': modified } }
}
