import type { HeldOutEstimate } from './crossValidation.ts'

/** How far estimates of about one size were off in cross-validation, in natural logarithms. */
export interface Calibration {
  /** Mean |ln(price / estimate)|, each capped at 2. */
  miss: number
  /** Quartiles of ln(price / estimate). */
  low: number
  high: number
}

/** Estimates count by how near their size is: e^(−½·(ln ratio / 0.7)²), which is half at a ratio of ×2.3. */
const WIDTH = 0.7
const FARTHEST_MISS = 2
/** A prior that counts as ten estimates, off by these factors of two, so that a few sales prove nothing. */
const PRIOR_MISSES = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(power => power * Math.LN2)
const PRIOR_WEIGHT = 10 / PRIOR_MISSES.length
/** The table covers sizes from a cent to ten billion dollars in steps of e^¼; between steps it is interpolated. */
const STEP = 0.25
const STEPS = 110

/** Builds the calibration table: miss, low and high for each step of size. */
export function buildCalibrationTable(estimates: readonly HeldOutEstimate[]): Float64Array {
  const measured = estimates.map(({ logValue, logPrice }) => ({ logValue, miss: logPrice - logValue }))
  const prior = PRIOR_MISSES.map(miss => ({ logValue: null, miss }))
  const sorted = [...measured, ...prior].sort((a, b) => a.miss - b.miss)
  const misses = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue ?? Number.NaN)
  const rows = Array.from({ length: STEPS }, (_, step) => calibrationAt(step * STEP, misses, sizes))
  return Float64Array.from(rows.flatMap(({ miss, low, high }) => [miss, low, high]))
}

/** Looks up the size of an estimate, ln(cents), in the table. */
export function calibrationFor(table: Float64Array, logValue: number): Calibration {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * 3 + column]!
    return least + (place - below) * (table[above * 3 + column]! - least)
  }
  return { miss: between(0), low: between(1), high: between(2) }
}

/** `misses` are ascending. A size of NaN is the prior's, which is near to every size. */
function calibrationAt(logValue: number, misses: Float64Array, sizes: Float64Array): Calibration {
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
    return misses.find((_, n) => {
      left -= weights[n]!
      return left <= 0
    })!
  }
  return { miss: missed / total, low: quantile(0.25), high: quantile(0.75) }
}
