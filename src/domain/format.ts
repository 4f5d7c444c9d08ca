/** Numbers and amounts in the words of people, US English: the one place for every page, message and text of a tool. */

// Made once: `toLocaleString` makes a formatter at every call.
const NUMBER = new Intl.NumberFormat('en-US')
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const WHOLE_DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
})

/** 1234 as "1,234". */
export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** A number and its noun: "1 bid", "1,234 bids". @param many the plural, where it is not the noun and an s. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}

/** US cents as dollars and cents: 412500 as "$4,125.00". */
export function dollars(cents: number): string {
  return DOLLARS.format(cents / 100)
}

/** US cents as dollars, rounded to whole ones: 412550 as "$4,126". */
export function wholeDollars(cents: number): string {
  return WHOLE_DOLLARS.format(cents / 100)
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A span of time in its two largest units: "2 days 4 h", "3 h 12 min", "less than a minute". */
export function span(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS)
  const hours = Math.floor((milliseconds % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((milliseconds % HOUR_MS) / MINUTE_MS)
  if (days > 0) return hours > 0 ? `${count(days, 'day')} ${hours} h` : count(days, 'day')
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min` : 'less than a minute'
}

/**
 * What is left of a long piece of work at the pace so far: ", about 40 s left". Empty when it is done.
 * @param elapsedMs since the work began.
 */
export function workLeft(done: number, total: number, elapsedMs: number): string {
  if (done <= 0 || done >= total) return ''
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000)
  return `, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left`
}

/** The least of these factors times a power of ten that is not below the number (more than 0). */
export function niceAbove(number: number, factors: number[]): number {
  const power = 10 ** Math.floor(Math.log10(number))
  return power * (factors.find(factor => power * factor >= number) ?? 10)
}
