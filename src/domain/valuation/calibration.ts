import type { Trial } from './crossValidation.ts'
import { closeOfSale } from './learnedPrice.ts'
import type { LogEstimate } from './logEstimate.ts'

/**
 * Trials count by how near their size is: e^(−½·(ln ratio / 0.4)²), which is
 * half at a ratio of ×1.6.
 */
const WIDTH = 0.4
const FARTHEST_MISS = 2
/**
 * A prior that counts as ten trials, off by these factors of two, so that a few
 * sales prove nothing.
 */
const PRIOR_MISSES = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(
  power => power * Math.LN2,
)
const PRIOR_WEIGHT = 10 / PRIOR_MISSES.length
/**
 * The table covers sizes from a cent to ten billion dollars in steps of e^¼;
 * between steps it is interpolated.
 */
const STEP = 0.25
const STEPS = 110
/**
 * The shares of prices below the ends of the bands, from the lowest to the
 * highest.
 */
const SHARES = [0.1, 0.25, 0.75, 0.9]
const COLUMNS = 1 + SHARES.length

/**
 * All bands are so many times as wide as those of the trials, because later
 * months differ from the days that these leave out. Chosen on the earlier days
 * of three sets of real sales (`make bench ONLY=values`).
 */
const MARGIN = 1.2

/**
 * How far estimates were off, by size: rows of `COLUMNS` numbers, see
 * `calibrationAt`.
 */
export type Calibration = Float64Array

/**
 * Learns from estimates that were made without the price they are held against:
 * for each step of size the mean miss and the quantiles of ln(price /
 * estimate), in units of `scaleOf` (split conformal prediction, weighted by
 * size).
 */
export function buildCalibration(trials: readonly Trial[]): Calibration {
  const misses = trials.map(({ sale, estimate: { logValue, evidence } }) => ({
    logValue,
    miss: (Math.log(closeOfSale(sale)) - logValue) / scaleOf(evidence),
  }))
  const prior = PRIOR_MISSES.map(miss => ({ logValue: Number.NaN, miss }))
  const sorted = [...misses, ...prior].sort((a, b) => a.miss - b.miss)
  const ascending = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue)
  const rows = Array.from({ length: STEPS }, (_, step) =>
    calibrationAt(step * STEP, ascending, sizes),
  )
  return Float64Array.from(rows.flat())
}

/** Estimates with full evidence miss half as far as those without any. */
function scaleOf(evidence: number) {
  return 1 - evidence / 2
}

/** What is known of an estimate from those of its size and evidence. */
export interface Calibrated {
  /** The mean |ln(price / estimate)|, each capped at 2. */
  miss: number
  /** 0 to 1. */
  confidence: number
  /**
   * Of ln(price / estimate), those that bound 80 % and half of the prices,
   * ascending: two of at most 0 and two of at least 0.
   */
  quantiles: number[]
}

/** What is known of an estimate. */
export function calibrationFor(
  table: Calibration,
  { logValue, evidence }: Pick<LogEstimate, 'logValue' | 'evidence'>,
): Calibrated {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * COLUMNS + column]!
    const most = table[above * COLUMNS + column]!
    return scaleOf(evidence) * (least + (place - below) * (most - least))
  }
  const miss = between(0)
  const quantiles = SHARES.map((_, n) => MARGIN * between(1 + n))
  return { miss, confidence: confidenceOf(miss, evidence), quantiles }
}

/**
 * The confidence of an estimate, 0 to 1: 1 / (factor by which estimates like it
 * missed), halved without evidence.
 */
export function confidenceOf(miss: number, evidence: number): number {
  return (Math.exp(-miss) * (1 + evidence)) / 2
}

/**
 * `misses` are ascending. A size of NaN is the prior's, which is near to every
 * size.
 */
function calibrationAt(
  logValue: number,
  misses: Float64Array,
  sizes: Float64Array,
) {
  const weights = sizes.map(size =>
    Number.isNaN(size)
      ? PRIOR_WEIGHT
      : Math.exp(-0.5 * ((size - logValue) / WIDTH) ** 2),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const missed = weights.reduce(
    (sum, weight, n) =>
      sum + weight * Math.min(FARTHEST_MISS, Math.abs(misses[n]!)),
    0,
  )
  const quantile = (share: number) => {
    let left = share * total
    const found = misses.find((_, n) => {
      left -= weights[n]!
      return left <= 0
    })!
    return share < 0.5 ? Math.min(0, found) : Math.max(0, found)
  }
  return [missed / total, ...SHARES.map(quantile)]
}
