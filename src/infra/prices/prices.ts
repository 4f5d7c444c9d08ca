import type { Listing } from '../../contract/types.ts'
import { liveAt } from '../postgres/clock.ts'
import { onlyRow, type SqlContext } from '../postgres/sql.ts'
import {
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
} from '../search/columns.ts'
import {
  IS_REAL,
  LEAST_SALES_OF_ITEM,
  medianOfItem,
  percentile,
  soldInWindow,
  windowEnd,
} from './soldPrices.ts'

/** A sale, with the value that was estimated for it. Amounts in US cents. */
interface Deal extends Record<'title' | 'slug' | 'sold_at', string> {
  state: string | null
  price_cents: number
  estimated_value_cents: number
}

/** An item, or the vehicles of one model year of it. */
type ItemOfYear = { item: string; year: number | null }

/** Its sales with one kind of price: real, or last bids seen. */
type PricesOfItem = ItemOfYear & { isReal: boolean }

/**
 * How the sales of an item are spread. Amounts in US cents; a median is null
 * for fewer than five sales.
 */
export interface PriceSpread {
  /**
   * The steps between the edges of the price that have sales: 0 is all below
   * the first edge, and so on.
   */
  bins: { bin: number; sales: number }[]
  /** The calendar months (UTC) with sales, from the first. */
  months: { month: string; sales: number; median_cents: number | null }[]
  /**
   * At most 12 states with at least five sales, the one with the most first.
   */
  states: { state: string; sales: number; median_cents: number }[]
  /**
   * The latest real prices below the likely band of their own value, where that
   * came from comparables.
   */
  deals: Deal[]
}

/**
 * Reads the sales of an item in the trailing 365 days from the index alone, but
 * for the deals.
 * @param edges ascending, in US cents.
 */
export async function readPriceSpread(
  { sql, now }: SqlContext,
  { item, year, isReal }: PricesOfItem,
  edges: number[],
): Promise<PriceSpread> {
  const ofItem = sql`
    item = ${item}
    and ${IS_REAL} = ${isReal}
    and (${year}::integer is null or vehicle_year = ${year})
    and ${soldInWindow(now)}`
  return onlyRow(sql<PriceSpread[]>`
    with sold as materialized (
      select state, final_bid_cents, sold_at
      from sales
      where ${ofItem}
    )
    select
      (select json_agg(row) from (
        select width_bucket(final_bid_cents, string_to_array(${edges.join()}, ',')::bigint[]) as bin, count(*) as sales
        from sold
        group by 1
      ) as row) as bins,
      (select json_agg(row order by row.month) from (
        select
          to_char(sold_at at time zone 'utc', 'YYYY-MM') as month,
          count(*) as sales,
          ${medianOfItem()} as median_cents
        from sold
        group by 1
      ) as row) as months,
      (select coalesce(json_agg(row order by row.sales desc, row.state), '[]') from (
        select state, count(*) as sales, ${percentile(0.5)} as median_cents
        from sold
        where state is not null
        group by state
        having count(*) >= ${LEAST_SALES_OF_ITEM}
        order by count(*) desc
        limit 12
      ) as row) as states,
      (select coalesce(json_agg(row), '[]') from (
        select
          l.title, l.slug, l.state, l.final_bid_cents as price_cents, a.estimated_value_cents, rfc3339(l.sold_at) as sold_at
        from (select id from sales where ${ofItem}) as sold
        join lots l using (id)
        join appraisals a on a.lot_id = l.id
        where ${isReal} and l.value_grade = 'comparables' and l.final_bid_cents < a.likely_low_cents
        order by l.sold_at desc, l.id
        limit 6
      ) as row) as deals`)
}

/** The first live lots of an item. */
export interface LiveLots {
  /** How many there are. */
  total: number
  data: Listing[]
}

/**
 * The number of live lots of an item, and those with the best scores. A lot's
 * search vector has its item as one word, which an index finds.
 */
export async function readLiveLotsOfItem(
  context: ListingContext,
  { item, year }: ItemOfYear,
  limit: number,
): Promise<LiveLots> {
  const { sql, now } = context
  return onlyRow(sql<LiveLots[]>`
    with live as materialized (
      select l.id, l.flip_score, l.ends_at
      from lots l
      where ${liveAt(now)}
      and l.search @@ plainto_tsquery('english', ${item.replaceAll('-', '')})
      and l.item = ${item}
      and (${year}::integer is null or l.vehicle_year = ${year})
    )
    select
      (select count(*) from live) as total,
      (select coalesce(json_agg(page), '[]') from (
        select ${listingColumns(context)}
        from (select id from live order by flip_score desc nulls last, ends_at, id limit ${limit}) as best
        join ${LOTS_OF_SOURCES} as l using (id)
        order by l.flip_score desc nulls last, l.ends_at, l.id
      ) as page) as data`)
}

/**
 * The model years of items with enough sales of one kind of price for a median.
 */
export function readItemYears({
  sql,
  now,
}: SqlContext): Promise<{ item: string; year: number }[]> {
  return sql<{ item: string; year: number }[]>`
    select distinct item, vehicle_year as year
    from sales
    where item is not null and vehicle_year is not null and ${soldInWindow(now)}
    group by item, vehicle_year, ${IS_REAL}
    having count(*) >= ${LEAST_SALES_OF_ITEM}
    order by item, vehicle_year`
}

/** How many lots of a category are live in a state. */
export interface LiveMarket {
  state: string
  category: Listing['category']
  live: number
}

/**
 * How many lots of each category are live in a state (null: in each state).
 * Lots without a state are left out.
 */
export function readLiveMarkets(
  { sql, now }: SqlContext,
  state: string | null,
): Promise<LiveMarket[]> {
  return sql<LiveMarket[]>`
    select l.state, l.category, count(*) as live
    from lots l
    where ${liveAt(now)}
    and l.state is not null
    and (${state}::text is null or l.state = ${state})
    group by l.state, l.category
    order by l.state, count(*) desc, l.category`
}

/** A twelfth of 365 days. */
const MONTH_SECONDS = 2_628_000

/**
 * A month and the median price of an item in it, in US cents. The latest month
 * is 0, the earliest 11.
 */
export type MonthMedian = [monthsAgo: number, median_cents: number]

/** The sales of an item with one kind of price. */
interface ItemMedians {
  item: string
  isReal: boolean
  sold_count: number
  median_cents: number
  /** Those with at least five of these sales, the earliest first. */
  months: MonthMedian[]
}

/**
 * Reads the medians of items over the trailing 365 days: of their real prices
 * where at least five are, else of as many last bids seen.
 */
export function readItemMedians({
  sql,
  now,
}: SqlContext): Promise<ItemMedians[]> {
  return sql<ItemMedians[]>`
    select distinct on (item)
      item,
      is_real as "isReal",
      max(sales) as sold_count,
      min(median_cents) filter (where months_ago is null) as median_cents,
      coalesce(
        json_agg(json_build_array(months_ago, median_cents) order by months_ago desc)
          filter (where months_ago is not null),
        '[]'
      ) as months
    from (
      select item, is_real, months_ago, ${percentile(0.5)} as median_cents, count(*) as sales
      from (
        select
          item,
          ${IS_REAL} as is_real,
          floor(extract(epoch from ${windowEnd(now)} - sold_at) / ${MONTH_SECONDS})::int as months_ago,
          final_bid_cents
        from sales
        where item is not null and ${soldInWindow(now)}
      ) as sale
      group by item, is_real, rollup (months_ago)
      having count(*) >= ${LEAST_SALES_OF_ITEM}
    ) as sold
    group by item, is_real
    order by item, is_real desc`
}
