import { writtenValue } from '../../contract/text.ts'
import { DAY_MS } from '../durations.ts'
import { count, formatDate } from '../format.ts'

/**
 * A list that its publisher has not changed for longer may name what is gone.
 */
const OLD_DAYS = 90
/** Before, nobody published tables on the web. */
const FIRST_MS = Date.UTC(1995)

/**
 * When a publisher changed its data, RFC 3339 in UTC, from what portals and
 * servers write: seconds or milliseconds since 1970, a date of HTTP, or RFC
 * 3339, which CKAN writes in UTC without an offset. Null for anything else, and
 * for a day that is still to come.
 */
export function publisherChange(written: unknown, now: Date): string | null {
  const words = writtenValue(written)
  if (!/^\d{10}(?:\d{3})?$|^\d{4}-\d\d-\d\d|GMT$/.test(words)) return null
  const ms = /\D/.test(words)
    ? Date.parse(words.replace(/T[\d:.]+$/, '$&Z'))
    : Number(words.padEnd(13, '0'))
  return ms >= FIRST_MS && ms <= now.getTime() + DAY_MS
    ? new Date(ms).toISOString()
    : null
}

/** A change of a publisher in words. */
interface ChangeInWords {
  /** A sentence: "The publisher changed it last on Mar 3, 2026." */
  words: string
  /** Whether it is so long ago that what it lists may be gone. */
  isOld: boolean
}

/**
 * What to know of the day on which a publisher changed its data last; null
 * where it is not known.
 */
export function changeInWords(
  changed_at: string | null,
  now: Date,
): ChangeInWords | null {
  if (changed_at === null) return null
  const days = Math.floor((now.getTime() - Date.parse(changed_at)) / DAY_MS)
  const isOld = days > OLD_DAYS
  const ago = isOld ? `, ${count(days, 'day')} ago: it may be out of date` : ''
  return {
    words: `The publisher changed it last on ${formatDate(changed_at)}${ago}.`,
    isOld,
  }
}
