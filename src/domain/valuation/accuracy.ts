import { calibratedValue, type ValueBand } from './calibratedValue.ts'
import { buildCalibrationTable } from './calibration.ts'
import type { Trial } from './crossValidation.ts'
import { percentileCont } from './percentiles.ts'
import { priceDistribution } from './priceDistribution.ts'

/** A price, and the estimate that was made without it. */
export type HeldOutEstimate = ReturnType<typeof heldOutEstimates>[number]

/** How well estimates held, over all, by third of the value (lowest first), by category, and the score by fifth. */
export type Accuracy = ReturnType<typeof accuracyOf>

/** Measures checked estimates. */
export function accuracyOf(checked: readonly HeldOutEstimate[]) {
  const ascending = checked.toSorted((a, b) => a.value_cents - b.value_cents)
  const third = (n: number) =>
    ascending.slice(Math.floor((n * ascending.length) / 3), Math.floor(((n + 1) * ascending.length) / 3))
  const categories = [...new Set(checked.map(({ category }) => category))].sort()
  return {
    ...measure(checked),
    by_third: [0, 1, 2].map(n => measure(third(n))),
    by_category: categories.map(category => ({
      category,
      ...measure(checked.filter(one => one.category === category)),
    })),
    score_fifths: scoreFifths(checked),
  }
}

function measure(checked: readonly HeldOutEstimate[]) {
  const values = checked.map(({ value_cents }) => value_cents)
  const prices = checked.map(({ price_cents }) => price_cents)
  const held = (low: keyof ValueBand, high: keyof ValueBand) =>
    checked.filter(({ band, price_cents }) => price_cents >= band[low] && price_cents <= band[high]).length
  return {
    sales: checked.length,
    /** The typical factor by which an estimate missed. Null without a sale. */
    error_factor: errorFactor(values, prices),
    /** Null when it cannot be computed. */
    rank_correlation: rankCorrelation(values, prices),
    /** The share of the prices in the likely band, ideally 50, and in the range, ideally 80. Null without a sale. */
    likely_hold_percent: percent(held('likely_low_cents', 'likely_high_cents'), checked.length),
    range_hold_percent: percent(held('range_low_cents', 'range_high_cents'), checked.length),
  }
}

/** All-in costs that know nothing of the price: 1/16 to 16 times the estimated value. */
const COST_FACTORS = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(power => 2 ** power)
const FIFTH = 20

/**
 * Each sale is scored by the chance at nine all-in costs, as in its last hours without a bidder. By fifth of the score: the mean
 * score, and the share of the sales that brought more than this cost. They are equal when the chance is calibrated.
 */
function scoreFifths(checked: readonly HeldOutEstimate[]) {
  const offers = checked.flatMap(({ value_cents, band, price_cents }) => {
    const { shareAbove } = priceDistribution(value_cents, band)
    return COST_FACTORS.map(factor => value_cents * factor).map(cost => ({
      score: 100 * shareAbove(cost),
      isAbove: price_cents > cost,
    }))
  })
  return [0, 1, 2, 3, 4].map(fifth => {
    const own = offers.filter(({ score }) => Math.min(4, Math.floor(score / FIFTH)) === fifth)
    const sum = own.reduce((total, { score }) => total + score, 0)
    return {
      from_score: fifth * FIFTH,
      offers: own.length,
      mean_score: own.length === 0 ? null : Math.round((sum / own.length) * 10) / 10,
      above_percent: percent(own.filter(({ isAbove }) => isAbove).length, own.length),
    }
  })
}

/** The trials with values and bands whose calibration has not seen their fold. */
export function heldOutEstimates(trials: readonly Trial[]) {
  return [...new Set(trials.map(({ fold }) => fold))].flatMap(fold => {
    const calibration = buildCalibrationTable(trials.filter(trial => trial.fold !== fold))
    return trials
      .filter(trial => trial.fold === fold)
      .map(({ sale, estimate }) => {
        const { value_cents, band } = calibratedValue(estimate, calibration)
        return { category: sale.category, price_cents: sale.final_bid_cents, value_cents, band }
      })
  })
}

/** A percentage with one decimal; null when the whole is 0. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1000) / 10
}

/** The typical factor by which estimates miss: exp(median |ln(estimate / price)|). Null without a pair. */
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

/** Ranks from 1; equal numbers share the mean of their ranks. */
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
