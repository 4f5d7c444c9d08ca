import type { Sql } from '../../infra/postgres/database.ts'
import { readIndexState } from '../../infra/valuation/salesIndexes.ts'
import { scoreDueLots } from './scoreDueLots.ts'

/** Of 100,000 live lots, 70 a minute come due by the time that passes; after a pause this catches up. */
const MOST_LOTS = 20_000

/**
 * Scores anew what has come due since the last load, mostly because time has passed, so that a stored score, which a search
 * sorts by, is never older than the interval at which this is called. For a timer of the service: autocommit statements
 * only; it leaves everything to a load that runs.
 * @returns how many scores were made anew.
 */
export async function keepScoresFresh(sql: Sql, now: Date | null): Promise<number> {
  const index = await readIndexState(sql)
  if (index === null) return 0
  const { lots } = await scoreDueLots(sql, { now, sellThrough: index.sell_through, mostLots: MOST_LOTS })
  return lots
}
