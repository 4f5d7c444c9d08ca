import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatNumber, workLeft } from '../../domain/format.ts'
import { allInCostCents, priceOf, resaleMargin } from '../../domain/price.ts'
import type { CalibratedValue } from '../../domain/valuation/calibratedValue.ts'
import { flipScore, hoursLeftAtNextScore, SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import type { Model } from '../../domain/valuation/model.ts'
import { type Estimate, estimator } from '../../domain/valuation/model.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import {
  type AppraisalRow,
  type OpenLot,
  type ScoreRow,
  storeAppraisals,
} from '../../infra/valuation/appraisals.ts'
import type { SellThrough } from '../../infra/valuation/models.ts'

/** The result of scoring the open lots. */
export interface Rescored {
  /** `full`: all open lots were estimated; `partial`: only what had changed was estimated or scored. */
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
 * Appraises lots from a model and stores what changed, a batch at a time. PostgreSQL stores one batch while the next is
 * computed. It keeps the event loop busy for minutes with many lots, so it must not run in a serving process.
 */
export async function appraiseLots(
  sql: Sql,
  lots: readonly OpenLot[],
  model: Model,
  sellThrough: SellThrough,
  { now, onProgress = () => {} }: ScoringSettings,
): Promise<Pick<Rescored, 'lots_valued' | 'lots_scored' | 'lots_changed'>> {
  const appraise = estimator(model)
  const moment = { nowMs: now.getTime(), sellThrough }
  const counts = { lots_valued: 0, lots_scored: 0, lots_changed: 0 }
  const began = performance.now()
  let storing = Promise.resolve(0)
  for (let at = 0; at < lots.length; at += BATCH_LOTS) {
    const rows = lots.slice(at, at + BATCH_LOTS).map(lot => appraisalRow(lot, appraise(lot), moment))
    counts.lots_valued += rows.filter(row => row.estimated_value_cents !== null).length
    counts.lots_scored += rows.filter(row => row.flip_score !== null).length
    counts.lots_changed += await storing
    storing = storeAppraisals(sql, rows, { now, estimatedAt: new Date(model.columns.asOfMs) })
    storing.catch(() => {})
    await nextTurn()
    const done = at + rows.length
    if (done % PROGRESS_LOTS === 0)
      onProgress(
        `Appraised ${formatNumber(done)} of ${formatNumber(lots.length)} lots${workLeft(done, lots.length, performance.now() - began)}.`,
      )
  }
  counts.lots_changed += await storing
  return counts
}

/** The part of an appraisal that a score is made from. */
export type StoredEstimate = CalibratedValue & { comparables_count: number }

/** The inputs of a score that are the same for all lots of a run. */
export interface ScoringMoment {
  nowMs: number
  /** The share of a category's closed lots that sold; absent where unknown. */
  sellThrough: Readonly<Record<string, number>>
}

const HOUR_MS = 3_600_000
const NO_BAND = {
  likely_low_cents: null,
  likely_high_cents: null,
  range_low_cents: null,
  range_high_cents: null,
}

/** Makes the stored row of a lot's appraisal. */
export function appraisalRow(lot: OpenLot, appraisal: Estimate | null, moment: ScoringMoment): AppraisalRow {
  const estimate = appraisal && { ...appraisal, comparables_count: appraisal.comparables.length }
  return {
    ...scoreRow(lot, estimate, moment),
    estimated_value_cents: appraisal?.value_cents ?? null,
    ...(appraisal?.band ?? NO_BAND),
    confidence: appraisal?.confidence ?? 0,
    sale_ids: appraisal?.comparables.map(comparable => comparable.id) ?? [],
    similarities: appraisal?.comparables.map(comparable => comparable.similarity) ?? [],
  }
}

/** Makes the stored row of a lot's score from its estimate and its current price. */
export function scoreRow(
  lot: OpenLot,
  estimate: StoredEstimate | null,
  { nowMs, sellThrough }: ScoringMoment,
): ScoreRow {
  const { id: lot_id, num_bids, condition_grade, ends_at_ms } = lot
  const cost = allInCostCents(lot)
  const price_kind = cost === null ? null : priceOf(lot)!.kind
  const value_cents = estimate?.value_cents ?? null
  const margin = resaleMargin(value_cents, cost)
  const hours_left = ends_at_ms === null ? null : (ends_at_ms - nowMs) / HOUR_MS
  const score = flipScore({
    value_cents,
    band: estimate?.band ?? null,
    confidence: estimate?.confidence ?? 0,
    comparables_count: estimate?.comparables_count ?? 0,
    all_in_cost_cents: cost,
    price_kind,
    num_bids,
    condition_grade,
    hours_left,
    sell_through: sellThrough[lot.category] ?? null,
  })
  return {
    lot_id,
    all_in_cost_cents: cost,
    resale_margin_cents: margin?.margin_cents ?? null,
    resale_margin_percent: margin?.margin_percent ?? null,
    flip_score: score?.flip_score ?? null,
    factors: score?.factors ?? null,
    score_version: SCORE_VERSION,
    price_kind,
    due_at: dueAt(ends_at_ms, hours_left),
  }
}

/** The first millisecond at which time alone can change the score; at the latest the end of the lot. */
function dueAt(endsAtMs: number | null, hoursLeft: number | null): string {
  const next = hoursLeftAtNextScore(hoursLeft)
  if (endsAtMs === null || next === null) return 'infinity'
  return new Date(next === 0 ? Math.ceil(endsAtMs) : Math.floor(endsAtMs - next * HOUR_MS) + 1).toISOString()
}
