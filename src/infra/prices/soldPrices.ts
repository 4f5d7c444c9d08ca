import type { Schemas } from '../../contract/types.ts'
import { SALES_WINDOW } from '../postgres/clock.ts'
import {
  asJson,
  type Fragment,
  firstRow,
  fragment,
  jsonList,
  type SqlContext,
} from '../postgres/sql.ts'
import type { ListingContext } from '../search/columns.ts'

type Comps = Schemas['Comps']

/** Fewer sales are too few for statistics of an item. */
export const LEAST_SALES_OF_ITEM = 5

/**
 * What every answer about sold prices has: the statistics, their price basis
 * and their window.
 */
type SoldStats = Omit<
  Comps,
  | 'item'
  | 'listing_id'
  | 'resale_margin'
  | 'confidence'
  | 'comparables'
  | 'stats_of'
  | 'appraisal'
  | 'your_costs'
>

/** Statistics over the comparables of a lot, and some of these. */
export interface StatsOfComparables extends SoldStats {
  percentiles: NonNullable<Comps['percentiles']>
  comparables: Schemas['Comparable'][]
}

/**
 * The sales that an estimate rests on, most similar first, and the moment of
 * its index (RFC 3339).
 */
interface Evidence {
  comparables: { id: string; similarity: number }[]
  asOf: string
}

/** What sales are of; null or absent for all. */
type Market = Partial<Record<'item' | 'category' | 'state', string | null>> & {
  year?: number | null
}

/**
 * Pages and agents never get real prices mixed with last bids seen; the API has
 * both, as 1.0.0.
 */
export type Kinds = 'one kind of price' | 'all prices'

/**
 * Statistics over the sales of the trailing 365 days, of an item, a model year,
 * a category and a state. Null without a sale.
 */
export async function soldStatsOf(
  { sql, now }: SqlContext,
  market: Market,
  kinds: Kinds = 'all prices',
): Promise<SoldStats | null> {
  const { item, year, category, state } = market
  const where = { item, vehicle_year: year, category, state }
  const all = sql`${soldInWindow(now)} ${Object.entries(where).map(
    ([column, value]) => (value ? sql`and ${sql(column)} = ${value}` : sql``),
  )}`
  const sold = sql`${all} ${ofKinds(kinds, sql`sales where ${all}`)}`
  return firstRow(sql<SoldStats[]>`
    select
      ${STATISTICS},
      ${item ? modelYears(sold) : sql`null`} as model_years,
      ${PERCENTILES},
      rfc3339(${windowEnd(now)} - ${SALES_WINDOW}::interval) as window_start,
      rfc3339(${windowEnd(now)}) as window_end
    from sales
    where ${sold}
    having count(*) > 0`)
}

/**
 * Statistics over the comparables of a lot, or over those of an estimate that
 * is not stored, and at most `limit` of them, most similar first; null without
 * a comparable.
 */
export async function findComparables(
  { sql, publicUrl }: ListingContext,
  of: { listingId: string } | Evidence,
  limit: number,
  kinds: Kinds = 'all prices',
): Promise<StatsOfComparables | null> {
  const evidence =
    'listingId' in of
      ? sql`
      select similar_to.*, a.estimated_at
      from appraisals a
      cross join lateral unnest(a.sale_ids, a.similarities) with ordinality as similar_to (sale_id, similarity, rank)
      where a.lot_id = ${of.listingId}::uuid`
      : sql`
      select similar_to.*, ${of.asOf}::timestamptz as estimated_at
      from rows from (
        json_to_recordset(${asJson(of.comparables)}) as (id uuid, similarity float8)
      ) with ordinality as similar_to (sale_id, similarity, rank)`
  return firstRow(sql`
    with similar_to as (${evidence}
    ),
    used as (
      select sale.*, similar_to.similarity, similar_to.rank, similar_to.estimated_at
      from similar_to
      join sales sale on sale.id = similar_to.sale_id
    )
    select
      ${STATISTICS},
      null as model_years,
      ${PERCENTILES},
      rfc3339(max(estimated_at) - ${SALES_WINDOW}::interval) as window_start,
      rfc3339(max(estimated_at)) as window_end,
      json_agg(json_build_object(
        'title', title, 'price_cents', final_bid_cents, 'price_basis', price_basis, 'sold_at', rfc3339(sold_at),
        'source_url', official_page(source_url, slug, ${publicUrl}),
        'similarity', round(similarity::numeric, 3)::float8
      ) order by rank) filter (where rank <= ${limit}) as comparables
    from used
    where true ${ofKinds(kinds, sql`used`)}
    having count(*) > 0`)
}

