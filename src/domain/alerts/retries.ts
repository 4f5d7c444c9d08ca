const SECOND = 1
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The waits before each attempt, in seconds; 75 h in sum. */
const WAITS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Receivers that were away at the same time are not all called at the same moment. */
const JITTER = 0.1
const LONGEST_RETRY_AFTER = 24 * HOUR

/** How long an endpoint may fail before its owner gets a mail, and before it is disabled, in seconds. */
export const WARNED_AFTER = 24 * HOUR
export const DISABLED_AFTER = 5 * 24 * HOUR

/** How long deliveries and their attempts are kept, in seconds. */
export const LOG_KEPT = 30 * 24 * HOUR

/**
 * The seconds until the next attempt; null when there is none.
 * @param failures how many attempts have failed.
 * @param retryAfter the `Retry-After` of the last answer, in seconds: never earlier, but at most 24 h are kept.
 * @param random a number from 0 to 1.
 */
export function nextWait(failures: number, retryAfter: number | null, random: number): number | null {
  const wait = WAITS[failures]
  if (wait === undefined) return null
  return Math.max(wait * (1 + JITTER * (2 * random - 1)), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER))
}
