import { type Category, headNoun, pricedAs } from '../titles/categories.ts'
import { isByWeight } from '../titles/priceWords.ts'
import type { baselineOf } from './baseline/baseline.ts'
import type { Comparable } from './comparables/nearest.ts'
import type { SaleColumns } from './comparables/saleColumns.ts'
import { LAST_MAKE } from './comparables/vocabulary.ts'
import { ENOUGH_LIKE, ENOUGH_MACHINES, LIKE } from './grade.ts'
import { factsEffect } from './learnedPrice.ts'
import type { LotToValue } from './lotToValue.ts'
import type { PastSales } from './pastSales.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'

/** The expected price of a lot, and the sales that say so. */
export interface LogEstimate {
  /** ln(cents). */
  logValue: number
  /** The sales that corrected the baseline, most similar first. */
  comparables: Comparable[]
  /**
   * Percentiles of what the comparables say such a lot brings; null without a
   * comparable.
   */
  percentiles: Percentiles | null
  /** How much the comparables say, 0 to 1. */
  evidence: number
  /**
   * How many times higher than their published prices the comparables are taken
   * to have closed; 1 without one.
   */
  seenFactor: number
}

/** The baseline weighs as much as six identical titles. */
const BASELINE_WEIGHT = 6

/**
 * In a category with fewer sales the words of a title say nothing of its price.
 */
const LEAST_OF_CATEGORY = 30

/**
 * What these hold has no price in common: only a sale of the like says what one
 * brings.
 */
const OF_ANY_PRICE: readonly Category[] = ['real-estate', 'seized-property']

/**
 * Returns an estimator for an index. It returns null for goods sold by weight,
 * and for a lot like no sale whose thing is unknown, whose category has fewer
 * than 30 sales, or which is real estate or seized property.
 *
 * ln value = baseline + Σ w·(ln price − baseline of that sale) / (Σ w + 6), w =
 * similarity³, held in the middle half of enough comparables that are like the
 * lot; then what its text says beside its title moves it (`factsEffect`).
 */
export function logEstimator(
  past: PastSales,
  baseline: ReturnType<typeof baselineOf>,
) {
  const { columns } = past
  const isKnown = knownThings(columns)
  const isPricedByWords = (category: Category) =>
    !OF_ANY_PRICE.includes(category) &&
    past.salesOf(category) >= LEAST_OF_CATEGORY
  return (lot: LotToValue): LogEstimate | null => {
    if (isByWeight(lot.title)) return null
    const comparables = past.nearest(lot)
    const isLikeSold = (comparables[0]?.similarity ?? 0) >= LIKE
    if (!isLikeSold && !(isPricedByWords(lot.category) && isKnown(lot.title)))
      return null
    const logPrices = comparables.map(
      ({ position }) => columns.logPrice[position]!,
    )
    const percentiles = percentilesOf(logPrices.map(Math.exp))
    const ofSales =
      bookOfMachine(columns, lot, comparables) ??
      correctedBaseline(lot, comparables)
    const held = heldByQuartiles(ofSales, comparables, percentiles)
    // What had to be moved far is known less well.
    const agreement = Math.exp(-Math.abs(held - ofSales))
    const seen = comparables.reduce(
      (sum, { position }) => sum + columns.logSeenFactor[position]!,
      0,
    )
    return {
      logValue: held + factsEffect(lot),
      comparables,
      percentiles,
      evidence: percentiles
        ? agreement * evidenceOf(comparables, percentiles)
        : 0,
      seenFactor: Math.exp(seen / Math.max(1, comparables.length)),
    }
  }

  function correctedBaseline(
    lot: LotToValue,
    comparables: readonly Comparable[],
  ) {
    let sum = 0
    let weights = 0
    for (const { position, similarity } of comparables) {
      // The cube lets a sale of the same thing outweigh many of something else.
      const weight = similarity ** 3
      sum += weight * (columns.logPrice[position]! - baseline.ofSale(position))
      weights += weight
    }
    return baseline.ofLot(lot) + sum / (weights + BASELINE_WEIGHT)
  }
}

/**
 * ln(cents) of a heavy machine by the price book, where too few like it were
 * sold to say more; null for everything else.
 */
function bookOfMachine(
  columns: SaleColumns,
  lot: LotToValue,
  comparables: readonly Comparable[],
) {
  if ((comparables[ENOUGH_MACHINES - 1]?.similarity ?? 0) >= LIKE) return null
  if (pricedAs(lot.category, lot.title) !== 'heavy-equipment') return null
  return columns.readTitle(lot.title).bookPrice || null
}

/**
 * Returns whether the thing that a title names is known: its noun (of a vehicle
 * any word) is in the title of a sale, or the price book has a price of it.
 */
function knownThings(columns: SaleColumns) {
  return (title: string) => {
    const { make, compared, bookPrice } = columns.readTitle(title)
    const isVehicle = make >= 0 && make <= LAST_MAKE
    const named = isVehicle
      ? compared
      : columns.readTitle(headNoun(title) ?? '').compared
    return named.some(word => word < columns.comparedWords) || bookPrice !== 0
  }
}

/**
 * `logValue`, held in the middle half of the comparables' prices where enough
 * are like the lot: a title of two words leaves the baseline little to go by.
 * Of the item names, 92 % instead of 69 % have a value in the middle half.
 */
function heldByQuartiles(
  logValue: number,
  comparables: readonly Comparable[],
  percentiles: Percentiles | null,
) {
  if (!percentiles || (comparables[ENOUGH_LIKE - 1]?.similarity ?? 0) < LIKE)
    return logValue
  return Math.min(
    Math.log(percentiles.p75_cents),
    Math.max(Math.log(percentiles.p25_cents), logValue),
  )
}

/** Similarity that counts as full evidence: six identical titles. */
const ENOUGH_SIMILARITY = 6
/** Ratio of upper to lower quartile at which comparables have no agreement. */
const HOPELESS_SPREAD = 20
const LEAST_AGREEMENT = 0.15

/**
 * The evidence of comparables, 0 to 1: enough similar sales × agreement of
 * their prices × the best similarity. Removing a comparable never raises it
 * while the quartiles stay.
 */
export function evidenceOf(
  comparables: readonly Comparable[],
  { p25_cents, p75_cents }: Percentiles,
): number {
  const together = comparables.reduce(
    (sum, { similarity }) => sum + similarity,
    0,
  )
  const best = comparables.reduce(
    (most, comparable) => Math.max(most, comparable.similarity),
    0,
  )
  const disagreement =
    Math.log(p75_cents / p25_cents) / Math.log(HOPELESS_SPREAD)
  const agreement = Math.min(1, Math.max(LEAST_AGREEMENT, 1 - disagreement))
  return (
    Math.min(1, together / ENOUGH_SIMILARITY) * agreement * (0.5 + 0.5 * best)
  )
}