/** The median of the counted sales; null where they are too few. */
export function medianOfItem(filter = fragment``): Fragment {
  return fragment`case when count(*) ${filter} >= ${LEAST_SALES_OF_ITEM} then ${percentile(0.5, filter)} end`
}

/** Whether the price of a sale is that of the close, or was paid. */
export const IS_REAL = fragment`(price_basis <> 'last_observed')`

/** Counts only real prices. */
export const OF_REAL = fragment`filter (where ${IS_REAL})`

/** The real prices among those of the counted sales. */
export const REAL_PRICES = fragment`
    json_build_object('count', count(*) ${OF_REAL}, 'median_cents', ${medianOfItem(OF_REAL)}) as real`

/**
 * Of one kind, the sales with a real price where these are enough or all, else
 * those with a last bid seen.
 * @param sales what follows \`from\`.
 */
function ofKinds(kinds: Kinds, sales: Fragment) {
  if (kinds === 'all prices') return fragment``
  return fragment`and ${IS_REAL} = (
    select count(*) ${OF_REAL} >= ${LEAST_SALES_OF_ITEM} or bool_and(${IS_REAL}) from ${sales}
  )`
}

const OF_PIECES = fragment`filter (where is_piece)`

/**
 * How many sales were of one piece, their median where there are enough, and
 * how many model years the sales have.
 */
export const PIECES = fragment`
    count(*) ${OF_PIECES} as piece_count,
    ${medianOfItem(OF_PIECES)} as piece_median_cents,
    count(distinct vehicle_year) as model_year_count`

/**
 * The median of an even number of prices is the mean of the middle two, as
 * `percentile_cont` interpolates.
 */
const STATISTICS = fragment`
    ${percentile(0.5)} as median_cents,
    round(avg(final_bid_cents))::bigint as average_cents,
    min(final_bid_cents) as min_cents, max(final_bid_cents) as max_cents,
    count(*) as sold_count,
    ${PIECES},
    coalesce(round(avg(num_bids), 1), 0)::float8 as avg_bids,
    case when min(price_basis) = max(price_basis) then min(price_basis) else 'mixed' end as price_basis,
    ${REAL_PRICES}`

/**
 * The model years with enough sales for a median, the newest first.
 * @param sold what follows \`where\`.
 */
function modelYears(sold: Fragment) {
  const years = fragment`
    select vehicle_year as year, count(*) as sold_count, ${percentile(0.5)} as median_cents
    from sales
    where ${sold} and vehicle_year is not null
    group by vehicle_year
    having count(*) >= ${LEAST_SALES_OF_ITEM}
    order by vehicle_year desc`
  return jsonList(years)
}

const PERCENTILES = fragment`
    json_build_object(
      'p10_cents', ${percentile(0.1)}, 'p25_cents', ${percentile(0.25)},
      'p50_cents', ${percentile(0.5)},
      'p75_cents', ${percentile(0.75)}, 'p90_cents', ${percentile(0.9)}
    ) as percentiles`

/**
 * An interpolated percentile, rounded to a cent, half away from zero.
 * @param filter which of the sales count; all without one.
 */
export function percentile(share: number, filter = fragment``): Fragment {
  const exact = fragment`percentile_cont(${share}::float8) within group (order by final_bid_cents) ${filter}`
  return fragment`round((${exact})::numeric)::bigint`
}

/** Whether a sale is of the trailing 365 days. */
export function soldInWindow(now: Fragment): Fragment {
  const end = windowEnd(now)
  return fragment`sold_at >= ${end} - ${SALES_WINDOW}::interval and sold_at < ${end}`
}

/**
 * Ends with the current minute, so an answer and its ETag stay the same for up
 * to a minute.
 */
export function windowEnd(now: Fragment): Fragment {
  return fragment`(date_trunc('minute', ${now}) + interval '1 minute')`
}
