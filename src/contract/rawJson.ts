/** The data version a response was read at, and the moment until which it stays correct. */
export interface CacheValidity {
  /** The data version. */
  version: number
  /** The database clock at the read, in milliseconds since 1970. */
  now_ms: number
  /** The next moment at which a lot begins or ends, in milliseconds since 1970. From then on the response may be wrong. */
  until_ms: number
}

interface RawJsonFacts {
  /** The position of a page; absent for a body that is not a page. */
  place?: { page: number; total_pages: number }
  /** The parameters of the request for what follows; absent where nothing does. */
  next?: Record<string, string>
  validity: CacheValidity
}

/** A body that PostgreSQL wrote as JSON. It is sent unchanged, and parsed only when code needs its fields. */
export class RawJson<Body> {
  readonly text: string
  readonly place: RawJsonFacts['place'] | null
  readonly next: RawJsonFacts['next'] | null
  readonly validity: CacheValidity
  /** For a search that finds nothing: the words in a spelling that finds something. */
  related: string | null = null

  constructor(text: string, { place, next, validity }: RawJsonFacts) {
    this.text = text
    this.place = place ?? null
    this.next = next ?? null
    this.validity = validity
  }

  value(): Body {
    return JSON.parse(this.text) as Body
  }
}

/**
 * A page of a list, with the count of all that match.
 * @param rows a JSON array, as PostgreSQL wrote it.
 */
export function pageJson<Body>(
  rows: string,
  { page, per_page, total }: { page: number; per_page: number; total: number },
  validity: CacheValidity,
): RawJson<Body> {
  const total_pages = Math.ceil(total / per_page)
  const rest = JSON.stringify({ page, per_page, total, total_pages })
  return new RawJson(`{"data":${rows},${rest.slice(1)}`, { place: { page, total_pages }, validity })
}
