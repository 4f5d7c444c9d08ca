import { UserError } from '../../domain/errors.ts'
import { backtest } from '../../domain/valuation/backtest.ts'
import { learnBidPaths } from '../../domain/valuation/bidPaths.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readBidPoints, readEverySale, readUnsold } from '../../infra/valuation/salesHistory.ts'

/** The share of the sales to train on when no day is given. */
const TRAINED_SHARE = 0.7

/**
 * Measures the estimators on the loaded sales that ended on or after a day, trained on the sales before it alone; and the projections
 * of the lots whose bids were observed, each from other lots.
 * @param split null for the day that leaves 30 % of the sales to test on.
 * @throws UserError when no sale is before or after the split.
 */
export async function backtestSales(sql: Sql, split: Date | null) {
  const sales = await readEverySale(sql)
  const splitMs =
    split?.getTime() ??
    dayOf(
      sales.map(sale => sale.sold_at_ms).sort((a, b) => a - b),
      TRAINED_SHARE,
    )
  const day = new Date(splitMs).toISOString().slice(0, 10)
  const result = backtest(sales, splitMs, await readUnsold(sql, new Date(splitMs)))
  if (result.trained_on === 0 || result.tested_on === 0) {
    throw new UserError(
      `Of ${sales.length} loaded sales, ${result.trained_on} ended before ${day}: both sides need some. Load sales, or name another --split.`,
    )
  }
  const points = await readBidPoints(sql, null)
  const observed_lots = new Set(points.map(({ lot_id }) => lot_id)).size
  return {
    split: day,
    ...result,
    projection: { observed_lots, rows: learnBidPaths(points)?.accuracy ?? null },
  }
}

/** The start (UTC) of the day that has this share of the sorted moments before it. */
function dayOf(moments: number[], share: number): number {
  const moment = moments[Math.floor(moments.length * share)] ?? 0
  return new Date(moment).setUTCHours(0, 0, 0, 0)
}
