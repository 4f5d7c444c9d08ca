const HOUR_MS = 3_600_000
const CENTRAL = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Chicago',
  dateStyle: 'short',
  timeStyle: 'medium',
})

/** The last second of the day of US Central time in which a moment is, in ms since 1970. */
export function lastSecondOfDay(ms: number): number {
  const lastSecond = `${CENTRAL.format(ms).slice(0, 10)} 23:59:59`
  const asUtc = Date.parse(`${lastSecond}Z`)
  return [5, 6].map(hours => asUtc + hours * HOUR_MS).find(at => CENTRAL.format(at) === lastSecond)!
}

/**
 * The day (2031-10-29) that ends with this second in US Central time; null for any other moment.
 */
export function dayEndingAt(ms: number): string | null {
  const [day = '', clock] = CENTRAL.format(ms).split(' ')
  return clock === '23:59:59' ? day : null
}
