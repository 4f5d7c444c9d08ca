import { isNobodyLoading } from '../ingestion/loadLock.ts'
import { clock } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { type OpenLot, openLotColumns } from './appraisals.ts'

/** An open lot whose score is to be made anew, with its estimate. */
export interface DueLot extends OpenLot {
  /** Null for a lot without an estimate. */
  estimated_value_cents: number | null
  likely_low_cents: number | null
  likely_high_cents: number | null
  confidence: number | null
  comparables_count: number | null
  /** As they stand in the agenda. */
  due_at: string
  changes: number
  /** The moment of reading. */
  now_ms: number
}

/** Drops from the agenda what is due and over. */
export async function dropClosedFromAgenda(sql: Sql, now: Date | null): Promise<void> {
  await sql`
    delete from scoring_agenda a
    where a.due_at <= ${clock(sql, now)}
    and not exists (
      select
      from lots l
      where l.id = a.lot_id
      and l.is_open
      and l.ends_at > ${clock(sql, now)}
    )`
}

/** The open lots that need another estimate. */
export async function readLotsToEstimate(sql: Sql, now: Date): Promise<OpenLot[]> {
  return sql<OpenLot[]>`
    select ${openLotColumns(sql)}
    from scoring_agenda a
    join lots l on l.id = a.lot_id
    join sources s using (source)
    where a.due_at <= ${now.toISOString()}
    and a.needs_estimate
    and l.is_open
    and l.ends_at > ${now.toISOString()}
    order by l.title, l.id`
}

/**
 * Some of the open lots whose estimate stands, and whose score is due, the longest overdue first. What is over counts among
 * the `most`, so it must have been dropped from the agenda before.
 */
export async function readLotsToScore(sql: Sql, now: Date | null, most: number): Promise<DueLot[]> {
  return sql<DueLot[]>`
    select
      ${openLotColumns(sql)},
      p.estimated_value_cents, p.likely_low_cents, p.likely_high_cents, p.confidence,
      cardinality(p.sale_ids) as comparables_count,
      a.due_at::text as due_at, a.changes,
      extract(epoch from ${clock(sql, now)})::float8 * 1000 as now_ms
    from (
      select lot_id, due_at, changes
      from scoring_agenda
      where due_at <= ${clock(sql, now)}
      and not needs_estimate
      order by due_at, lot_id
      limit ${most}
    ) as a
    join lots l on l.id = a.lot_id
    join sources s using (source)
    left join appraisals p on p.lot_id = a.lot_id
    where l.is_open
    and l.ends_at > ${clock(sql, now)}`
}

/**
 * Stores scores beside the estimates that they were made from, and when each is due again: one autocommit statement. What a
 * load has changed since the lots were read is left to it, and so is everything while another session loads.
 * @param rows (ScoreRow & { read_due_at, read_changes })[] as JSON.
 * @returns how many scores are others than before, or null when another session loads.
 */
export async function storeScores(sql: Sql, rows: string, now: Date | null): Promise<number | null> {
  const [stored] = await sql<{ changed: number; is_free: boolean }[]>`
    with free as materialized (
      select ${isNobodyLoading(sql)} as is_free
    ),
    told as materialized (
      select
        lot_id, all_in_cost_cents, resale_margin_cents, resale_margin_percent, flip_score, factors, score_version, due_at,
        read_due_at, read_changes
      from json_to_recordset(${rows}::text::json) as row (
        lot_id uuid, all_in_cost_cents bigint, resale_margin_cents bigint, resale_margin_percent float8,
        flip_score smallint, factors jsonb, score_version text, due_at timestamptz, read_due_at timestamptz,
        read_changes integer
      )
      where (select is_free from free)
    ),
    agenda as (
      update scoring_agenda a
      set due_at = told.due_at
      from told
      where a.lot_id = told.lot_id
      and a.due_at = told.read_due_at
      and a.changes = told.read_changes
      and not a.needs_estimate
      returning a.lot_id
    ),
    scored as (
      update appraisals p
      set
        all_in_cost_cents = told.all_in_cost_cents,
        resale_margin_cents = told.resale_margin_cents,
        resale_margin_percent = told.resale_margin_percent,
        flip_score = told.flip_score,
        factors = told.factors,
        score_version = told.score_version,
        scored_at = ${clock(sql, now)}
      from told
      join agenda using (lot_id)
      where p.lot_id = told.lot_id
      and (p.all_in_cost_cents, p.resale_margin_cents, p.resale_margin_percent, p.flip_score, p.factors, p.score_version)
        is distinct from (
          told.all_in_cost_cents, told.resale_margin_cents, told.resale_margin_percent, told.flip_score, told.factors,
          told.score_version
        )
      returning p.lot_id, p.flip_score
    ),
    ranked as (
      update lots l
      set flip_score = scored.flip_score
      from scored
      where l.id = scored.lot_id
      and l.flip_score is distinct from scored.flip_score
    )
    select (select count(*) from scored) as changed, (select is_free from free) as is_free`
  return stored!.is_free ? stored!.changed : null
}

/**
 * How many lots are open, have an estimated value, and have a score. When the lots that are over have been settled: then
 * `is_open` alone says, and indexes alone answer.
 */
export async function countOpenLots(
  sql: Sql,
): Promise<{ lots_open: number; lots_valued: number; lots_scored: number }> {
  const [counted] = await sql<{ lots_open: number; lots_valued: number; lots_scored: number }[]>`
    select
      count(*) as lots_open,
      count(p.lot_id) as lots_valued,
      count(l.flip_score) as lots_scored
    from lots l
    left join appraisals p on p.lot_id = l.id
    where l.is_open`
  return counted!
}
