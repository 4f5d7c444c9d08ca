import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

/**
 * Numbers, amounts and moments for people, in US English, for every page,
 * message and tool.
 */

// Made once: `toLocaleString` makes a formatter at every call.
const NUMBER = new Intl.NumberFormat('en-US')
const inDollars = (options: Intl.NumberFormatOptions = {}) => {
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    ...options,
  })
  return (cents: number) => format.format(cents / 100)
}

/** US cents as dollars and cents: 412500 as "$4,125.00". */
export const dollars = inDollars()
/** US cents as dollars, rounded to whole ones: 412550 as "$4,126". */
export const wholeDollars = inDollars({ maximumFractionDigits: 0 })
/** US cents for a label that has little room: 1245000 as "$12K". */
export const compactDollars = inDollars({ notation: 'compact' })

/** 1234 as "1,234". */
export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** A number and its noun: "1 bid", "1,234 bids". */
export function count(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** A price: "$4,125"; with cents where it has any. */
export function shortDollars(cents: number): string {
  return cents % 100 === 0 ? wholeDollars(cents) : dollars(cents)
}

/** A limit that a buyer's costs allow: whole dollars, rounded down. */
export function dollarsDown(cents: number): string {
  return wholeDollars(cents - (cents % 100))
}

/** A rounded price: whole dollars, with cents only below $10. */
export function roundedDollars(cents: number): string {
  return cents < 1_000 ? shortDollars(cents) : wholeDollars(cents)
}

/** 12.5 as "12.5%"; null as a dash. */
export function formatPercent(percent: number | null): string {
  return percent === null ? '–' : `${formatNumber(percent)}%`
}

/** The parts of a day, and of a date, as formats of moments take them. */
export const DAY = { month: 'short', day: 'numeric' } as const
export const DATE = { year: 'numeric', ...DAY } as const
const TIME = {
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const

/**
 * A moment as clocks show it in a time zone: "Nov 23, 2026, 11:59 PM CST".
 * @param iso RFC 3339. @param timeZone an IANA name. @param parts instead of
 * the date, such as only its month and day.
 */
export function formatMoment(
  iso: string,
  timeZone = 'UTC',
  parts: Intl.DateTimeFormatOptions = DATE,
): string {
  // Newer tables of Unicode put a narrow space before AM and PM.
  return new Intl.DateTimeFormat('en-US', { ...parts, ...TIME, timeZone })
    .format(new Date(iso))
    .replaceAll('\u202f', ' ')
}

/**
 * The day of a moment: "Nov 23, 2026".
 * @param parts instead of the whole date.
 */
export function formatDate(
  moment: string | number,
  parts: Intl.DateTimeFormatOptions = DATE,
  timeZone = 'UTC',
): string {
  return new Intl.DateTimeFormat('en-US', { ...parts, timeZone }).format(
    new Date(moment),
  )
}

/**
 * A span of time in its two largest units: "2 days 4 h", "3 h 12 min", "less
 * than a minute".
 */
export function span(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS)
  const hours = Math.floor((milliseconds % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((milliseconds % HOUR_MS) / MINUTE_MS)
  if (days > 0)
    return hours > 0 ? `${count(days, 'day')} ${hours} h` : count(days, 'day')
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min` : 'less than a minute'
}

/** How long it is until a moment, in whole minutes: "5 min". */
export function waitUntil(moment: Date, now: Date): string {
  return span(
    Math.ceil((moment.getTime() - now.getTime()) / MINUTE_MS) * MINUTE_MS,
  )
}

/**
 * What is left of a long piece of work at the pace so far: ", about 40 s left".
 * Empty when it is done.
 * @param elapsedMs since the work began.
 */
export function workLeft(
  done: number,
  total: number,
  elapsedMs: number,
): string {
  if (done <= 0 || done >= total) return ''
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000)
  return `, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left`
}

/**
 * The least of these factors times a power of ten that is not below the number
 * (more than 0).
 */
export function niceAbove(number: number, factors: number[]): number {
  const power = 10 ** Math.floor(Math.log10(number))
  return power * (factors.find(factor => power * factor >= number) ?? 10)
}

/**
 * Why a fetch failed, without the host: "unreachable (connection refused)",
 * "HTTP 503".
 */
export function shortReason(reason: string): string {
  return reason
    .replace(/^\S+ is (?=unreachable)/, '')
    .replace(/^\S+ answered (?=\d{3})/, 'HTTP ')
    .replace(/\.$/, '')
}
