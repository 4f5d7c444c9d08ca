import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type AppraisalRow,
  appraisalRow,
  type OpenLot,
  type ScoreBasis,
} from '../../domain/appraisal/appraisalRow.ts'
import { count, formatNumber, workLeft } from '../../domain/format.ts'
import { estimator, type Model } from '../../domain/valuation/model.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { storeAppraisals } from '../../infra/valuation/appraisals.ts'
import {
  logEstimates,
  publishFinishedDays,
} from '../../infra/valuation/provenLogs.ts'

/** The result of scoring the open lots. */
export interface Rescored {
  /**
   * `full`: all open lots were estimated; `partial`: only what had changed was
   * estimated or scored.
   */
  mode: 'full' | 'partial'
  /** Why the run was full, as a sentence; null for a partial run. */
  reason: string | null
  /** Sales of the trailing 365 days that the estimates rest on. */
  sales: number
  /** The moment of these sales. */
  estimated_at: string
  lots_open: number
  /** Open lots with an estimated value. */
  lots_valued: number
  /** Open lots with an estimated value and a price, hence with a score. */
  lots_scored: number
  /** Lots estimated in this run. */
  lots_estimated: number
  /** Lots whose score was recomputed from the estimate they had. */
  lots_rescored: number
  /** Open lots that needed neither. */
  lots_untouched: number
  /** Lots whose appraisal or score changed. */
  lots_changed: number
  seconds: number
  /** Part of `seconds`: building or reading the model of sales. */
  seconds_indexing: number
}

export interface ScoringSettings {
  now: Date
  /** Receives progress as sentences. */
  onProgress?: (message: string) => void
}

export function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}

const BATCH_LOTS = 500
const PROGRESS_LOTS = 10_000

/**
 * Appraises lots from a model and stores what changed, a batch at a time.
 * PostgreSQL stores one batch while the next is computed. It keeps the event
 * loop busy for minutes with many lots, so it must not run in a serving
 * process.
 */
export async function appraiseLots(
  sql: Sql,
  lots: readonly OpenLot[],
  model: Model,
  basis: ScoreBasis,
  { now, onProgress = () => {} }: ScoringSettings,
) {
  const appraise = estimator(model)
  const moment = { ...basis, nowMs: now.getTime() }
  const counts = { lots_valued: 0, lots_scored: 0, lots_changed: 0 }
  const began = performance.now()
  await publishFinishedDays(sql, now)
  let storing = Promise.resolve(0)
  for (let at = 0; at < lots.length; at += BATCH_LOTS) {
    const rows = lots
      .slice(at, at + BATCH_LOTS)
      .map(lot => appraisalRow(lot, appraise(lot), moment))
    counts.lots_valued += rows.filter(
      row => row.estimated_value_cents !== null,
    ).length
    counts.lots_scored += rows.filter(row => row.flip_score !== null).length
    counts.lots_changed += await storing
    storing = store(sql, rows, {
      now,
      estimatedAt: new Date(model.columns.asOfMs),
    })
    storing.catch(() => {})
    await nextTurn()
    const done = at + rows.length
    if (done % PROGRESS_LOTS === 0)
      onProgress(
        `Appraised ${formatNumber(done)} of ${count(lots.length, 'lot')}${workLeft(done, lots.length, performance.now() - began)}.`,
      )
  }
  counts.lots_changed += await storing
  return counts
}

/**
 * Stores appraisals, and logs those from comparables. Returns how many changed.
 */
async function store(
  sql: Sql,
  rows: AppraisalRow[],
  moment: { now: Date; estimatedAt: Date },
) {
  const changed = await storeAppraisals(sql, rows, moment)
  const known = rows.filter(row => row.value_grade === 'comparables')
  await logEstimates(sql, known, moment.now)
  return changed
}
