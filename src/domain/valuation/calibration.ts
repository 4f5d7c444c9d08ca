import type { Trial } from './crossValidation.ts'

/** Trials count by how near their size is: e^(−½·(ln ratio / 0.4)²), which is half at a ratio of ×1.6. */
const WIDTH = 0.4
const FARTHEST_MISS = 2
/** A prior that counts as ten trials, off by these factors of two, so that a few sales prove nothing. */
const PRIOR_MISSES = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(power => power * Math.LN2)
const PRIOR_WEIGHT = 10 / PRIOR_MISSES.length
/** The table covers sizes from a cent to ten billion dollars in steps of e^¼; between steps it is interpolated. */
const STEP = 0.25
const STEPS = 110
/** The shares of prices below the ends of the bands, from the lowest to the highest. */
const SHARES = [0.1, 0.25, 0.75, 0.9]
const COLUMNS = 1 + SHARES.length

/**
 * Builds the calibration table from cross-validated sales: for each step of size the mean miss and the quantiles of
 * ln(price / estimate), in units of `scaleOf` (split conformal prediction, weighted by size).
 */
export function buildCalibrationTable(trials: readonly Trial[]): Float64Array {
  const misses = trials.map(({ sale, estimate: { logValue, evidence } }) => ({
    logValue,
    miss: (Math.log(sale.final_bid_cents) - logValue) / scaleOf(evidence),
  }))
  const prior = PRIOR_MISSES.map(miss => ({ logValue: Number.NaN, miss }))
  const sorted = [...misses, ...prior].sort((a, b) => a.miss - b.miss)
  const ascending = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue)
  const rows = Array.from({ length: STEPS }, (_, step) => calibrationAt(step * STEP, ascending, sizes))
  return Float64Array.from(rows.flat())
}

/** Estimates with full evidence miss half as far as those without any. */
function scaleOf(evidence: number) {
  return 1 - evidence / 2
}

/**
 * How far estimates of about that size, ln(cents), and evidence were off in cross-validation. `miss` is the mean
 * |ln(price / estimate)|, each capped at 2; `quantiles` are those of ln(price / estimate) that bound 80 % and half of the
 * prices, ascending, two of at most 0 and two of at least 0.
 */
export function calibrationFor(table: Float64Array, logValue: number, evidence: number) {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * COLUMNS + column]!
    const most = table[above * COLUMNS + column]!
    return scaleOf(evidence) * (least + (place - below) * (most - least))
  }
  return { miss: between(0), quantiles: SHARES.map((_, n) => between(1 + n)) }
}

/** `misses` are ascending. A size of NaN is the prior's, which is near to every size. */
function calibrationAt(logValue: number, misses: Float64Array, sizes: Float64Array) {
  const weights = sizes.map(size =>
    Number.isNaN(size) ? PRIOR_WEIGHT : Math.exp(-0.5 * ((size - logValue) / WIDTH) ** 2),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const missed = weights.reduce(
    (sum, weight, n) => sum + weight * Math.min(FARTHEST_MISS, Math.abs(misses[n]!)),
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
