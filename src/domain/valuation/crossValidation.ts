import { fitBaseline } from './baseline/fit.ts'
import { baselineOf, baselineTerms, estimator } from './baseline/predict.ts'
import type { Sale, UnsoldLot } from './comparables/corpus.ts'
import { buildSalesIndex } from './salesIndex.ts'

/** A past sale and the estimate made without it and its fold. Natural logarithms of cents. */
export interface HeldOutEstimate {
  logValue: number
  logPrice: number
}

/** How many of the newest sales are cross-validated. */
export const CROSS_VALIDATED_SALES = 5_000
const FOLDS = 5
const DAY_MS = 86_400_000

/**
 * Estimates sales, newest first, by cross-validation: their days form five folds of equally many days, and the sales of each
 * fold are estimated from the other four. Sales of one day stay together, because lots of one seller end together and are
 * alike. Returns nothing when all were sold on one day.
 */
export function crossValidate(sales: readonly Sale[], unsold: readonly UnsoldLot[]): HeldOutEstimate[] {
  const foldOf = foldsByDay(sales)
  const asOfMs = sales[0]?.sold_at_ms ?? 0
  const estimates: HeldOutEstimate[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = sales.filter(sale => foldOf(sale.sold_at_ms) !== fold)
    if (others.length === 0 || others.length === sales.length) continue
    const otherUnsold = unsold.filter(lot => foldOf(lot.ended_at_ms) !== fold)
    const index = buildSalesIndex(others, asOfMs)
    const terms = baselineTerms(index.corpus)
    const fit = fitBaseline(index.corpus, otherUnsold, terms)
    const estimate = estimator(index, baselineOf(index.corpus, fit, terms))
    for (const sale of sales) {
      const estimated = foldOf(sale.sold_at_ms) === fold ? estimate(sale) : null
      if (estimated)
        estimates.push({ logValue: estimated.logValue, logPrice: Math.log(sale.final_bid_cents) })
    }
  }
  return estimates
}

function foldsByDay(sales: readonly Sale[]): (ms: number) => number | undefined {
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
  const days = [...new Set(sales.map(sale => dayOf(sale.sold_at_ms)))]
  const folds = new Map(days.map((day, n) => [day, Math.floor((n * FOLDS) / days.length)]))
  return ms => folds.get(dayOf(ms))
}
