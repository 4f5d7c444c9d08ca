import { accuracyOf } from '../../domain/valuation/accuracy.ts'
import { learnBidPaths } from '../../domain/valuation/bidPaths.ts'
import { judgeWeeks, weeklySample } from '../../domain/valuation/judgedWeeks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readBidPoints, readSales, readUnsold } from '../../infra/valuation/salesHistory.ts'

/**
 * Measures what `/accuracy` shows, on the sales that are loaded now: the estimates of the newest weeks, each learned from the sales
 * before it, and the projections of the lots whose bids were observed, each from other lots.
 */
export async function backtestSales(sql: Sql, now: Date) {
  const sample = weeklySample()
  for await (const sales of readSales(sql, now)) for (const sale of sales) sample.add(sale)
  const { judged, unvalued } = judgeWeeks(sample.sales, await readUnsold(sql, now))
  const points = await readBidPoints(sql, now)
  const observed_lots = new Set(points.map(({ lot_id }) => lot_id)).size
  return {
    accuracy: accuracyOf(judged, unvalued),
    projection: { observed_lots, rows: learnBidPaths(points)?.accuracy ?? null },
  }
}
