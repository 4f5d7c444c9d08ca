import timeZones from '../../../data/time-zones.json' with { type: 'json' }
import { writtenValue } from '../../contract/text.ts'
import { DAY_MS } from '../durations.ts'
import { zonesByName } from './states.ts'

const RFC_3339 =
  /^\d{4}-\d{2}-\d{2}[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d$/

// Creating a formatter takes 30 µs, using it 2 µs.
// Why: operators who load large feeds, by the rows a second of `make bench ONLY=feedLoad`.
const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * The instant that a feed means, as RFC 3339 in UTC; null when the text is
 * neither an RFC 3339 date-time with an offset nor a real date, as people and
 * programs write it. A bare date is the first (`start`) or last (`end`) second
 * of that day in the IANA time zone.
 */
export function instantOf(text: string, edge: 'start' | 'end', zone: string) {
  const written = DATES.find(date => date.test(text))?.exec(text)?.groups
  if (written && written.hour === undefined)
    return zonedInstant(
      dateOf(written),
      edge === 'start' ? '00:00:00' : '23:59:59',
      zone,
    )
  if (!RFC_3339.test(text) || !isRealDay(text)) return null
  return isoOf(Date.parse(text.toUpperCase().replace(' ', 'T')))
}

/**
 * The instant at which the clocks of an IANA time zone show a time (18:00:00)
 * of a date (2026-10-28); null when one is not real.
 */
function zonedInstant(date: string, time: string, zone: string) {
  if (!TIME.test(time) || !isRealDay(date)) return null
  const wallClockMs = Date.parse(`${date}T${time.padStart(8, '0')}Z`)
  return isoOf(wallClockMs - offsetMs(zone, wallClockMs))
}

/** The years in which surplus has been sold, or may be soon. */
const [FIRST_YEAR, LAST_YEAR] = [1990, 2037]

/**
 * Whether a date is one that programs write for an unknown one, such as
 * 1900-01-01, 12/30/1899, 0001-01-01, 9999-12-31, or the number 0: no year in
 * it is one in which a lot can end.
 */
export function isUnknownDate(value: unknown): boolean {
  const text = writtenValue(value).trim()
  if (/^-?\d+(?:\.0+)?$/.test(text) && !/^\d{8}$|^1\d{9}$/.test(text))
    return !isYearOfSales(new Date(Number(text)).getUTCFullYear())
  const years = text.match(/(?<!\d)\d{4}(?=(?:\d{4})?(?!\d))/g) ?? []
  return years.length > 0 && !years.map(Number).some(isYearOfSales)
}

function isYearOfSales(year: number) {
  return year >= FIRST_YEAR && year <= LAST_YEAR
}

/** Whether this machine knows the IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

/** `Date` takes a day that a month does not have for one of the next month. */
function isRealDay(text: string) {
  return (
    new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() ===
    Number(text.slice(8, 10))
  )
}

/**
 * Milliseconds that a zone is ahead of UTC when its clocks show this time, by
 * the offsets of the day before and the day after. A time that comes twice when
 * clocks are put back is the first one; one that is left out when they are put
 * forward is as late after the change as it is after the hour before.
 *
 * Why no library: Luxon 3 takes the first or the second of two such times
 * depending on the season in which it runs; temporal-polyfill 1 agrees with
 * this but takes 24 ms and 4 MB of every process.
 */
function offsetMs(zone: string, wallClockMs: number) {
  const midnight = Math.floor(wallClockMs / DAY_MS) * DAY_MS
  const before = offsetAt(zone, midnight - DAY_MS)
  const after = offsetAt(zone, midnight + 2 * DAY_MS)
  if (before === after || offsetAt(zone, wallClockMs - before) === before)
    return before
  return offsetAt(zone, wallClockMs - after) === after ? after : before
}

function offsetAt(zone: string, instantMs: number) {
  const name = formatterOf(zone)
    .formatToParts(instantMs)
    .find(part => part.type === 'timeZoneName')?.value
  return -Date.parse(`1970-01-01T00:00:00${name?.slice('GMT'.length) || 'Z'}`)
}

function formatterOf(zone: string) {
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      timeZoneName: 'longOffset',
    })
  formatters.set(zone, formatter)
  return formatter
}

