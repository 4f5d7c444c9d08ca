import { formatNumber } from '../../domain/format.ts'
import { SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { countOpenLots, readLotsToEstimate } from '../../infra/valuation/scoringQueue.ts'
import { type IndexState, readIndex, readIndexState } from '../../infra/valuation/storedIndex.ts'
import { appraiseLots } from './appraiseLots.ts'
import { refreshDueScores } from './refreshDueScores.ts'
import { estimateAllLots } from './rescore.ts'
import { type Rescored, type ScoringSettings, secondsSince } from './scoringResult.ts'

const HOUR_MS = 3_600_000
/** Estimates are never older than this. */
const LONGEST_HOURS = 24
/** The share of the sales that may change before all lots are estimated again. */
const CHANGED_SHARE = 0.01

/**
 * Updates the scores of the open lots at the end of a load: only what has changed, or all of them when the index of sales is out
 * of date (docs/decisions/0012-incremental-scoring.md). Must run under the load lock.
 */
export async function scoreOpenLots(sql: Sql, settings: ScoringSettings): Promise<Rescored> {
  const index = await readIndexState(sql)
  const reason = reasonForFullRun(index, SCORE_VERSION, settings.now)
  const partial = index && !reason ? await updateChangedLots(sql, index, settings) : null
  return partial ?? estimateAllLots(sql, reason ?? 'The index of sales was lost in a crash.', settings)
}

/** Why all lots must be estimated again, as a sentence, or null while the index is recent enough. */
export function reasonForFullRun(
  index: Omit<IndexState, 'id' | 'sell_through'> | null,
  scoreVersion: string,
  now: Date,
): string | null {
  if (index === null) return 'The sales had not been indexed completely.'
  const { as_of, score_version, sales, sales_changed } = index
  if (score_version !== scoreVersion) return `The scores were of version ${score_version}.`
  const hours = (now.getTime() - as_of.getTime()) / HOUR_MS
  if (hours >= LONGEST_HOURS) return `The estimates were ${Math.floor(hours)} hours old.`
  if (hours < 0) return 'The estimates were made later than now: a clock was set back.'
  if (sales_changed <= sales * CHANGED_SHARE) return null
  return `${sales_changed} sales had changed since ${sales} were indexed.`
}

/**
 * Processes the scoring queue: lots that are new, or have another title, category, item or place, are estimated from the stored
 * index of sales; for the others only the score is recomputed, from the estimate they have. Must run under the load lock.
 * @returns null, with nothing done, when an estimate is needed and the stored index is missing.
 */
async function updateChangedLots(
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
  settings.onProgress?.(`Estimating ${formatNumber(lots.length)} new or changed lots.`)
  const started = performance.now()
  const index = await readIndex(sql, id)
  if (index === null) return null
  const seconds_indexing = secondsSince(started)
  const { lots_changed } = await appraiseLots(sql, lots, index, sell_through, settings)
  return { lots: lots.length, changed: lots_changed, seconds_indexing }
}
