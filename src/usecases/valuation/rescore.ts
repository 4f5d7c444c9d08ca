import { SCORE_VERSION } from '../../domain/appraisal/flipScore.ts'
import { count, formatNumber } from '../../domain/format.ts'
import {
  type BidPoint,
  learnBidPaths,
} from '../../domain/valuation/bidPaths.ts'
import { type Model, modelBuilder } from '../../domain/valuation/model.ts'
import { sellThroughOf } from '../../domain/valuation/pastSales.ts'
import { reasonForFullRun } from '../../domain/valuation/reasonForFullRun.ts'
import { analyzeLots, tidyLots } from '../../infra/ingestion/loads.ts'
import { withLock } from '../../infra/ingestion/locks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readOpenLots } from '../../infra/valuation/appraisals.ts'
import {
  finishModel,
  type ModelState,
  readModel,
  readModelState,
  storeModel,
} from '../../infra/valuation/models.ts'
import {
  countUnsold,
  readBidPoints,
  readSales,
  readUnsold,
} from '../../infra/valuation/salesHistory.ts'
import {
  countOpenLots,
  dropEndedFromQueue,
} from '../../infra/valuation/scoringQueue.ts'
import {
  appraiseLots,
  type Rescored,
  type ScoringSettings,
  secondsSince,
} from './appraiseLots.ts'
import { refreshDueScores, refreshNeighbors } from './refreshDueScores.ts'

/**
 * Estimates and scores every open lot, whatever has changed.
 * @param sql an admin connection: the load lock belongs to its session.
 */
export function rescore(
  sql: Sql,
  settings: ScoringSettings,
): Promise<Rescored> {
  return scoreAlone(sql, settings, () =>
    estimateAllLots(sql, 'A full run was requested.', settings),
  )
}

/** Scores what loads left for later. @param sql an admin connection. */
export function scoreAfterLoads(
  sql: Sql,
  settings: ScoringSettings,
): Promise<Rescored> {
  return scoreAlone(sql, settings, () => scoreOpenLots(sql, settings))
}

function scoreAlone(
  sql: Sql,
  { onProgress }: ScoringSettings,
  score: () => Promise<Rescored>,
) {
  return withLock(sql, 'loads', onProgress, async () => {
    const rescored = await score()
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}

/**
 * Updates the scores of the open lots at the end of a load: only what has
 * changed, or all of them when the model of sales is out of date
 * (docs/valuation.md). Must run under the load lock.
 */
export async function scoreOpenLots(
  sql: Sql,
  settings: ScoringSettings,
): Promise<Rescored> {
  const model = await readModelState(sql)
  const reason = reasonForFullRun(model, SCORE_VERSION, settings.now)
  const partial =
    model && !reason ? await updateChangedLots(sql, model, settings) : null
  return (
    partial ??
    estimateAllLots(
      sql,
      reason ?? 'The model of sales was lost in a crash.',
      settings,
    )
  )
}

/**
 * Processes the scoring queue: lots that are new, or have another title,
 * category, item or place, are estimated from the stored model of sales; for
 * the others only the score is recomputed, from the estimate they have. Must
 * run under the load lock.
 * @returns null, with nothing done, when an estimate is needed and the stored
 * model is missing.
 */
async function updateChangedLots(
  sql: Sql,
  state: ModelState,
  settings: ScoringSettings,
): Promise<Rescored | null> {
  const started = performance.now()
  const { now, onProgress = () => {} } = settings
  const { id, sales, as_of } = state
  const lots = await readOpenLots(sql, now, 'queued')
  let lots_changed = 0
  let seconds_indexing = 0
  if (lots.length > 0) {
    onProgress(`Estimating ${formatNumber(lots.length)} new or changed lots.`)
    const read = performance.now()
    const model = await readModel(sql, id)
    if (model === null) return null
    seconds_indexing = secondsSince(read)
    lots_changed = (await appraiseLots(sql, lots, model, state, settings))
      .lots_changed
  }
  await refreshNeighbors(sql, now, sales)
  const scored = await refreshDueScores(sql, now, state)
  const counts = await countOpenLots(sql)
  return {
    mode: 'partial',
    reason: null,
    sales,
    estimated_at: as_of.toISOString(),
    ...counts,
    lots_estimated: lots.length,
    lots_rescored: scored.lots,
    lots_untouched: Math.max(0, counts.lots_open - lots.length - scored.lots),
    lots_changed: lots_changed + scored.changed,
    seconds: secondsSince(started),
    seconds_indexing,
  }
}

/**
 * Builds and stores the model over the sales of the trailing 365 days, and
 * estimates every open lot from it. Closed lots keep their last appraisal. The
 * neighbors go by the new values. Must run under the load lock.
 * @param reason why the run is full, as a sentence.
 */
async function estimateAllLots(
  sql: Sql,
  reason: string,
  settings: ScoringSettings,
): Promise<Rescored> {
  const { now, onProgress = () => {} } = settings
  const started = performance.now()
  await analyzeLots(sql)
  const bids = await readBidPoints(sql, now)
  const model = await readAndLearn(sql, now, bids)
  const sales = model.columns.inWindow
  const bid_paths = learnBidPaths(bids)
  const sell_through = sellThroughOf(model.columns, await countUnsold(sql, now))
  const basis = { sell_through, bid_paths, chance: model.fit.chance }
  const state = { as_of: now, score_version: SCORE_VERSION, sales, ...basis }
  const id = await storeModel(sql, state, model)
  const seconds_indexing = secondsSince(started)
  onProgress(`Indexed ${count(sales, 'sale')}.`)
  const lots = await readOpenLots(sql, now, 'all')
  const counts = await appraiseLots(sql, lots, model, basis, settings)
  await refreshNeighbors(sql, now, sales)
  await refreshDueScores(sql, now, basis)
  await dropEndedFromQueue(sql, now)
  await finishModel(sql, id, now)
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

async function readAndLearn(
  sql: Sql,
  now: Date,
  bids: BidPoint[],
): Promise<Model> {
  const builder = modelBuilder(now.getTime())
  for await (const sales of readSales(sql, now))
    for (const sale of sales) builder.add(sale)
  return builder.finish(await readUnsold(sql, now), bids)
}
