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
