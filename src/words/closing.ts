import feeds from '../../data/feeds.json' with { type: 'json' }
import sources from '../../data/sources.json' with { type: 'json' }
import type { Listing } from '../contract/types.ts'
import { DAY_MS, HOUR_MS } from '../domain/durations.ts'
import { zoneAt } from '../domain/feeds/states.ts'
import { DATE, DAY, formatDate, formatMoment, span } from '../domain/format.ts'
import { isOver } from '../domain/listingState.ts'

type Closing = Pick<
  Listing,
  'source' | 'source_name' | 'zip' | 'state' | 'end_date' | 'end_precision'
>

/** By source; of some the zone is unknown, or that of each vendor. */
const ZONES = new Map(
  [...feeds, ...sources.map(({ key, tz }) => ({ key, zone: tz }))].flatMap(
    ({ key, zone }) => (zone?.includes('/') ? [[key, zone] as const] : []),
  ),
)
const HOURS = new Map(
  sources.flatMap(({ key, closing_hours }) =>
    closing_hours ? [[key, closing_hours]] : [],
  ),
)

/**
 * Where its source publishes only a day, when bidding closes on it: the
 * source's time zone, the local hours from and by which (24 is midnight), and
 * both in milliseconds since 1970. Null where it publishes the time. In SQL:
 * `earliest_close`.
 */
export function closingDayOf({
  source,
  zip,
  state,
  end_date,
  end_precision,
}: Closing) {
  if (end_date === null || end_precision !== 'day') return null
  const [fromHour = 10, byHour = 24] = HOURS.get(source) ?? []
  const zone = ZONES.get(source) ?? zoneAt({ zip, state })
  const midnight = Date.parse(end_date) + 1_000
  const earliest_ms = midnight - (24 - fromHour) * HOUR_MS
  return {
    zone,
    fromHour,
    byHour,
    earliest_ms,
    latest_ms: midnight - (24 - byHour) * HOUR_MS,
  }
}

/**
 * The day on which bidding closes (2026-11-24), where the source publishes no
 * time; else null.
 */
export function dayOfEnd(listing: Closing): string | null {
  const day = closingDayOf(listing)
  return (
    day &&
    new Intl.DateTimeFormat('en-CA', { timeZone: day.zone }).format(
      day.earliest_ms,
    )
  )
}

/**
 * When bidding closes, for people: "Tue, Nov 24, between 10 AM and 8 PM
 * Central"; a time in the zone. Null where no end is known.
 */
export function closesAt(listing: Closing, zone: string): string | null {
  const day = closingDayOf(listing)
  if (day === null)
    return listing.end_date && formatMoment(listing.end_date, zone)
  // "11/24/2026, Central Time"
  const named = formatDate(
    day.earliest_ms,
    { timeZoneName: 'longGeneric' },
    day.zone,
  )
  const name = named.replace(/^.*, | Time$/g, '')
  return `${dayIn(day.zone, day.earliest_ms)}, between ${hourOf(day.fromHour)} and ${hourOf(day.byHour)} ${name}`
}

/** The same as a sentence that says why there is no time. */
export function closesSentence(listing: Closing, zone: string): string {
  const at = closesAt(listing, zone)
  if (at === null) return ''
  if (listing.end_precision !== 'day') return `Ends ${at}.`
  return `Closes ${at}. ${listing.source_name} does not publish the hour.`
}

/**
 * The same without a last full stop where it is one fact among others, or how
 * the lot ended.
 */
export function endWords(listing: Listing, zone: string): string {
  return isOver(listing)
    ? `Status: ${listing.status}`
    : closesSentence(listing, zone).replace(/(?<! hour)\.$/, '')
}

/**
 * The time until bidding closes, or the day: "3 h 12 min left", "closes today",
 * "closes Thu, Nov 26".
 */
export function closesIn(listing: Closing, now: Date): string {
  if (listing.end_date === null) return 'No end date yet'
  const day = closingDayOf(listing)
  if (day === null)
    return `${span(Math.max(0, Date.parse(listing.end_date) - now.getTime()))} left`
  if (now.getTime() >= day.latest_ms) return 'Bidding has likely closed'
  const closing = dayIn(day.zone, day.earliest_ms)
  if (closing === dayIn(day.zone, now.getTime())) return 'closes today'
  return closing === dayIn(day.zone, now.getTime() + DAY_MS)
    ? 'closes tomorrow'
    : `closes ${closing}`
}

/**
 * When bidding opens, for people; only the day where the source publishes that.
 */
export function opensAt(listing: Closing, start_date: string): string {
  return (
    dayOfStart(listing, start_date) ??
    formatMoment(start_date, zoneAt(listing), { weekday: 'short', ...DATE })
  )
}

/** The same before it: "Opens in 3 h", "Opens Tue, Nov 24". */
export function opensIn(
  listing: Closing,
  start_date: string,
  now: Date,
): string {
  const day = dayOfStart(listing, start_date)
  return day
    ? `Opens ${day}`
    : `Opens in ${span(Date.parse(start_date) - now.getTime())}`
}

/**
 * The day of a start at the first second of a day in the zone of the source;
 * else null.
 */
function dayOfStart(listing: Closing, start_date: string) {
  const zone = ZONES.get(listing.source) ?? zoneAt(listing)
  const moment = Date.parse(start_date)
  const isDay =
    formatDate(moment, { timeStyle: 'medium', hourCycle: 'h23' }, zone) ===
    '00:00:00'
  return isDay ? dayIn(zone, moment) : null
}

/** "Tue, Nov 24" */
function dayIn(timeZone: string, moment: number) {
  return formatDate(moment, { weekday: 'short', ...DAY }, timeZone)
}

function hourOf(hour: number) {
  if (hour === 24) return 'midnight'
  return `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`
}
