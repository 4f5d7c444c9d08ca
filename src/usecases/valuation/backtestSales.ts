import { accuracyOf } from '../../domain/valuation/accuracy.ts'
import { judgeWeeks, weeklySample } from '../../domain/valuation/judgedWeeks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { judgeLoggedCloses } from '../../infra/valuation/closeLog.ts'
import { readSales, readUnsold } from '../../infra/valuation/salesHistory.ts'

/**
 * Measures what `/accuracy` shows, on the sales that are loaded now: the estimates of the newest weeks, each learned from the sales
 * before it, and the closes that were logged before the end.
 */
export async function backtestSales(sql: Sql, now: Date) {
  const sample = weeklySample()
  for await (const sales of readSales(sql, now)) for (const sale of sales) sample.add(sale)
  const { judged, unvalued } = judgeWeeks(sample.sales, await readUnsold(sql, now))
  return { accuracy: accuracyOf(judged, unvalued), closes: await judgeLoggedCloses(sql) }
}
