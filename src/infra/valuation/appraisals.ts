import type { Schemas } from '../../contract/types.ts'
import type { Category } from '../../domain/valuation/categories.ts'
import type { Sql } from '../database.ts'

/** An open lot as far as its value and its score are concerned. */
export interface OpenLot {
  id: string
  title: string
  category: Category
  item: string | null
  state: string | null
  zip: string | null
  current_bid_cents: number | null
  starting_bid_cents: number | null
  buy_now_cents: number | null
  num_bids: number
  condition_grade: string | null
  /** Null when the end is not known. */
  ends_at_ms: number | null
  premium_percent: number
}

/** What is stored of a lot's appraisal; `estimated_value_cents` is null for a lot that nothing can be compared with. */
export interface AppraisalRow {
  lot_id: string
  estimated_value_cents: number | null
  all_in_cost_cents: number | null
  resale_margin_cents: number | null
  resale_margin_percent: number | null
  confidence: number
  sale_ids: string[]
  similarities: number[]
  flip_score: number | null
  factors: Schemas['FlipFactors'] | null
  score_version: string
}

/** Every lot that is open at `now`. */
export async function readOpenLots(sql: Sql, now: Date): Promise<OpenLot[]> {
  return sql<OpenLot[]>`
    select
      l.id, l.title, l.category, l.item, l.state, l.zip, l.current_bid_cents, l.starting_bid_cents,
      l.buy_now_cents, l.num_bids, l.condition_grade,
      case when isfinite(l.ends_at) then extract(epoch from l.ends_at)::float8 * 1000 end as ends_at_ms,
      s.premium_percent::float8 as premium_percent
    from lots l
    join sources s using (source)
    where l.is_open
    and l.ends_at > ${now.toISOString()}
    order by l.id`
}

/**
 * Stores appraisals and the scores of their lots, and drops those of lots without an estimate: one statement, and only
 * what differs is written. Must run under the load lock.
 * @returns how many lots got another appraisal or score.
 */
export async function storeAppraisals(sql: Sql, rows: AppraisalRow[], now: Date): Promise<number> {
  const [stored] = await sql<{ changed: number }[]>`
    with scored as materialized (
      select
        lot_id, estimated_value_cents, all_in_cost_cents, resale_margin_cents, resale_margin_percent, confidence,
        sale_ids, similarities, flip_score, factors, score_version
      from json_populate_recordset(null::appraisals, ${JSON.stringify(rows)}::text::json)
    ),
    kept as (
      insert into appraisals as old (
        lot_id, estimated_value_cents, all_in_cost_cents, resale_margin_cents, resale_margin_percent, confidence,
        sale_ids, similarities, flip_score, factors, score_version, scored_at
      )
      select
        lot_id, estimated_value_cents, all_in_cost_cents, resale_margin_cents, resale_margin_percent, confidence,
        sale_ids, similarities, flip_score, factors, score_version, ${now.toISOString()}::timestamptz
      from scored
      where estimated_value_cents is not null
      on conflict (lot_id) do update set
        estimated_value_cents = excluded.estimated_value_cents,
        all_in_cost_cents = excluded.all_in_cost_cents,
        resale_margin_cents = excluded.resale_margin_cents,
        resale_margin_percent = excluded.resale_margin_percent,
        confidence = excluded.confidence,
        sale_ids = excluded.sale_ids,
        similarities = excluded.similarities,
        flip_score = excluded.flip_score,
        factors = excluded.factors,
        score_version = excluded.score_version,
        scored_at = excluded.scored_at
      where (
        old.estimated_value_cents, old.all_in_cost_cents, old.confidence, old.sale_ids, old.similarities, old.flip_score,
        old.factors, old.score_version, old.resale_margin_cents, old.resale_margin_percent
      ) is distinct from (
        excluded.estimated_value_cents, excluded.all_in_cost_cents, excluded.confidence, excluded.sale_ids,
        excluded.similarities, excluded.flip_score, excluded.factors, excluded.score_version,
        excluded.resale_margin_cents, excluded.resale_margin_percent
      )
      returning lot_id
    ),
    dropped as (
      delete from appraisals
      using scored
      where appraisals.lot_id = scored.lot_id
      and scored.estimated_value_cents is null
      returning appraisals.lot_id
    ),
    ranked as (
      update lots
      set flip_score = scored.flip_score
      from scored
      where lots.id = scored.lot_id
      and lots.flip_score is distinct from scored.flip_score
      returning lots.id
    )
    select count(*) as changed
    from (
      select lot_id from kept
      union
      select lot_id from dropped
      union
      select id from ranked
    ) as changes`
  return stored!.changed
}
