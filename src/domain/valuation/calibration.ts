import type { Trial } from './crossValidation.ts'

/** How far estimates of about one size were off when they were tried out, in natural logarithms. */
export interface Experience {
  /** Mean |ln(price / estimate)|, each held at 2. */
  miss: number
  /** Below this ln(price / estimate) lie a quarter of the prices, and above the other another quarter. */
  low: number
  high: number
}

/** Estimates count by how near their size is: by e^(−½·(ln ratio / 0.7)²), so half at a ratio of ×2.3. */
const WIDTH = 0.7
const FARTHEST_MISS = 2
/** Before anything has been tried it counts as if ten estimates had, off by these factors of two. */
const IMAGINED = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(power => power * Math.LN2)
const IMAGINED_WEIGHT = 10 / IMAGINED.length
/** It is reckoned for sizes from a cent to ten billion dollars, e^¼ apart, and between them taken straight. */
const STEP = 0.25
const STEPS = 110

/** Makes of trials a table of what the size of an estimate lets expect of its miss: miss, low and high for each step. */
export function tabulateExperience(trials: readonly Trial[]): Float64Array {
  const tried = trials.map(({ logValue, logPrice }) => ({ logValue, miss: logPrice - logValue }))
  const imagined = IMAGINED.map(miss => ({ logValue: null, miss }))
  const sorted = [...tried, ...imagined].sort((a, b) => a.miss - b.miss)
  const misses = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue ?? Number.NaN)
  const rows = Array.from({ length: STEPS }, (_, step) => experienceAt(step * STEP, misses, sizes))
  return Float64Array.from(rows.flatMap(({ miss, low, high }) => [miss, low, high]))
}

/** Looks an estimate's size, ln(cents), up in the table. */
export function experienceIn(table: Float64Array, logValue: number): Experience {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * 3 + column]!
    return least + (place - below) * (table[above * 3 + column]! - least)
  }
  return { miss: between(0), low: between(1), high: between(2) }
}

/** `misses` ascending; a size of NaN is an imagined one and near to everything. */
function experienceAt(logValue: number, misses: Float64Array, sizes: Float64Array): Experience {
  const weights = sizes.map(size =>
    Number.isNaN(size) ? IMAGINED_WEIGHT : Math.exp(-0.5 * ((size - logValue) / WIDTH) ** 2),
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
