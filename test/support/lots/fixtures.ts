import type { Schemas } from '../../../src/contract/types.ts'
import type { StagedLot } from '../../../src/domain/feeds/lotRow.ts'
import { rounded } from '../../../src/domain/price.ts'
import type { Grade } from '../../../src/domain/valuation/grade.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'

/**
 * The moment that the contract tests live in: a Saturday morning, 9 days and 14.5 hours before the
 * month ends.
 */
export const NOW = new Date('2026-11-21T09:30:00Z')

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The moment so many milliseconds after `NOW`; before it when negative. */
export function fromNow(milliseconds: number): Date {
  return new Date(NOW.getTime() + milliseconds)
}

/** The columns of a lot that a test may care about, with quiet values. */
const QUIET_LOT = {
  source: 'gsa',
  title: 'Lot of the tests',
  description: null as string | null,
  category: 'other',
  item: null as string | null,
  quantity: null as number | null,
  is_piece: true,
  vehicle_year: null as number | null,
  vehicle_make: null as string | null,
  vehicle_model: null as string | null,
  state: null as string | null,
  city: null as string | null,
  zip: null as string | null,
  latitude: null as number | null,
  longitude: null as number | null,
  current_bid_cents: null as number | null,
  buy_now_cents: null as number | null,
  starting_bid_cents: null as number | null,
  num_bids: 0,
  condition_grade: null as string | null,
  image_url: null as string | null,
  starts_at: fromNow(-DAY) as Date | '-infinity',
  ends_at: fromNow(DAY) as Date | 'infinity',
  outcome: null as 'sold' | 'unsold' | 'withdrawn' | null,
  is_open: true,
  final_bid_cents: null as number | null,
  price_basis: null as string | null,
  offer_kind: 'auction',
  bid_increment_cents: null as number | null,
  auction_id: null as string | null,
  auction_name: null as string | null,
  bid_conditions: [] as string[],
  bids_known: null as boolean | null,
  reserve_met: null as boolean | null,
  buyers_premium_percent: null as number | null,
  odometer_miles: null as number | null,
  engine_hours: null as number | null,
  runs: null as boolean | null,
  road_title: null as boolean | null,
  open_recall: null as boolean | null,
  sold_at: null as Date | null,
  flip_score: null as number | null,
  value_grade: null as Grade | null,
  approximate_value_cents: null as number | null,
  expected_profit_cents: null as number | null,
  room_rank: null as number | null,
  limit_cents: null as number | null,
  approximate_close_cents: null as number | null,
  value_note: null as string | null,
  verdict: null as string | null,
  observed_at: fromNow(-HOUR),
}

type QuietLot = typeof QUIET_LOT

/** A lot of a test; a column that has no quiet value is null. */
export interface LotDraft
  extends Partial<QuietLot>,
    Partial<Omit<StagedLot, keyof QuietLot | 'slug'>> {
  /** Also the last part of its `bidprowl_url`, so that tests can name what they got. */
  slug: string
}

/**
 * Inserts lots, open for bids unless the draft says otherwise; returns their ids in the same order.
 */
export async function insertLots(sql: Sql, drafts: LotDraft[]): Promise<string[]> {
  if (drafts.length === 0) return []
  const rows = drafts.map(draft => ({
    ...QUIET_LOT,
    // As a load does it for a description without standard clauses.
    describing: draft.description ?? null,
    source_id: draft.slug,
    source_url: `https://auctions.example/lots/${draft.slug}`,
    ...draft,
  }))
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const stored = await sql<{ id: string }[]>`
    insert into lots (${sql(columns)})
    select ${sql(columns)}
    from jsonb_populate_recordset(null::lots, ${sql.json(rows as never)})
    returning id`
  return stored.map(({ id }) => id)
}

/** One past sale: when its auction ended and what it brought, in US cents. */
export interface SaleDraft extends Omit<LotDraft, 'slug'> {
  sold_at: Date
  final_bid_cents: number
}

