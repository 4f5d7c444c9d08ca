import labels from '../../../data/labels.json' with { type: 'json' }
import { HOUR_MS, MINUTE_MS } from '../durations.ts'

/** How often a source is fetched. */
export interface SweepPlan {
  intervalMs: number
  /**
   * The shorter interval while a lot of the source is about to end, and how
   * long before the end that begins. Null: none.
   */
  closing: { intervalMs: number; windowMs: number } | null
  /**
   * The shortest gap between two fetches that the source permits, whatever else
   * is set.
   */
  leastGapMs: number
}

/** What is known of a source when its next sweep is planned. */
export interface SweepHistory {
  /**
   * When it was last fetched, by any process and with any outcome; null when
   * never.
   */
  lastAttemptAt: Date | null
  /** Attempts without a good end since the last good one. */
  failures: number
  /** End of the wait that the source requested (`Retry-After`). */
  waitUntil: Date | null
  /** The next end of one of its open lots. */
  nextEndAt: Date | null
  /** Why the last attempt that ended failed; null where it did not. */
  fault: string | null
}

/** Such an attempt cost the source no call, so its least gap does not count. */
const { ECONNREFUSED, ENOTFOUND, EHOSTUNREACH, ENETUNREACH } = labels.network
const NOT_REACHED = [ECONNREFUSED, ENOTFOUND, EHOSTUNREACH, ENETUNREACH].map(
  cause => `unreachable (${cause})`,
)

const FIRST_RETRY_MS = 5 * MINUTE_MS
const LONGEST_RETRY_MS = 6 * HOUR_MS

/**
 * When a source is due: one interval after its last fetch, or the shorter
 * interval while one of its lots is about to end. After failures: 5 minutes
 * later (or one interval, where that is shorter), twice as long each time, at
 * most 6 hours. Never closer than the least gap, except after an attempt that
 * reached no host, and never before the end of a `Retry-After`.
 */
export function nextSweepAt(
  plan: SweepPlan,
  history: SweepHistory,
  now: Date,
): Date {
  const { lastAttemptAt, failures, waitUntil, nextEndAt, fault } = history
  if (lastAttemptAt === null) return latest(now, waitUntil)
  const retryMs = Math.min(
    LONGEST_RETRY_MS,
    Math.min(FIRST_RETRY_MS, plan.intervalMs) * 2 ** (failures - 1),
  )
  const wantedMs =
    failures > 0 ? retryMs : intervalMs(plan, lastAttemptAt, nextEndAt)
  const leastMs = NOT_REACHED.some(cause => fault?.includes(cause))
    ? wantedMs
    : Math.max(wantedMs, plan.leastGapMs)
  return latest(new Date(lastAttemptAt.getTime() + leastMs), waitUntil)
}

/** At the latest when the last hours of the next lot begin. */
function intervalMs(
  { intervalMs: calm, closing }: SweepPlan,
  lastAttemptAt: Date,
  nextEndAt: Date | null,
) {
  if (closing === null || nextEndAt === null) return calm
  const untilClosing =
    nextEndAt.getTime() - closing.windowMs - lastAttemptAt.getTime()
  return Math.min(calm, Math.max(closing.intervalMs, untilClosing))
}

function latest(moment: Date, other: Date | null) {
  return other !== null && other > moment ? other : moment
}
