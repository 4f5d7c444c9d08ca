import { estimator } from './appraisalEstimate.ts'
import { fitBaseline } from './baseline/fit.ts'
import { baselineOf, baselineTerms } from './baseline/predict.ts'
import type { Sale, UnsoldLot } from './comparables/corpus.ts'
import { buildSalesIndex } from './salesIndex.ts'

/** A past sale that was estimated as though it and all others of its days were not known. Natural logarithms of cents. */
export interface Trial {
  logValue: number
  logPrice: number
}

/** So many of the newest sales are tried. */
export const TRIED = 5_000
const PARTS = 5
const DAY_MS = 86_400_000

/**
 * Estimates sales, newest first: their days are cut into five parts of equally many days, and the sales of each part are
 * estimated from those of the other four. Sales of one day stay together, because a seller's lots end together and are
 * alike. Nothing can be tried while all were sold on one day.
 */
export function tryOut(sales: readonly Sale[], unsold: readonly UnsoldLot[]): Trial[] {
  const partOf = partsByDay(sales)
  const asOfMs = sales[0]?.sold_at_ms ?? 0
  const trials: Trial[] = []
  for (let part = 0; part < PARTS; part++) {
    const others = sales.filter(sale => partOf(sale.sold_at_ms) !== part)
    if (others.length === 0 || others.length === sales.length) continue
    const otherUnsold = unsold.filter(lot => partOf(lot.ended_at_ms) !== part)
    const index = buildSalesIndex(others, asOfMs)
    const terms = baselineTerms(index.corpus)
    const fit = fitBaseline(index.corpus, otherUnsold, terms)
    const estimate = estimator(index, baselineOf(index.corpus, fit, terms))
    for (const sale of sales) {
      const estimated = partOf(sale.sold_at_ms) === part ? estimate(sale) : null
      if (estimated) trials.push({ logValue: estimated.logValue, logPrice: Math.log(sale.final_bid_cents) })
    }
  }
  return trials
}

function partsByDay(sales: readonly Sale[]): (ms: number) => number | undefined {
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
  const days = [...new Set(sales.map(sale => dayOf(sale.sold_at_ms)))]
  const parts = new Map(days.map((day, n) => [day, Math.floor((n * PARTS) / days.length)]))
  return ms => parts.get(dayOf(ms))
}