let sales = 0

/**
 * Inserts closed lots with a sale, by awarded price unless the draft says otherwise; returns their
 * ids in the same order.
 */
export function insertSales(sql: Sql, drafts: SaleDraft[]): Promise<string[]> {
  return insertLots(
    sql,
    drafts.map(draft => ({
      slug: `sale-${++sales}`,
      is_open: false,
      outcome: 'sold' as const,
      price_basis: 'awarded',
      current_bid_cents: draft.final_bid_cents,
      num_bids: 1,
      starts_at: new Date(draft.sold_at.getTime() - 7 * DAY),
      ends_at: draft.sold_at,
      ...draft,
    })),
  )
}

/** The numbers behind a score of 57. */
export const FACTORS: Schemas['FlipFactors'] = {
  price_points: 13,
  time_points: -4,
  bidder_points: -3,
  condition_points: 0,
  sell_through_points: 1,
  evidence_points: 0,
  no_bid_points: 0,
  price_score: 68.1,
  chance_offset: 0,
  chance_slope: 1,
  confidence: 0.71,
  comparables_count: 21,
  estimated_value_cents: 602_000,
  all_in_cost_cents: 412_500,
  likely_low_cents: 451_000,
  likely_high_cents: 790_000,
  range_low_cents: 298_000,
  range_high_cents: 1_105_000,
}

export interface AppraisalDraft {
  lot_id: string
  sale_ids?: string[]
  similarities?: number[]
  estimated_value_cents?: number
  all_in_cost_cents?: number | null
  resale_margin_cents?: number | null
  confidence?: number
  flip_score?: number | null
  factors?: Record<string, number> | null
  price_kind?: string | null
  /** Null for a value that the bids contradict. */
  grade?: Grade | null
}

/** Inserts what a load would have found out about a lot at `NOW`. */
export async function insertAppraisal(sql: Sql, draft: AppraisalDraft): Promise<void> {
  const row = {
    estimated_value_cents: 100_000,
    all_in_cost_cents: null,
    resale_margin_cents: null,
    confidence: 0.5,
    sale_ids: [] as string[],
    similarities: [] as number[],
    flip_score: null,
    factors: null,
    price_kind: 'current_bid',
    grade: 'comparables',
    ...draft,
  }
  await sql`
    insert into appraisals (
      lot_id, estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents,
      all_in_cost_cents, resale_margin_cents, confidence, sale_ids, similarities, flip_score, factors, score_version, price_kind, scored_at, estimated_at
    ) values (
      ${row.lot_id}, ${row.estimated_value_cents}, ${Math.round(row.estimated_value_cents / 2)}, ${row.estimated_value_cents * 2},
      ${Math.round(row.estimated_value_cents / 4)}, ${row.estimated_value_cents * 4},
      ${row.all_in_cost_cents}, ${row.resale_margin_cents},
      ${row.confidence}, ${row.sale_ids}::uuid[], ${row.similarities}::float8[],
      ${row.flip_score}, ${row.factors === null ? null : sql.json(row.factors)}, '1',
      ${row.price_kind}, ${NOW}, ${NOW}
    )`
  await sql`
    update lots
    set value_grade = ${row.grade}, approximate_value_cents = ${row.grade && rounded(row.estimated_value_cents)}
    where id = ${row.lot_id}`
}

/**
 * Inserts lots with a bid and a projected close of $100, likely $80 to $120.
 * @returns their ids.
 */
export async function insertLotsWithClose(sql: Sql, drafts: LotDraft[]): Promise<string[]> {
  const ids = await insertLots(
    sql,
    drafts.map(draft => ({ current_bid_cents: 5_000, num_bids: 1, ...draft })),
  )
  for (const lot_id of ids) await insertAppraisal(sql, { lot_id })
  await sql`
    update appraisals
    set projected_close_cents = 10_000, close_low_cents = 8_000, close_high_cents = 12_000
    where lot_id = any(${ids})`
  return ids
}
