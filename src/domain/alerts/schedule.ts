// When alerts are matched, sent and deleted. SQL decides two more: the time of
// a mail (function next_mail_at: cadence, digest hour, quiet hours) and when an
// endpoint that fails gets a mail and is disabled (function settle_delivery).

/**
 * How often lots are matched that only time changed: those that begin, and
 * those whose last hours begin.
 */
export const CLOCK_SECONDS = 15
/** When the last hours of a lot begin, for a search that names no hours. */
export const ENDING_HOURS = 24
/** Of a watched lot, whose last hour is mailed at once on each plan. */
export const ENDING_HOURS_OF_WATCHED = 1

/**
 * Longer than an attempt may take: a delivery without a result is due again
 * then, because its process died.
 */
export const LEASE_SECONDS = 30
/**
 * The waits before each attempt, in seconds: at once, 5 s, 30 s, 2 min, 5 min,
 * 30 min, 2, 5, 10, 14, 20 and 24 h; 75 h in sum.
 */
const WAITS = [
  0, 5, 30, 120, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
]
/**
 * Receivers that were away at the same time are not all called at the same
 * moment.
 */
const JITTER = 0.1
const LONGEST_RETRY_AFTER = 86_400

// In hours, because a day of PostgreSQL has 23 or 25 hours when clocks change.
/** How long the previous secret of an endpoint also signs. */
export const SECRET_OVERLAP = '24 hours'
/** How long messages and their attempts are kept: 30 days. */
export const LOG_KEPT = '720 hours'
/** How long matches are kept: 90 days, as long as changes. */
export const MATCHES_KEPT = '2160 hours'

/**
 * The seconds until the next attempt; null when there is none.
 * @param failures how many attempts have failed.
 * @param retryAfter the `Retry-After` of the last answer, in seconds: never
 * earlier, but at most 24 h are kept.
 * @param random a number from 0 to 1.
 */
export function nextWait(
  failures: number,
  retryAfter: number | null,
  random: number,
): number | null {
  const wait = WAITS[failures]
  if (wait === undefined) return null
  return Math.max(
    wait * (1 + JITTER * (2 * random - 1)),
    Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER),
  )
}
