/**
 * The same request with other parameters, by its relation to the response (RFC
 * 8288).
 */
export interface QueryLink {
  relation: 'first' | 'prev' | 'next' | 'last' | 'related'
  query: Record<string, string>
}

/**
 * A body that PostgreSQL wrote as JSON. It is sent unchanged, and parsed only
 * when code needs its fields.
 */
export class RawJson<Body> {
  readonly text: string
  readonly links: QueryLink[]

  constructor(text: string, links: QueryLink[] = []) {
    this.text = text
    this.links = links
  }

  value(): Body {
    return JSON.parse(this.text)
  }
}

/** The contract's `maximum` of `page`. */
export const MAX_PAGE = 200

/**
 * A page of a list, with the count of all that match and links to the pages
 * around it.
 * @param rows a JSON array, as PostgreSQL wrote it.
 * @param more properties of the answer besides.
 */
export function pageJson<Body>(
  rows: string,
  { page, per_page, total }: { page: number; per_page: number; total: number },
  more: object = {},
): RawJson<Body> {
  const total_pages = Math.ceil(total / per_page)
  const rest = JSON.stringify({ page, per_page, total, total_pages, ...more })
  const last = Math.max(1, Math.min(total_pages, MAX_PAGE))
  /** 0: there is none. */
  const pages = {
    first: 1,
    prev: Math.min(page - 1, last),
    next: page < last ? page + 1 : 0,
    last,
  }
  const links = Object.entries(pages).flatMap(([relation, number]) =>
    number > 0
      ? ({ relation, query: { page: String(number) } } as QueryLink)
      : [],
  )
  return new RawJson(`{"data":${rows},${rest.slice(1)}`, links)
}
