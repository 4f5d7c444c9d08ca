import { UnusableFile } from '../../domain/feeds/badRow.ts'

/** A source that did not give what it should: the load is refused, changes nothing and says why. */
export class FetchFailure extends UnusableFile {
  /** How long the source asks to be left alone, in seconds, when it says so. */
  readonly retryAfterSeconds: number | null

  constructor(reason: string, retryAfterSeconds: number | null = null) {
    super(reason)
    this.name = 'FetchFailure'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The day of the week that every form of an HTTP date begins with; `Date.parse` alone takes "-5" for a date too. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i

/** What a `Retry-After` header asks for, in whole seconds from now: a number, or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}
