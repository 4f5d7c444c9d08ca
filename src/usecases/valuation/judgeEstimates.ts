import { accuracyOf } from '../../domain/appraisal/accuracy.ts'
import { judgeWeeks, weeklySample } from '../../domain/valuation/judgedWeeks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import {
  type ModelAccuracy,
  storeAccuracy,
} from '../../infra/valuation/models.ts'
import { readSales, readUnsold } from '../../infra/valuation/salesHistory.ts'

/**
 * Measures how well estimates of the newest eight weeks held, each from the
 * sales before its week, and stores that for /accuracy. It keeps the event loop
 * busy for as long as learning eight models takes, so it is no part of a load,
 * and must not run in a serving process.
 */
export async function judgeEstimates(
  sql: Sql,
  now: Date,
): Promise<ModelAccuracy> {
  const sample = weeklySample()
  for await (const sales of readSales(sql, now)) {
    for (const sale of sales) sample.add(sale)
    if (sample.isFull()) break
  }
  const { judged, unvalued } = judgeWeeks(
    sample.sales,
    await readUnsold(sql, now),
  )
  return storeAccuracy(sql, accuracyOf(judged, unvalued), now)
}
