import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

/** How often a source may and should be fetched. */
export interface SweepPlan {
  /** Between two sweeps while no lot is about to end. */
  intervalMs: number
  /** While a lot of the source is about to end: the shortest interval, and how long before the end that begins. Null: never. */
  closing: { intervalMs: number; windowMs: number } | null
  /** The shortest gap between two sweeps that the source permits, whatever else is set. */
  leastGapMs: number
}

/** What is known of a source when its next sweep is planned. */
export interface SweepHistory extends Versions {
  /** When it was last fetched, by any process and with any outcome; null when never. */
  lastAttemptAt: Date | null
  /** Attempts without a good end since the last good one. */
  failures: number
  /** End of the wait that the source requested (`Retry-After`). */
  waitUntil: Date | null
  /** The next end of one of its open lots. */
  nextEndAt: Date | null
  budget: SweepBudget
}

/** How much of the requests and bytes of 24 hours is used. 1 is the whole budget. */
export interface SweepBudget {
  used: number
  /** What one more sweep takes. */
  sweep: number
  /** When some of it is free again; null while nothing is used. */
  freesAt: Date | null
}

const FIRST_RETRY_MS = 5 * MINUTE_MS
const LONGEST_RETRY_MS = 6 * HOUR_MS
/** Largest share of the delay; keeps installations from fetching in the same second. */
const JITTER_SHARE = 0.05

/**
 * When a source is due. Never before it: at once. After a good sweep: one interval later, or sooner when a lot ends
 * soon. After failures: 5 minutes later (or one interval, where that is shorter), twice as long each time, at most 6
 * hours. Never closer than the least gap, and never before the end of a `Retry-After`. Once half of the budget is used, no faster than
 * 24 hours of the same pace could go on; with none left for a sweep, when some is free again.
 * @param jitter from 0 (none) to 1 (5 % of the delay more).
 */
export function nextSweepAt(
  plan: SweepPlan,
  history: SweepHistory,
  { now, jitter }: { now: Date; jitter: number },
): Date {
  const { lastAttemptAt, failures, waitUntil, budget } = history
  if (lastAttemptAt === null) return latest(now, waitUntil)
  const wanted = failures > 0 ? retryMs(plan, failures) : intervalMs(plan, history, lastAttemptAt)
  const evenMs = budget.used >= 0.5 ? budget.sweep * DAY_MS : 0
  const delay = Math.max(wanted, plan.leastGapMs, evenMs) * (1 + JITTER_SHARE * jitter)
  const dueAt = latest(new Date(lastAttemptAt.getTime() + Math.round(delay)), waitUntil)
  return isSpent(budget) ? latest(dueAt, budget.freesAt) : dueAt
}

/** Whether one more sweep does not fit into the budget. */
export function isSpent({ used, sweep }: SweepBudget): boolean {
  return used + sweep > 1 + 1e-9
}

/**
 * Up to the moment at which the last hours of the next lot begin. In them twice in the rhythm of the file: a version is then seen soon,
 * and a file that turns out to change faster shows it, so that the interval halves until it fits. By the plan while the rhythm is unknown.
 */
function intervalMs({ intervalMs: calm, closing }: SweepPlan, history: SweepHistory, lastAttemptAt: Date) {
  const { nextEndAt } = history
  const rhythm = rhythmMs(history, lastAttemptAt)
  if (closing === null || nextEndAt === null || rhythm === null) return calm
  const untilClosing = nextEndAt.getTime() - closing.windowMs - lastAttemptAt.getTime()
  return Math.min(calm, Math.max(closing.intervalMs, rhythm / 2, untilClosing))
}

function retryMs({ intervalMs: calm }: SweepPlan, failures: number): number {
  return Math.min(LONGEST_RETRY_MS, Math.min(FIRST_RETRY_MS, calm) * 2 ** (failures - 1))
}

function latest(moment: Date, other: Date | null): Date {
  return other !== null && other > moment ? other : moment
}

/** When the newest versions of a file were made, and when the newest was first seen. */
export interface Versions {
  /** The newest first: its `Last-Modified`, or without one the moment at which it was first seen. */
  versionTimes: readonly Date[]
  versionSeenAt: Date | null
}

/** Two gaps: a single one can be a night. */
const LEAST_VERSIONS = 3

/**
 * How often a file changes: the median gap between its newest versions (the database keeps six), or the time for which the newest has
 * stayed the same at the last look, where that is longer.
 * @param lookedAt the last look.
 * @returns milliseconds; null before three versions were seen.
 */
export function rhythmMs({ versionTimes, versionSeenAt }: Versions, lookedAt: Date | null): number | null {
  if (versionTimes.length < LEAST_VERSIONS || versionSeenAt === null || lookedAt === null) return null
  const gaps = versionTimes.slice(1).map((older, n) => versionTimes[n]!.getTime() - older.getTime())
  const median = gaps.sort((a, b) => a - b)[(gaps.length - 1) >> 1]!
  return Math.max(median, lookedAt.getTime() - versionSeenAt.getTime())
}
