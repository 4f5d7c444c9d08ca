import { unpackIndex } from '../../domain/valuation/comparablesPacked.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { storeAppraisals } from '../../infra/valuation/appraisals.ts'
import type { IndexState } from '../../infra/valuation/salesIndexes.ts'
import { readIndex } from '../../infra/valuation/salesIndexPieces.ts'
import { countOpenLots, readLotsToEstimate } from '../../infra/valuation/scoringAgenda.ts'
import { appraiseBatches } from './appraiseBatches.ts'
import { type Rescored, type ScoringSettings, secondsSince } from './rescored.ts'
import { scoreDueLots } from './scoreDueLots.ts'

/**
 * Scores what the agenda has for now: lots that are new, or called or filed otherwise, are estimated from the stored index
 * of sales; of the others only the score is made anew, from the estimate they have. Must run under the load lock.
 * @returns null, with nothing done, when an estimate is needed and the index is not there.
 */
export async function scoreChangedLots(
  sql: Sql,
  index: IndexState,
  settings: ScoringSettings,
): Promise<Rescored | null> {
  const started = performance.now()
  const { now } = settings
  const estimated = await estimateLots(sql, index, settings)
  if (estimated === null) return null
  const scored = await scoreDueLots(sql, { now, sellThrough: index.sell_through })
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
  { id, as_of, sell_through }: IndexState,
  { now, onProgress = () => {}, inTwoThreads }: ScoringSettings,
): Promise<{ lots: number; changed: number; seconds_indexing: number } | null> {
  const lots = await readLotsToEstimate(sql, now)
  if (lots.length === 0) return { lots: 0, changed: 0, seconds_indexing: 0 }
  onProgress(`Estimating ${lots.length.toLocaleString('en-US')} new or changed lots.`)
  const started = performance.now()
  const packed = await readIndex(sql, id)
  if (packed === null) return null
  const index = unpackIndex(packed)
  const seconds_indexing = secondsSince(started)
  let changed = 0
  await appraiseBatches({
    lots,
    index,
    moment: { nowMs: now.getTime(), sellThrough: sell_through },
    inTwoThreads,
    store: async batch => {
      changed += await storeAppraisals(sql, batch.rows, { now, estimatedAt: as_of })
    },
  })
  return { lots: lots.length, changed, seconds_indexing }
}
