import type { Category } from '../../domain/titles/categories.ts'
import { MOST_UNSOLD } from '../../domain/valuation/baseline/fit.ts'
import type { Sale, UnsoldLot } from '../../domain/valuation/comparables/corpus.ts'
import { clock, SALES_WINDOW } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'

/** Sales in one row of the result; four such rows are fetched at a time. */
const SALES_A_ROW = 2000

/**
 * Reads the sales of the 365 days before `now` in batches: newest first, those of one moment by id.
 *
 * Each row of the result holds the columns of many sales as JSON arrays: a million sales take 0.6 s of this process instead of
 * 2.8 s as rows. A COPY is as fast, but after it postgres.js 3.4.9 can lose the next query.
 */
export async function* readSales(sql: Sql, now: Date): AsyncGenerator<Sale[]> {
  const batches = sql<SalesRow[]>`
    select
      json_agg(id order by place)::text as ids,
      json_agg(title order by place)::text as titles,
      json_agg(category order by place)::text as categories,
      json_agg(item order by place)::text as items,
      json_agg(zip order by place)::text as zips,
      json_agg(final_bid_cents order by place)::text as prices,
      json_agg(sold_at_ms order by place)::text as moments
    from (
      select
        id, title, category, item, zip, final_bid_cents, extract(epoch from sold_at)::float8 * 1000 as sold_at_ms,
        row_number() over newest_first as place,
        (row_number() over newest_first - 1) / ${SALES_A_ROW}::integer as part
      from sales
      where sold_at > ${now.toISOString()}::timestamptz - ${SALES_WINDOW}::interval
      and sold_at <= ${now.toISOString()}
      window newest_first as (order by sold_at desc, id)
    ) as ordered
    group by part
    order by part`.cursor(4)
  for await (const rows of batches) for (const row of rows) yield salesOf(row)
}

interface SalesRow {
  ids: string
  titles: string
  categories: string
  items: string
  zips: string
  prices: string
  moments: string
}

function salesOf(row: SalesRow): Sale[] {
  const titles = JSON.parse(row.titles) as string[]
  const categories = JSON.parse(row.categories) as Category[]
  const items = JSON.parse(row.items) as (string | null)[]
  const zips = JSON.parse(row.zips) as (string | null)[]
  const prices = JSON.parse(row.prices) as number[]
  const moments = JSON.parse(row.moments) as number[]
  return (JSON.parse(row.ids) as string[]).map((id, n) => ({
    id,
    title: titles[n]!,
    category: categories[n]!,
    item: items[n]!,
    zip: zips[n]!,
    final_bid_cents: prices[n]!,
    sold_at_ms: moments[n]!,
  }))
}

/** Counts the lots of each category that closed without a buyer in the 365 days before `now`. */
export async function countUnsold(sql: Sql, now: Date | null): Promise<Partial<Record<Category, number>>> {
  const counts = await sql<{ category: Category; lots: number }[]>`
    select category, count(*) as lots
    from lots
    where sold_at is null
    and duplicate_of is null
    and not is_open
    and (outcome is null or outcome = 'unsold')
    and ends_at > ${clock(sql, now)} - ${SALES_WINDOW}::interval
    and ends_at <= ${clock(sql, now)}
    group by category`
  return Object.fromEntries(counts.map(({ category, lots }) => [category, lots]))
}

/** The newest lots that ended without a bid in the 365 days before `now`, as many as the baseline can use. */
export async function readUnsold(sql: Sql, now: Date | null): Promise<UnsoldLot[]> {
  return sql<UnsoldLot[]>`
    select title, category, item, zip, extract(epoch from ends_at)::float8 * 1000 as ended_at_ms
    from lots
    where sold_at is null
    and duplicate_of is null
    and not is_open
    and num_bids = 0
    and (outcome is null or outcome = 'unsold')
    and ends_at > ${clock(sql, now)} - ${SALES_WINDOW}::interval
    and ends_at <= ${clock(sql, now)}
    order by ends_at desc, id
    limit ${MOST_UNSOLD}`
}

/** Every stored sale, for the backtest. */
export async function readEverySale(sql: Sql): Promise<Sale[]> {
  return sql<Sale[]>`
    select
      id, title, category, item, state, zip, final_bid_cents, extract(epoch from sold_at)::float8 * 1000 as sold_at_ms
    from sales`
}
