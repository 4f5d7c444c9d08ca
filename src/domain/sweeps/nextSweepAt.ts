/** How often a source may and should be fetched. */
export interface SweepPlan {
  /** Between two sweeps while no lot is about to end. */
  intervalMs: number
  /** While a lot of the source is about to end: the interval, and how long before the end that begins. Null: never. */
  closing: { intervalMs: number; windowMs: number } | null
  /** The shortest gap between two sweeps that the source permits, whatever else is set. */
  leastGapMs: number
}

/** What is known of a source when its next sweep is planned. */
export interface SweepHistory {
  /** When it was last fetched, by any process and with any outcome; null when never. */
  lastAttemptAt: Date | null
  /** Attempts without a good end since the last good one. */
  failures: number
  /** Until when the source asked for no requests (`Retry-After`). */
  waitUntil: Date | null
  /** The next end of one of its open lots. */
  nextEndAt: Date | null
}

const FIRST_RETRY_MS = 5 * 60_000
const LONGEST_RETRY_MS = 6 * 3_600_000
/** Of the delay, at most: so that many installations do not fetch in the same second. */
const JITTER_SHARE = 0.05

/**
 * When a source is due. Never before it: at once. After a good sweep: one interval later, or sooner when a lot ends
 * soon. After failures: 5 minutes later (or one interval, where that is shorter), twice as long each time, at most 6
 * hours. Never closer than the least gap, and never before the end of a `Retry-After`.
 * @param jitter from 0 (none) to 1 (5 % of the delay more).
 */
export function nextSweepAt(
  plan: SweepPlan,
  history: SweepHistory,
  { now, jitter }: { now: Date; jitter: number },
): Date {
  const { lastAttemptAt, failures, waitUntil } = history
  if (lastAttemptAt === null) return latest(now, waitUntil)
  const wanted = failures > 0 ? retryMs(plan, failures) : intervalMs(plan, lastAttemptAt, history.nextEndAt)
  const delay = Math.max(wanted, plan.leastGapMs) * (1 + JITTER_SHARE * jitter)
  return latest(new Date(lastAttemptAt.getTime() + Math.round(delay)), waitUntil)
}

/** Up to the moment at which the last hours of the next lot begin, and in them by the shorter interval. */
function intervalMs({ intervalMs: calm, closing }: SweepPlan, lastAttemptAt: Date, nextEndAt: Date | null) {
  if (closing === null || nextEndAt === null) return calm
  const untilClosing = nextEndAt.getTime() - closing.windowMs - lastAttemptAt.getTime()
  return Math.min(calm, Math.max(closing.intervalMs, untilClosing))
}

function retryMs({ intervalMs: calm }: SweepPlan, failures: number): number {
  return Math.min(LONGEST_RETRY_MS, Math.min(FIRST_RETRY_MS, calm) * 2 ** (failures - 1))
}

function latest(moment: Date, other: Date | null): Date {
  return other !== null && other > moment ? other : moment
}
