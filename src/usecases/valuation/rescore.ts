import { formatNumber } from '../../domain/format.ts'
import { CATEGORIES } from '../../domain/titles/categories.ts'
import { SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import { type AppraisalIndex, AppraisalIndexBuilder } from '../../domain/valuation/trainedIndex.ts'
import { tidyLots } from '../../infra/ingestion/loads.ts'
import { withLoadLock } from '../../infra/ingestion/locks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readOpenLots } from '../../infra/valuation/appraisals.ts'
import { countUnsold, readSales, readUnsold } from '../../infra/valuation/salesHistory.ts'
import { dropEndedFromQueue } from '../../infra/valuation/scoringQueue.ts'
import { beginIndex, finishIndex, type SellThrough, storeIndex } from '../../infra/valuation/storedIndex.ts'
import { appraiseLots } from './appraiseLots.ts'
import { type Rescored, type ScoringSettings, secondsSince } from './scoringResult.ts'

/**
 * Estimates and scores every open lot, whatever has changed.
 * @param sql an admin connection: the load lock belongs to its session.
 */
export async function rescore(sql: Sql, settings: ScoringSettings): Promise<Rescored> {
  const onWait = () => settings.onProgress?.('A load is running: waiting for it to end.')
  return withLoadLock(sql, onWait, async () => {
    const rescored = await estimateAllLots(sql, 'A full run was requested.', settings)
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}

/**
 * Builds and stores the index over the sales of the trailing 365 days, and estimates every open lot from it. Closed lots keep
 * their last appraisal. Must run under the load lock.
 * @param reason why the run is full, as a sentence.
 */
export async function estimateAllLots(
  sql: Sql,
  reason: string,
  settings: ScoringSettings,
): Promise<Rescored> {
  const { now, onProgress = () => {} } = settings
  const started = performance.now()
  const index = await buildIndex(sql, now)
  const sales = index.corpus.count
  const sell_through = sellThroughOf(index)
  const id = await beginIndex(sql, { as_of: now, score_version: SCORE_VERSION, sales, sell_through })
  await storeIndex(sql, id, index)
  const seconds_indexing = secondsSince(started)
  onProgress(`Indexed ${formatNumber(sales)} sales.`)
  const lots = await readOpenLots(sql, now)
  const counts = await appraiseLots(sql, lots, index, sell_through, settings)
  await dropEndedFromQueue(sql, now)
  await finishIndex(sql, id, now)
  return {
    mode: 'full',
    reason,
    sales,
    estimated_at: now.toISOString(),
    lots_open: lots.length,
    lots_estimated: lots.length,
    lots_rescored: 0,
    lots_untouched: 0,
    ...counts,
    seconds: secondsSince(started),
    seconds_indexing,
  }
}

async function buildIndex(sql: Sql, now: Date): Promise<AppraisalIndex> {
  const builder = new AppraisalIndexBuilder(now.getTime())
  for await (const sales of readSales(sql, now)) for (const sale of sales) builder.add(sale)
  return builder.finish({ counts: await countUnsold(sql, now), lots: await readUnsold(sql, now) })
}

/** Sell-through per category, used by every score until the next index. */
function sellThroughOf(index: AppraisalIndex): SellThrough {
  const known = CATEGORIES.map(category => [category, index.sellThrough(category)] as const)
  return Object.fromEntries(known.filter(([, share]) => share !== null))
}
