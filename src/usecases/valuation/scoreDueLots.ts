import type { Sql } from '../../infra/postgres/database.ts'
import type { SellThrough } from '../../infra/valuation/salesIndexes.ts'
import {
  type DueLot,
  dropClosedFromAgenda,
  readLotsToScore,
  storeScores,
} from '../../infra/valuation/scoringAgenda.ts'
import { type Estimate, scoreRow } from './appraisalRow.ts'

interface DueSettings {
  /** Null is the clock of the database. */
  now: Date | null
  sellThrough: SellThrough
  /** Stop after so many. */
  mostLots?: number
}

const BATCH_LOTS = 1000

/**
 * Makes the scores that are due anew from the estimates that the lots have: after a change of what is asked for them, or
 * when the time left changes the score. Each batch is two autocommit statements, which leave everything to a load that
 * runs beside them.
 */
export async function scoreDueLots(
  sql: Sql,
  { now, sellThrough, mostLots = Number.POSITIVE_INFINITY }: DueSettings,
): Promise<{ lots: number; changed: number }> {
  const done = { lots: 0, changed: 0 }
  await dropClosedFromAgenda(sql, now)
  while (done.lots < mostLots) {
    const due = await readLotsToScore(sql, now, Math.min(BATCH_LOTS, mostLots - done.lots))
    if (due.length === 0) break
    const changed = await storeScores(sql, JSON.stringify(due.map(lot => rowOf(lot, sellThrough))), now)
    if (changed === null) break
    done.lots += due.length
    done.changed += changed
  }
  return done
}

function rowOf(lot: DueLot, sellThrough: SellThrough) {
  const row = scoreRow(lot, estimateOf(lot), { nowMs: lot.now_ms, sellThrough })
  return { ...row, read_due_at: lot.due_at, read_changes: lot.changes }
}

function estimateOf(lot: DueLot): Estimate | null {
  const { estimated_value_cents, likely_low_cents, likely_high_cents, confidence, comparables_count } = lot
  if (estimated_value_cents === null || confidence === null || comparables_count === null) return null
  const hasBand = likely_low_cents !== null && likely_high_cents !== null
  const band = hasBand ? { likely_low_cents, likely_high_cents } : null
  return { value_cents: estimated_value_cents, band, confidence, comparables_count }
}
