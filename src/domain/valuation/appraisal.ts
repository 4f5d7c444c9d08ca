import { fitBaseline } from './appraisalBaseline.ts'
import type { Category } from './categories.ts'
import type { SalesIndex } from './comparables.ts'
import type { Comparable } from './comparablesBest.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'

/** What a lot is likely to bring, and the sales that say so. */
export interface Appraisal {
  value_cents: number
  /** 0 to 1. */
  confidence: number
  /** Of the comparables' prices; null without a comparable. */
  percentiles: Percentiles | null
  /** Most similar first. */
  comparables: Comparable[]
}

/** What an appraisal looks at. `item` is the tracked item, when the lot is tagged with one. */
export interface LotToValue {
  id: string
  /** The same lot on another source, if that one counts. */
  duplicate_of?: string | null
  title: string
  category: Category
  item?: string | null
}

/** The baseline weighs as much as so many identical titles sold today. */
const BASELINE_WEIGHT = 3
/** So much similarity (as many identical titles sold today) is enough for full confidence. */
const ENOUGH_SIMILARITY = 6
/** Comparables whose upper quartile is this many times the lower one say next to nothing. */
const HOPELESS_SPREAD = 20
const LEAST_AGREEMENT = 0.15

/**
 * Makes an appraiser of an index. It answers null when there is neither a comparable nor a sale in the lot's category.
 *
 * ln value = baseline + Σ w·(ln price − baseline of that sale) / (Σ w + 3), w = similarity³ · recency.
 */
export function appraiser(index: SalesIndex): (lot: LotToValue) => Appraisal | null {
  const { corpus } = index
  const baseline = fitBaseline(corpus)
  return lot => {
    const comparables = index.nearest(lot)
    if (comparables.length === 0 && index.categoryMedianCents(lot.category) === null) return null
    let sum = 0
    let weights = 0
    for (const { position, weight } of comparables) {
      sum += weight * (corpus.logPrice[position]! - baseline.ofSale(position))
      weights += weight
    }
    const value = Math.exp(baseline.ofLot(lot) + sum / (weights + BASELINE_WEIGHT))
    const percentiles = percentilesOf(comparables.map(({ position }) => corpus.priceCents[position]!))
    return {
      value_cents: Math.max(1, Math.round(value)),
      confidence: percentiles ? confidenceOf(comparables, percentiles) : 0,
      percentiles,
      comparables,
    }
  }
}

/**
 * How far an estimate can be trusted, 0 to 1: enough similar recent sales × agreement of their prices × the best
 * similarity. One comparable fewer never raises it while the quartiles stay.
 */
export function confidenceOf(
  comparables: readonly Comparable[],
  { p25_cents, p75_cents }: Percentiles,
): number {
  const together = comparables.reduce((sum, { similarity, recency }) => sum + similarity * recency, 0)
  const best = comparables.reduce((most, comparable) => Math.max(most, comparable.similarity), 0)
  const disagreement = Math.log(p75_cents / p25_cents) / Math.log(HOPELESS_SPREAD)
  const agreement = Math.min(1, Math.max(LEAST_AGREEMENT, 1 - disagreement))
  return Math.min(1, together / ENOUGH_SIMILARITY) * agreement * (0.5 + 0.5 * best)
}
