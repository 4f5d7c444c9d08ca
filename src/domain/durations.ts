export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** Of 24 hours: a day of a calendar has 23 or 25 when clocks change. */
export const DAY_MS = 24 * HOUR_MS
/**
 * Sales of so many days before a moment are comparables, and count in
 * statistics.
 */
export const WINDOW_DAYS = 365
