import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Appraisal, appraiser } from '../../domain/valuation/appraisal.ts'
import { buildSalesIndex, type SalesIndex } from '../../domain/valuation/comparables.ts'
import { flipScore, SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import { allInCostCents, resaleMargin } from '../../domain/valuation/resaleMargin.ts'
import type { Sql } from '../../infra/database.ts'
import {
  type AppraisalRow,
  type OpenLot,
  readOpenLots,
  storeAppraisals,
} from '../../infra/valuation/appraisals.ts'
import { countUnsold, readSales, readUnsold } from '../../infra/valuation/salesHistory.ts'

export interface Rescored {
  /** Sales of the trailing 365 days. */
  sales: number
  lots_open: number
  /** Open lots with an estimated value. */
  lots_valued: number
  /** Open lots with an estimated value and a price, hence with a score. */
  lots_scored: number
  /** Lots whose appraisal or score is another than before. */
  lots_changed: number
  seconds: number
  /** Of these: reading the sales and making them searchable. */
  seconds_indexing: number
}

export interface AppraisalSettings {
  now: Date
  /** Is told how far the work is, in a sentence. */
  onProgress?: (message: string) => void
}

const BATCH_LOTS = 1000
const PROGRESS_LOTS = 10_000
const HOUR_MS = 3_600_000

/**
 * Appraises every open lot from the sales of the trailing 365 days and stores what differs. Lots that are over keep their
 * last appraisal. Must run under the load lock; `rescore` takes it.
 */
export async function appraiseOpenLots(
  sql: Sql,
  { now, onProgress = () => {} }: AppraisalSettings,
): Promise<Rescored> {
  const started = performance.now()
  const sales = await readSales(sql, now)
  const unsold = await readUnsold(sql, now)
  const index = buildSalesIndex(sales, now.getTime(), await countUnsold(sql, now), unsold)
  const appraise = appraiser(index)
  const seconds_indexing = secondsSince(started)
  onProgress(`Indexed ${sales.length.toLocaleString('en-US')} sales.`)
  const lots = await readOpenLots(sql, now)
  const rowOf = (lot: OpenLot) => appraisalRow(lot, appraise(lot), index, now)
  const counts = await storeInBatches(sql, lots, rowOf, { now, onProgress })
  const seconds = secondsSince(started)
  return { sales: sales.length, lots_open: lots.length, ...counts, seconds, seconds_indexing }
}

async function storeInBatches(
  sql: Sql,
  lots: OpenLot[],
  rowOf: (lot: OpenLot) => AppraisalRow,
  { now, onProgress }: Required<AppraisalSettings>,
): Promise<Pick<Rescored, 'lots_valued' | 'lots_scored' | 'lots_changed'>> {
  const counts = { lots_valued: 0, lots_scored: 0, lots_changed: 0 }
  let storing = Promise.resolve(0)
  for (let start = 0; start < lots.length; start += BATCH_LOTS) {
    const rows = lots.slice(start, start + BATCH_LOTS).map(rowOf)
    counts.lots_valued += rows.filter(row => row.estimated_value_cents !== null).length
    counts.lots_scored += rows.filter(row => row.flip_score !== null).length
    counts.lots_changed += await storing
    storing = storeAppraisals(sql, rows, now)
    storing.catch(() => {})
    // Postgres is sent these before the next ones are appraised, and stores them meanwhile.
    await nextTurn()
    const done = start + rows.length
    if (done % PROGRESS_LOTS === 0)
      onProgress(`Appraised ${done.toLocaleString('en-US')} of ${lots.length.toLocaleString('en-US')} lots.`)
  }
  counts.lots_changed += await storing
  return counts
}

function appraisalRow(lot: OpenLot, appraisal: Appraisal | null, index: SalesIndex, now: Date): AppraisalRow {
  const { id: lot_id, num_bids, condition_grade } = lot
  const cost = allInCostCents(lot)
  const value_cents = appraisal?.value_cents ?? null
  const margin = resaleMargin(value_cents, cost)
  const score = flipScore({
    value_cents,
    band: appraisal?.band ?? null,
    confidence: appraisal?.confidence ?? 0,
    comparables_count: appraisal?.comparables.length ?? 0,
    all_in_cost_cents: cost,
    num_bids,
    condition_grade,
    hours_left: lot.ends_at_ms === null ? null : (lot.ends_at_ms - now.getTime()) / HOUR_MS,
    sell_through: index.sellThrough(lot.category),
  })
  return {
    lot_id,
    estimated_value_cents: value_cents,
    all_in_cost_cents: cost,
    resale_margin_cents: margin?.margin_cents ?? null,
    resale_margin_percent: margin?.margin_percent ?? null,
    confidence: appraisal?.confidence ?? 0,
    sale_ids: appraisal?.comparables.map(comparable => comparable.id) ?? [],
    similarities: appraisal?.comparables.map(comparable => comparable.similarity) ?? [],
    flip_score: score?.flip_score ?? null,
    factors: score?.factors ?? null,
    score_version: SCORE_VERSION,
  }
}

function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}
