import { UnusableFile } from '../../domain/feeds/badRow.ts'

/** A source that did not return usable data: the load is refused with this reason and changes nothing. */
export class FetchFailure extends UnusableFile {
  /** The `Retry-After` of the source, in seconds. */
  readonly retryAfterSeconds: number | null

  constructor(reason: string, retryAfterSeconds: number | null = null) {
    super(reason)
    this.name = 'FetchFailure'
    this.retryAfterSeconds = retryAfterSeconds
  }
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
