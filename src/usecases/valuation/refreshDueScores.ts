import {
  type ScoreBasis,
  type StoredEstimate,
  scoreRow,
} from '../../domain/appraisal/appraisalRow.ts'
import { SCORE_VERSION } from '../../domain/appraisal/flipScore.ts'
import {
  neighborFactors,
  trustInNeighbors,
} from '../../domain/appraisal/neighbors.ts'
import { bandOf } from '../../domain/valuation/calibratedValue.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { Clock } from '../../infra/postgres/sql.ts'
import {
  readNeighborLots,
  storeNeighborFactors,
} from '../../infra/valuation/appraisals.ts'
import { readModelState } from '../../infra/valuation/models.ts'
import {
  type DueLot,
  dropEndedFromQueue,
  readLotsToScore,
  storeScores,
} from '../../infra/valuation/scoringQueue.ts'

/**
 * Computing a batch holds the event loop of a serving process for 1 ms, 10 ms
 * the first time.
 */
const BATCH_LOTS = 250
/**
 * Of 100,000 open lots, 70 a minute come due by time alone; the limit is for
 * the first minutes after a pause. With 1,000,000 lots a minute's work took
 * longer than a periodic job may be silent, and was logged as a failure.
 */
const MOST_MS_A_MINUTE = 4_000

/**
 * Recomputes the scores that came due since the last load, mostly because time
 * has passed, so a stored score (which a search sorts by) is never older than
 * the interval of these calls. For a timer of the serving process: it uses
 * autocommit statements only, and does nothing while a load runs.
 * @returns how many scores were recomputed.
 */
export async function keepScoresFresh(sql: Sql, now: Clock): Promise<number> {
  const model = await readModelState(sql)
  // What an earlier version estimated is scored again by the next load, which
  // estimates it anew.
  if (model?.score_version !== SCORE_VERSION) return 0
  return (await refreshDueScores(sql, now, model, MOST_MS_A_MINUTE)).lots
}

/**
 * Recomputes the scores that are due from the estimates that the lots have:
 * after a change of the price, or when the time left changes the score. Each
 * batch is two autocommit statements, which give way to a load that runs at the
 * same time.
 * @param mostMs no batch begins later.
 */
export async function refreshDueScores(
  sql: Sql,
  now: Clock,
  basis: ScoreBasis,
  mostMs = Number.POSITIVE_INFINITY,
) {
  const done = { lots: 0, changed: 0 }
  await dropEndedFromQueue(sql, now)
  const startedAt = performance.now()
  while (performance.now() - startedAt < mostMs) {
    const due = await readLotsToScore(sql, now, BATCH_LOTS)
    if (due.length === 0) break
    const rows = due.map(lot => {
      const row = scoreRow(lot, estimateOf(lot), {
        ...basis,
        nowMs: lot.now_ms,
      })
      return { ...row, read_due_at: lot.due_at, read_changes: lot.changes }
    })
    const changed = await storeScores(sql, rows, now)
    if (changed === null) break
    done.lots += due.length
    done.changed += changed
  }
  return done
}

function estimateOf(lot: DueLot): StoredEstimate | null {
  const { estimated_value_cents, confidence, similarities, no_bid_chance } = lot
  if (estimated_value_cents === null) return null
  return {
    value_cents: estimated_value_cents,
    band: bandOf(lot),
    confidence,
    similarities,
    no_bid_chance,
  }
}

/**
 * In ln of the value: factors move in such steps, so that one bid rescores few
 * of its sale, and lots of one title have one value.
 */
const STEP = 0.05

/**
 * Compares the bids on all open lots with their values, and queues the lots
 * whose neighbors go otherwise than before for another score. Must run under
 * the load lock.
 * @param sales how many the values rest on.
 */
export async function refreshNeighbors(
  sql: Sql,
  now: Date,
  sales: number,
): Promise<void> {
  const lots = await readNeighborLots(sql, now)
  const factors = neighborFactors(lots, now.getTime(), trustInNeighbors(sales))
  const moved = lots.flatMap(({ lot_id, neighbor_factor: before }, n) => {
    const neighbor_factor = Math.exp(
      STEP * Math.round(Math.log(factors[n]!) / STEP),
    )
    return neighbor_factor === before ? [] : [{ lot_id, neighbor_factor }]
  })
  if (moved.length > 0) await storeNeighborFactors(sql, moved)
}
