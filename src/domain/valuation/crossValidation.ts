import { DAY_MS } from '../durations.ts'
import { baselineOf, fitBaseline } from './baseline/baseline.ts'
import { baselineFeatures } from './baseline/features.ts'
import {
  buildSaleColumns,
  type Sale,
  type UnsoldLot,
} from './comparables/saleColumns.ts'
import { type LogEstimate, logEstimator } from './logEstimate.ts'
import { pastSales } from './pastSales.ts'

/** How many of the newest sales are cross-validated. */
export const CROSS_VALIDATED_SALES = 5_000
export const FOLDS = 5
/**
 * A fold is estimated from those at least so many older, because a lot closes
 * some time after the sales that it is valued from. With all other folds
 * instead, the bands of federal lots that closed a week later held 45% and 74%
 * of their prices; with this, 48% and 80%.
 */
const PAUSE = 2

/** A sale, and what was estimated for it from other sales. */
export interface Trial {
  sale: Sale
  /** 0 to 4; no estimate rests on another sale of its fold. */
  fold: number
  estimate: LogEstimate
}

/**
 * Estimates sales, newest first, each from others: their days form five folds
 * of equally many days, and the sales of each fold are estimated from the folds
 * at least two older; those of the oldest folds, which have none, from all
 * other folds. Sales of one day stay together, because lots of one seller end
 * together and are alike. Nothing when all were sold on one day; sales without
 * an estimate are left out.
 */
export function crossValidate(
  sales: readonly Sale[],
  unsold: readonly UnsoldLot[],
): Trial[] {
  const foldOf = foldsByDay(sales)
  const asOfMs = sales[0]?.sold_at_ms ?? 0
  const trials = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const isOlder = (other: number | undefined) =>
      other !== undefined && other >= fold + PAUSE
    const hasOlder = sales.some(sale => isOlder(foldOf(sale.sold_at_ms)))
    const isLearned = (ms: number) =>
      hasOlder ? isOlder(foldOf(ms)) : foldOf(ms) !== fold
    const others = sales.filter(sale => isLearned(sale.sold_at_ms))
    if (others.length === 0 || others.length === sales.length) continue
    const otherUnsold = unsold.filter(lot => isLearned(lot.ended_at_ms))
    const estimateOf = learnEstimator(others, otherUnsold, asOfMs)
    for (const sale of sales) {
      const estimate =
        foldOf(sale.sold_at_ms) === fold ? estimateOf(sale) : null
      if (estimate) trials.push({ sale, fold, estimate })
    }
  }
  return trials
}

/**
 * Learns from sales and from lots without a bid, both before `asOfMs`, and
 * returns an estimator.
 */
export function learnEstimator(
  sales: readonly Sale[],
  unsold: readonly UnsoldLot[],
  asOfMs: number,
) {
  const past = pastSales(buildSaleColumns(sales, asOfMs))
  const features = baselineFeatures(past.columns)
  const fit = fitBaseline(past.columns, unsold, features)
  return logEstimator(past, baselineOf(past.columns, fit, features))
}

function foldsByDay(
  sales: readonly Sale[],
): (ms: number) => number | undefined {
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
  const days = [...new Set(sales.map(sale => dayOf(sale.sold_at_ms)))]
  const folds = new Map(
    days.map((day, n) => [day, Math.floor((n * FOLDS) / days.length)]),
  )
  return ms => folds.get(dayOf(ms))
}
