import type { CalibratedValue, ValueBand } from './calibratedValue.ts'
import { percentileCont } from './percentiles.ts'

/** How well estimates held. */
export type Measures = {
  /** The typical factor by which an estimate missed. Null without a sale. */
  error_factor: number | null
  /** Null when it cannot be computed. */
  rank_correlation: number | null
  /**
   * The share of the prices in the likely band, ideally 50, and in the range,
   * ideally 80. Null without a sale.
   */
  likely_hold_percent: number | null
  range_hold_percent: number | null
}

/** Measures estimates against the prices. */
export function measuresOf(
  judged: readonly (Pick<CalibratedValue, 'value_cents' | 'band'> & {
    price_cents: number
  })[],
): Measures {
  const values = judged.map(({ value_cents }) => value_cents)
  const prices = judged.map(({ price_cents }) => price_cents)
  const held = (low: keyof ValueBand, high: keyof ValueBand) =>
    judged.filter(
      ({ band, price_cents }) =>
        price_cents >= band[low] && price_cents <= band[high],
    ).length
  return {
    error_factor: errorFactor(values, prices),
    rank_correlation: rankCorrelation(values, prices),
    likely_hold_percent: percent(
      held('likely_low_cents', 'likely_high_cents'),
      judged.length,
    ),
    range_hold_percent: percent(
      held('range_low_cents', 'range_high_cents'),
      judged.length,
    ),
  }
}

/** A percentage with one decimal; null when the whole is 0. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1000) / 10
}

/**
 * The typical factor by which estimates miss: exp(median |ln(estimate /
 * price)|). Null without a pair.
 */
export function errorFactor(
  estimates: readonly number[],
  prices: readonly number[],
) {
  if (estimates.length === 0) return null
  const misses = Float64Array.from(estimates, (estimate, n) =>
    Math.abs(Math.log(estimate / prices[n]!)),
  ).sort()
  return Math.exp(percentileCont(misses, 0.5))
}

/**
 * Spearman's rank correlation, ties sharing their average rank. Null when
 * either side does not vary.
 */
export function rankCorrelation(
  left: readonly number[],
  right: readonly number[],
) {
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

/** Ranks from 1; equal numbers share the mean of their ranks. */
function averageRanks(numbers: readonly number[]) {
  const order = Int32Array.from(numbers.keys()).sort(
    (a, b) => numbers[a]! - numbers[b]!,
  )
  const ranks = new Float64Array(numbers.length)
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && numbers[order[to]!] === numbers[order[from]!])
      to += 1
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}
