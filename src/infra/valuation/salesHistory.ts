import type { Category } from '../../domain/titles/categories.ts'
import { MOST_UNSOLD } from '../../domain/valuation/baseline/fit.ts'
import type { Sale, UnsoldLot } from '../../domain/valuation/comparables/corpus.ts'
import type { Sql } from '../postgres/database.ts'
import { clock, SALES_WINDOW } from '../postgres/dataVersion.ts'

const SALES_A_BATCH = 2000

/** Reads the sales of the 365 days before `now` in batches: newest first, those of one moment by id. */
export function readSales(sql: Sql, now: Date): AsyncIterable<Sale[]> {
  return sql<Sale[]>`
    select
      id, title, category, item, zip, final_bid_cents, extract(epoch from sold_at)::float8 * 1000 as sold_at_ms
    from sales
    where sold_at > ${now.toISOString()}::timestamptz - ${SALES_WINDOW}::interval
    and sold_at <= ${now.toISOString()}
    order by sold_at desc, id`.cursor(SALES_A_BATCH)
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
