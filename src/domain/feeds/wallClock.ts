import { instantOf, zonedInstant } from './moments.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const SPOKEN =
  /^([a-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})(?:,?\s+(?:at\s+)?(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap])\.?m\.?)?$/i

/**
 * The instant of a time as people write it ("Oct 28, 2026 12:00 PM") on the clocks of an IANA time zone; without a time
 * the last second of that day. Dates as 2026-10-28 and RFC 3339 are understood too. Null for anything else.
 */
export function instantOfWallClock(text: string, zone: string): string | null {
  const [, month = '', day = '', year = '', hour, minute = '', half = ''] = SPOKEN.exec(text.trim()) ?? []
  if (year === '') return instantOf(text.trim(), 'end', zone)
  const number = MONTHS.indexOf(month.toLowerCase()) + 1
  const date = `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (hour === undefined) return zonedInstant(date, [23, 59, 59], zone)
  if (Number(hour) < 1 || Number(hour) > 12) return null
  return zonedInstant(
    date,
    [(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0), Number(minute), 0],
    zone,
  )
}
