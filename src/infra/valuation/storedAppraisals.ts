import type { Listing } from '../../contract/types.ts'
import type { OpenLot, ScoreRow } from '../../domain/appraisal/appraisalRow.ts'
import { movedBy } from '../../domain/appraisal/neighbors.ts'
import type { Prices } from '../../domain/price.ts'
import {
  bandOf,
  type ValueBand,
} from '../../domain/valuation/calibratedValue.ts'
import { type Grade, LIKE } from '../../domain/valuation/grade.ts'
import type { BidMoment } from '../../domain/valuation/projection.ts'
import { asJson, firstRow, type SqlContext } from '../postgres/sql.ts'
import { windowEnd } from '../prices/soldPrices.ts'
import {
  IS_SEALED,
  MIDDLE_OF_CLOSE,
  NO_BID_CHANCE,
  nextBid,
  PREMIUM,
} from '../search/columns.ts'
import type { SCORE_COLUMNS } from './appraisals.ts'

/**
 * The stored appraisal of a lot, moved by its neighbors, and what of the lot a
 * projection depends on. Amounts in US cents.
 */
export interface Appraisal
  extends ValueBand,
    Pick<
      OpenLot,
      | 'title'
      | 'category'
      | keyof Prices
      | 'next_bid_cents'
      | 'premium_percent'
      | 'neighbor_factor'
    >,
    Pick<Listing, 'source'>,
    Pick<ScoreRow, (typeof SCORE_COLUMNS)[number] | 'value_note'> {
  listing_id: string
  estimated_value_cents: number
  /** How many of its comparables are of such a thing. */
  like_count: number
  comparables_count: number
  confidence: number
  grade: Grade
  /**
   * How many times their published prices its comparables are taken to have
   * closed at; null where 1.
   */
  seen_factor: number | null
  /** As in the contract. */
  no_bid_chance: number | null
  is_sealed: boolean
  /** Of the lot, else of its source; null where neither publishes it. */
  published_premium_percent: number | null
  /** Where the lot is; null where that is not known. */
  latitude: number | null
  longitude: number | null
  scored_at: string
  /** The moment of the sales that the estimate rests on, RFC 3339. */
  estimated_at: string
  /**
   * Until the end of the lot, or the middle of the hours in which it closes,
   * from the end of the current minute; null when no end is known.
   */
  hours_left: number | null
  /**
   * What ended lots say about the rise of bids; null while too few have ended.
   */
  bid_moments: BidMoment[] | null
}

/**
 * Reads the stored appraisal of a lot; null when it has no value to show or
 * there is no such lot.
 */
export async function findAppraisal(
  context: SqlContext,
  listingId: string,
): Promise<Appraisal | null> {
  return (await findAppraisals(context, [listingId]))[0] ?? null
}

/**
 * Reads the stored appraisals of those of these lots that have a value to show.
 */
export async function findAppraisals(
  { sql, now }: SqlContext,
  ids: readonly string[],
): Promise<Appraisal[]> {
  const rows = await sql<Appraisal[]>`
    select
      a.lot_id as listing_id, l.source, l.title, l.category, a.estimated_value_cents, a.likely_low_cents, a.likely_high_cents,
      a.range_low_cents, a.range_high_cents, a.all_in_cost_cents, a.resale_margin_cents, a.confidence,
      l.value_grade as grade, l.value_note, a.flip_score,
      -- Scores of earlier versions have no such points.
      jsonb_build_object('evidence_points', 0, 'no_bid_points', 0) || a.factors as factors, a.score_version, a.price_kind,
      a.projected_close_cents, a.close_low_cents, a.close_high_cents,
      rfc3339(a.scored_at) as scored_at, rfc3339(a.estimated_at) as estimated_at,
      l.current_bid_cents, l.starting_bid_cents, l.buy_now_cents,
      ${nextBid(now)} as next_bid_cents, l.latitude, l.longitude, ${IS_SEALED} as is_sealed, a.neighbor_factor, a.seen_factor,
      ${NO_BID_CHANCE} as no_bid_chance,
      (select count(*) from unnest(a.similarities) as similarity where similarity >= ${LIKE}) as like_count,
      cardinality(a.similarities) as comparables_count,
      ${PREMIUM} as premium_percent,
      coalesce(l.buyers_premium_percent, s.premium_percent)::float8 as published_premium_percent,
      case when isfinite(l.ends_at)
        then extract(epoch from (${MIDDLE_OF_CLOSE}) - ${windowEnd(now)})::float8 / 3600 end as hours_left,
      (
        select bid_paths -> 'moments'
        from sales_indexes
        where finished_at is not null
        order by id desc
        limit 1
      ) as bid_moments
    from appraisals a
    join lots l on l.id = a.lot_id
    join sources s using (source)
    where a.lot_id = any(
      select wanted.id::uuid from json_array_elements_text(${asJson(ids)}) as wanted (id)
    )
    and l.value_grade is not null`
  return rows.map(row => {
    const stored = { value_cents: row.estimated_value_cents, band: bandOf(row) }
    const { value_cents, band } = movedBy(stored, row.neighbor_factor)
    return { ...row, estimated_value_cents: value_cents, ...band }
  })
}

/** What estimates are made from. */
interface SalesIndex {
  id: number
  /** How many sales it was learned from. */
  sales: number
}

/**
 * The index of sales that estimates rest on, or that is being stored; null when
 * sales were never read.
 */
export async function findSalesIndex({
  sql,
}: SqlContext): Promise<SalesIndex | null> {
  return firstRow(sql<SalesIndex[]>`
    select id, sales
    from sales_indexes
    order by id desc
    limit 1`)
}

/** A lot whose value is not shown, and what says why. */
type Unvalued = Pick<OpenLot, 'title' | 'category'> &
  Pick<ScoreRow, 'value_note'> & {
    estimated_value_cents: number | null
    /** Whether it waits for its first estimate, or one of its new title. */
    is_queued: boolean
  }

/**
 * The title of a lot without a value to show, live or past, and whether it has
 * an estimate nevertheless; null for no lot.
 */
export async function findUnvalued(
  { sql }: SqlContext,
  listingId: string,
): Promise<NonNullable<Unvalued> | null> {
  return firstRow(sql<Unvalued[]>`
    select
      l.title, l.category, l.value_note, round(a.estimated_value_cents * a.neighbor_factor)::bigint as estimated_value_cents,
      exists (select from scoring_queue q where q.lot_id = l.id and q.needs_estimate) as is_queued
    from lots l
    left join appraisals a on a.lot_id = l.id
    where l.id = ${listingId}::uuid`)
}
