import type { Sql } from '../../infra/postgres/database.ts'
import { countOpenLots, readLotsToEstimate } from '../../infra/valuation/scoringQueue.ts'
import { type IndexState, readIndex } from '../../infra/valuation/storedIndex.ts'
import { appraiseLots } from './appraiseLots.ts'
import { refreshDueScores } from './refreshDueScores.ts'
import { type Rescored, type ScoringSettings, secondsSince } from './scoringResult.ts'

/**
 * Processes the scoring queue: lots that are new, or have another title, category, item or place, are estimated from the stored
 * index of sales; for the others only the score is recomputed, from the estimate they have. Must run under the load lock.
 * @returns null, with nothing done, when an estimate is needed and the stored index is missing.
 */
export async function updateChangedLots(
  sql: Sql,
  index: IndexState,
  settings: ScoringSettings,
): Promise<Rescored | null> {
  const started = performance.now()
  const { now } = settings
  const estimated = await estimateLots(sql, index, settings)
  if (estimated === null) return null
  const scored = await refreshDueScores(sql, { now, sellThrough: index.sell_through })
  const counts = await countOpenLots(sql)
  return {
    mode: 'partial',
    reason: null,
    sales: index.sales,
    estimated_at: index.as_of.toISOString(),
    ...counts,
    lots_estimated: estimated.lots,
    lots_rescored: scored.lots,
    lots_untouched: counts.lots_open - estimated.lots - scored.lots,
    lots_changed: estimated.changed + scored.changed,
    seconds: secondsSince(started),
    seconds_indexing: estimated.seconds_indexing,
  }
}

async function estimateLots(
  sql: Sql,
  { id, sell_through }: IndexState,
  settings: ScoringSettings,
): Promise<{ lots: number; changed: number; seconds_indexing: number } | null> {
  const lots = await readLotsToEstimate(sql, settings.now)
  if (lots.length === 0) return { lots: 0, changed: 0, seconds_indexing: 0 }
  settings.onProgress?.(`Estimating ${lots.length.toLocaleString('en-US')} new or changed lots.`)
  const started = performance.now()
  const index = await readIndex(sql, id)
  if (index === null) return null
  const seconds_indexing = secondsSince(started)
  const { lots_changed } = await appraiseLots(sql, lots, index, sell_through, settings)
  return { lots: lots.length, changed: lots_changed, seconds_indexing }
}
