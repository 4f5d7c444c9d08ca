import type { Category } from '../titles/categories.ts'
import type { Baseline } from './baseline/predict.ts'
import type { Comparable } from './comparablesBest.ts'
import type { SalesIndex } from './salesIndex.ts'

/** What an estimate looks at. `item` is the tracked item, when the lot is tagged with one; `zip` is where it is. */
export interface LotToValue {
  id: string
  /** The same lot on another source, if that one counts. */
  duplicate_of?: string | null
  title: string
  category: Category
  item?: string | null
  zip?: string | null
}

/** What a lot is likely to bring, as ln(cents), and the sales by which its baseline was corrected, most similar first. */
export interface Estimate {
  logValue: number
  comparables: Comparable[]
}

/** The baseline weighs as much as so many identical titles sold today. */
const BASELINE_WEIGHT = 3

/**
 * Makes an estimator of an index. It answers null when there is neither a comparable nor a sale in the lot's category.
 *
 * ln value = baseline + Σ w·(ln price − baseline of that sale) / (Σ w + 3), w = similarity³ · recency.
 */
export function estimator(index: SalesIndex, baseline: Baseline): (lot: LotToValue) => Estimate | null {
  const { corpus } = index
  return lot => {
    const comparables = index.nearest(lot)
    if (comparables.length === 0 && index.categoryMedianCents(lot.category) === null) return null
    let sum = 0
    let weights = 0
    for (const { position, weight } of comparables) {
      sum += weight * (corpus.logPrice[position]! - baseline.ofSale(position))
      weights += weight
    }
    return { logValue: baseline.ofLot(lot) + sum / (weights + BASELINE_WEIGHT), comparables }
  }
}
