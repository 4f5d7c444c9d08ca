/** What a source said of the version of its content: a later request asks for a newer one only. */
export interface Validator {
  /** Host and path: a query may hold a key or a signature. */
  address: string
  etag: string | null
  last_modified: string | null
}

/** The source has nothing newer than what was loaded last. */
export class NotModified extends Error {}

/**
 * The headers that ask for a newer version only; none without a usable validator of this address. A strong ETag comes first, then the
 * `Last-Modified`: a weak ETag may stand for several contents (RFC 9110, section 8.8.1).
 */
export function conditionFor(url: URL, known: Validator | null): Record<string, string> {
  if (known?.address !== addressOf(url)) return {}
  // Node's fetch would add `no-cache`, for which many servers ignore the condition.
  const fresh = { 'cache-control': 'max-age=0' }
  if (known.etag?.startsWith('"')) return { ...fresh, 'if-none-match': known.etag }
  return known.last_modified ? { ...fresh, 'if-modified-since': known.last_modified } : {}
}

export function validatorOf(url: URL, { headers }: Response): Validator {
  const modified = headers.get('last-modified')
  return {
    address: addressOf(url),
    etag: headers.get('etag'),
    // A file that was written in this very second may be written again in it (RFC 9110, section 8.8.2.2).
    last_modified: modified === headers.get('date') ? null : modified,
  }
}

function addressOf({ host, pathname }: URL): string {
  return host + pathname
}