/** RFC 3339 has years of four digits only. */
function isoOf(instantMs: number) {
  const text = new Date(instantMs).toISOString()
  return /^[1-9]\d{3}-/.test(text) ? text.replace('.000Z', 'Z') : null
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const CLOCK =
  /(?:,?(?:\s+|T)(?:at\s+)?(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?(?:\s*(?<half>[ap])\.?m\.?)?(?:\s+\(?(?<named>[a-z]{2,9})\)?)?)?$/
/**
 * "Oct 28, 2026 12:00 PM"; "5/7/2026 3:00 PM" as the US writes it; "2026-05-07
 * 15:00", "2026/05/07"; "7-May-2026"; "20260507".
 */
const DATES = [
  /^(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*\.?,?\s+)?(?<month>[a-z]{3})[a-z]*\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})/,
  /^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})/,
  /^(?:[a-z]{6,9},?\s+)?(?<day>\d{1,2})[-\s](?<month>[a-z]{3})[a-z]*\.?,?[-\s](?<year>\d{4})/,
  /^(?<year>(?:19|20)\d{2})(?<month>\d{2})(?<day>\d{2})/,
].map(date => new RegExp(date.source + CLOCK.source, 'i'))
/**
 * Milliseconds since 1970, as map servers write them: September 2001 to
 * November 2286.
 */
const EPOCH_MS = /^1?\d{12}$/

/**
 * US names of zones; a stated zone can differ from the zone of the sale's
 * location.
 */
const ZONE_BY_NAME = zonesByName(timeZones.names)

/**
 * The instant of a time as people and programs write it ("Oct 28, 2026 12:00
 * PM", "5/7/2026 3:00 PM", "2026-05-07 15:00", RFC 3339, epoch milliseconds) on
 * the clocks of an IANA time zone; without a time the last second of that day.
 * A zone named in the text ("3:00 PM CT") goes before the given one. Null for
 * anything else, and for dates that do not exist.
 */
export function instantOfWallClock(text: string, zone: string): string | null {
  const words = text
    .trim()
    .replace(/ noon\b/i, ' PM')
    .replace(
      /(?<![\d:])([01]\d|2[0-3]):?([0-5]\d) ?(?:hrs?\.?|hours)(?!\w)/i,
      '$1:$2',
    )
    .replace(/(?<![:\d])(\d{1,2})(?= ?[ap]\.?m\b)/i, '$1:00')
  if (EPOCH_MS.test(words)) return isoOf(Number(words))
  const written = DATES.find(date => date.test(words))?.exec(words)?.groups
  if (!written) return instantOf(words, 'end', zone)
  const { named } = written
  const time = timeOf(written)
  const zoneStated =
    named === undefined ? zone : ZONE_BY_NAME.get(named.toLowerCase())
  return time === null || zoneStated === undefined
    ? null
    : zonedInstant(dateOf(written), time, zoneStated)
}

/** The parts of a date as 2026-10-28, which need not be real. */
function dateOf({ year, month, day }: Partial<Record<string, string>>) {
  const number = MONTHS.indexOf(month!.toLowerCase()) + 1 || Number(month)
  return `${year}-${String(number).padStart(2, '0')}-${day!.padStart(2, '0')}`
}

/**
 * The day that begins at this moment by the clocks of UTC or of the zone, as
 * 2026-10-28; null at any other time of day.
 */
export function dayBeginningAt(ms: number, zone: string): string | null {
  const localMs = ms % DAY_MS === 0 ? ms : ms + offsetAt(zone, ms)
  return localMs % DAY_MS === 0
    ? new Date(localMs).toISOString().slice(0, 10)
    : null
}

/**
 * A time on 24 hours; the end of the day where none is written. With "am" or
 * "pm" the hour is one of 12.
 */
function timeOf({
  hour,
  minute,
  second = '00',
  half,
}: Partial<Record<string, string>>) {
  if (hour === undefined) return '23:59:59'
  if (half === undefined) return `${hour}:${minute}:${second}`
  if (Number(hour) < 1 || Number(hour) > 12) return null
  return `${(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}:${minute}:${second}`
}
