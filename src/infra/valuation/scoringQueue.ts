import type { OpenLot, ScoreRow } from '../../domain/appraisal/appraisalRow.ts'
import type { ValueBand } from '../../domain/valuation/calibratedValue.ts'
import { takesLoadLock } from '../ingestion/locks.ts'
import { differIn, rowOf } from '../ingestion/stage.ts'
import { clock } from '../postgres/clock.ts'
import {
  asJson,
  type Clock,
  firstValue,
  onlyRow,
  type Sql,
} from '../postgres/sql.ts'
import {
  copyToLots,
  openLotColumns,
  SCORE_COLUMNS,
  SCORE_TYPES,
  VALUE_COLUMNS,
} from './appraisals.ts'

/** An open lot whose score is due, with its estimate. */
export interface DueLot extends OpenLot, ValueBand {
  /**
   * Null for a lot without an estimate; so are its band, confidence and
   * similarities.
   */
  estimated_value_cents: number | null
  confidence: number
  /** Of its comparables. */
  similarities: number[]
  no_bid_chance: number | null
  /** As read from the queue. */
  due_at: string
  changes: number
  /** When the lot was read. */
  now_ms: number
}

/** Deletes the queue's due rows of lots that have ended. */
export async function dropEndedFromQueue(sql: Sql, now: Clock): Promise<void> {
  await sql`
    delete from scoring_queue q
    where q.due_at <= ${clock(now)}
    and not exists (
      select
      from lots l
      where l.id = q.lot_id and l.is_open and l.ends_at > ${clock(now)}
    )`
}

/**
 * At most `most` open lots whose score alone is due, the longest overdue first.
 * Ended lots count towards `most`, so call `dropEndedFromQueue` first.
 */
export async function readLotsToScore(
  sql: Sql,
  now: Clock,
  most: number,
): Promise<DueLot[]> {
  return sql<DueLot[]>`
    select
      ${openLotColumns(now)},
      p.estimated_value_cents, p.likely_low_cents, p.likely_high_cents, p.range_low_cents, p.range_high_cents,
      p.confidence, to_jsonb(p.similarities) as similarities, l.no_bid_chance, q.due_at::text as due_at, q.changes,
      to_ms(${clock(now)}) as now_ms
    from (
      select lot_id, due_at, changes
      from scoring_queue
      where due_at <= ${clock(now)} and not needs_estimate
      order by due_at, lot_id
      limit ${most}
    ) as q
    join lots l on l.id = q.lot_id
    join sources s using (source)
    left join appraisals p on p.lot_id = q.lot_id
    where l.is_open and l.ends_at > ${clock(now)}`
}

/**
 * Stores scores, and queues each lot for its next one, in one autocommit
 * statement. It skips lots that a load has changed since they were read, and
 * all lots while another session loads.
 * @returns how many scores changed, or null when another session loads.
 */
export async function storeScores(
  sql: Sql,
  rows: readonly (ScoreRow & { read_due_at: string; read_changes: number })[],
  now: Clock,
): Promise<number | null> {
  return firstValue<number>(sql`
    with free as materialized (
      select ${takesLoadLock()} as is_free
    ),
    given as materialized (
      select ${sql(SCORE_COLUMNS)}, ${sql(VALUE_COLUMNS)}, lot_id, due_at, read_due_at, read_changes
      from json_to_recordset(${asJson(rows)}) as row (
        ${SCORE_TYPES}, read_due_at timestamptz, read_changes integer
      )
      where (select is_free from free)
    ),
    queued as (
      update scoring_queue q
      set due_at = given.due_at
      from given
      where q.lot_id = given.lot_id
      and q.due_at = given.read_due_at
      and q.changes = given.read_changes
      and not q.needs_estimate
      returning q.lot_id
    ),
    current as (
      select given.*
      from given
      join queued using (lot_id)
    ),
    scored as (
      update appraisals p
      set
        ${rowOf(SCORE_COLUMNS)} = ${rowOf(SCORE_COLUMNS, 'current')},
        scored_at = ${clock(now)}
      from current
      where p.lot_id = current.lot_id
      and ${differIn(SCORE_COLUMNS, 'p', 'current')}
      returning p.lot_id
    ),
    copied as (${copyToLots('current')})
    select (select count(*) from scored)
    from free
    where is_free`)
}

/** How many open lots there are, with a value and with a score. */
export interface OpenLotCounts {
  lots_open: number
  lots_valued: number
  lots_scored: number
}

/**
 * Counts the open lots, those with an estimated value and those with a score.
 * Call it after ended lots were closed: it relies on `is_open` alone, so that
 * indexes can answer.
 */
export async function countOpenLots(sql: Sql): Promise<OpenLotCounts> {
  return onlyRow(sql<OpenLotCounts[]>`
    select count(*) as lots_open, count(p.lot_id) as lots_valued, count(l.flip_score) as lots_scored
    from lots l
    left join appraisals p on p.lot_id = l.id
    where l.is_open`)
}
