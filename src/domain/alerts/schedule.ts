/** The waits before each attempt, in seconds: at once, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h; 75 h in sum. */
const WAITS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** Receivers that were away at the same time are not all called at the same moment. */
const JITTER = 0.1
const LONGEST_RETRY_AFTER = 86_400
/** How long messages and their attempts are kept: 30 days, in hours, because a day of PostgreSQL has 23 or 25 when clocks change. */
export const LOG_KEPT = '720 hours'

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
