import { instantOf, isoOf, zonedInstant } from './moments.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK = String.raw`(?:,?(?:\s+|T)(?:at\s+)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([ap])\.?m\.?)?(?:\s+\(?([a-z]{2,4})\)?)?)?`
/** "Oct 28, 2026 12:00 PM", "Wednesday, 28 October 2026"; "5/7/2026 3:00 PM" as the US writes it; "2026-05-07 15:00". */
const SPOKEN = new RegExp(
  String.raw`^(?:[a-z]{3,9}day,?\s+)?([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${CLOCK}$`,
  'i',
)
const SLASHED = new RegExp(String.raw`^(\d{1,2})/(\d{1,2})/(\d{4})${CLOCK}$`, 'i')
const WRITTEN = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${CLOCK}$`, 'i')
/** Milliseconds since 1970, as map servers write them: September 2001 to November 2286. */
const EPOCH_MS = /^1?\d{12}$/

/** What Americans call their zones; where clocks stand may differ from the zone of the sale's place. */
const ZONE_BY_NAME = new Map(
  Object.entries({
    'America/New_York': 'et est edt',
    'America/Chicago': 'ct cst cdt',
    'America/Denver': 'mt mst mdt',
    'America/Los_Angeles': 'pt pst pdt',
    'America/Anchorage': 'akst akdt',
    'Pacific/Honolulu': 'hst',
    'America/Puerto_Rico': 'ast',
    'Pacific/Guam': 'chst',
    UTC: 'utc gmt',
  }).flatMap(([zone, names]) => names.split(' ').map(name => [name, zone] as const)),
)

/**
 * The instant of a time as people and programs write it ("Oct 28, 2026 12:00 PM", "5/7/2026 3:00 PM", "2026-05-07 15:00",
 * RFC 3339, epoch milliseconds) on the clocks of an IANA time zone; without a time the last second of that day. A zone
 * named in the text ("3:00 PM CT") goes before the given one. Null for anything else, and for dates that do not exist.
 */
export function instantOfWallClock(text: string, zone: string): string | null {
  const told = text.trim()
  if (EPOCH_MS.test(told)) return isoOf(Number(told))
  const [, month, day, year, ...clock] = SPOKEN.exec(told) ?? SLASHED.exec(told) ?? written(told)
  if (year === undefined) return instantOf(told, 'end', zone)
  const number = MONTHS.indexOf(month!.toLowerCase()) + 1 || Number(month)
  const date = `${year}-${String(number).padStart(2, '0')}-${day!.padStart(2, '0')}`
  const time = timeOf(clock)
  const named = clock[4]?.toLowerCase()
  const zoneTold = named === undefined ? zone : ZONE_BY_NAME.get(named)
  return time === null || zoneTold === undefined ? null : zonedInstant(date, time, zoneTold)
}

/** Year first, put into the order of the others. */
function written(text: string): (string | undefined)[] {
  const [whole, year, month, day, ...clock] = WRITTEN.exec(text) ?? []
  return year === undefined ? [] : [whole, month, day, year, ...clock]
}

/** Hours on 24 hours without a half of the day, on 12 with one. */
function timeOf([hour, minute = '', second = '0', half]: (string | undefined)[]):
  | [number, number, number]
  | null {
  if (hour === undefined) return [23, 59, 59]
  const time: [number, number, number] = [Number(hour), Number(minute), Number(second)]
  if (half === undefined) return time
  if (time[0] < 1 || time[0] > 12) return null
  time[0] = (time[0] % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return time
}
