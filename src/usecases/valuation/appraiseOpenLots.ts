import { CATEGORIES } from '../../domain/titles/categories.ts'
import { packIndex } from '../../domain/valuation/comparablesPacked.ts'
import { SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import { type AppraisalIndex, AppraisalIndexBuilder } from '../../domain/valuation/trainedIndex.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { type OpenLot, readOpenLots, storeAppraisals } from '../../infra/valuation/appraisals.ts'
import { countUnsold, eachSale, readUnsold } from '../../infra/valuation/salesHistory.ts'
import { beginIndex, finishIndex, type SellThrough } from '../../infra/valuation/salesIndexes.ts'
import { storeIndex } from '../../infra/valuation/salesIndexPieces.ts'
import { dropClosedFromAgenda } from '../../infra/valuation/scoringAgenda.ts'
import { appraiseBatches } from './appraiseBatches.ts'
import { type Rescored, type ScoringSettings, secondsSince } from './rescored.ts'

const PROGRESS_LOTS = 10_000

/**
 * Appraises every open lot from the sales of the trailing 365 days and stores what differs, and the index of these sales
 * for the loads to come. Lots that are over keep their last appraisal. Must run under the load lock.
 * @param reason why, in a sentence.
 */
export async function appraiseOpenLots(
  sql: Sql,
  reason: string,
  { now, onProgress = () => {}, inTwoThreads }: ScoringSettings,
): Promise<Rescored> {
  const started = performance.now()
  const index = await indexSales(sql, now)
  const sales = index.corpus.count
  const sell_through = sellThroughOf(index)
  const id = await beginIndex(sql, { as_of: now, score_version: SCORE_VERSION, sales, sell_through })
  const seconds_indexing = secondsSince(started)
  onProgress(`Indexed ${sales.toLocaleString('en-US')} sales.`)
  const lots = await readOpenLots(sql, now)
  const storingIndex = storeIndex(sql, id, packIndex(index))
  storingIndex.catch(() => {})
  const counts = await storeAppraised(sql, lots, index, { now, onProgress, inTwoThreads })
  await storingIndex
  await dropClosedFromAgenda(sql, now)
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

async function indexSales(sql: Sql, now: Date): Promise<AppraisalIndex> {
  const builder = new AppraisalIndexBuilder(now.getTime())
  await eachSale(sql, now, sale => builder.add(sale))
  return builder.finish({ counts: await countUnsold(sql, now), lots: await readUnsold(sql, now) })
}

/** As every score until the next index takes it. */
function sellThroughOf(index: AppraisalIndex): SellThrough {
  const known = CATEGORIES.map(category => [category, index.sellThrough(category)] as const)
  return Object.fromEntries(known.filter(([, share]) => share !== null))
}

async function storeAppraised(
  sql: Sql,
  lots: readonly OpenLot[],
  index: AppraisalIndex,
  { now, onProgress, inTwoThreads }: ScoringSettings & Required<Pick<ScoringSettings, 'onProgress'>>,
): Promise<Pick<Rescored, 'lots_valued' | 'lots_scored' | 'lots_changed'>> {
  const counts = { lots_valued: 0, lots_scored: 0, lots_changed: 0 }
  let done = 0
  await appraiseBatches({
    lots,
    index,
    moment: { nowMs: now.getTime(), sellThrough: sellThroughOf(index) },
    inTwoThreads,
    store: async batch => {
      counts.lots_changed += await storeAppraisals(sql, batch.rows, { now, estimatedAt: now })
      counts.lots_valued += batch.lots_valued
      counts.lots_scored += batch.lots_scored
      const before = done
      done += batch.lots
      if (Math.floor(done / PROGRESS_LOTS) > Math.floor(before / PROGRESS_LOTS))
        onProgress(
          `Appraised ${done.toLocaleString('en-US')} of ${lots.length.toLocaleString('en-US')} lots.`,
        )
    },
  })
  return counts
}
