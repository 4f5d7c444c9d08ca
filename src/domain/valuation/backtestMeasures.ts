import { percentileCont } from './percentiles.ts'

/** The typical multiple by which estimates miss: exp(median |ln(estimate / price)|). Null without a pair. */
export function errorFactor(estimates: readonly number[], prices: readonly number[]): number | null {
  if (estimates.length === 0) return null
  const misses = Float64Array.from(estimates, (estimate, n) =>
    Math.abs(Math.log(estimate / prices[n]!)),
  ).sort()
  return Math.exp(percentileCont(misses, 0.5))
}

/** Spearman's rank correlation, ties sharing their average rank. Null when either side does not vary. */
export function rankCorrelation(left: readonly number[], right: readonly number[]): number | null {
  const [a, b] = [averageRanks(left), averageRanks(right)]
  const mean = (left.length + 1) / 2
  let both = 0
  let onlyA = 0
  let onlyB = 0
  for (let n = 0; n < a.length; n++) {
    const [da, db] = [a[n]! - mean, b[n]! - mean]
    both += da * db
    onlyA += da * da
    onlyB += db * db
  }
  return onlyA === 0 || onlyB === 0 ? null : both / Math.sqrt(onlyA * onlyB)
}

/** Ranks from 1; equal numbers get the mean of the ranks they take up together. */
function averageRanks(numbers: readonly number[]): Float64Array {
  const order = Int32Array.from(numbers.keys()).sort((a, b) => numbers[a]! - numbers[b]!)
  const ranks = new Float64Array(numbers.length)
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && numbers[order[to]!] === numbers[order[from]!]) to += 1
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}
