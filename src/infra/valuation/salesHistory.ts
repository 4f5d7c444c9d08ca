import type { Category } from '../../domain/valuation/categories.ts'
import type { Sale, UnsoldLot } from '../../domain/valuation/comparablesCorpus.ts'
import { clock, SALES_WINDOW } from '../clock.ts'
import type { Sql } from '../database.ts'

/** The sales of the 365 days before `now`, in no order. */
export async function readSales(sql: Sql, now: Date | null): Promise<Sale[]> {
  return sql<Sale[]>`
    select id, title, category, item, zip, final_bid_cents, extract(epoch from sold_at)::float8 * 1000 as sold_at_ms
    from lots
    where sold_at > ${clock(sql, now)} - ${SALES_WINDOW}::interval
    and sold_at <= ${clock(sql, now)}`
}

/** How many lots of each category closed in the same time without a buyer. */
export async function countUnsold(sql: Sql, now: Date | null): Promise<Partial<Record<Category, number>>> {
  const counts = await sql<{ category: Category; lots: number }[]>`
    select category, count(*) as lots
    from lots
    where sold_at is null
    and not is_open
    and (outcome is null or outcome = 'unsold')
    and ends_at > ${clock(sql, now)} - ${SALES_WINDOW}::interval
    and ends_at <= ${clock(sql, now)}
    group by category`
  return Object.fromEntries(counts.map(({ category, lots }) => [category, lots]))
}

/** Every sale there is, for measuring estimators. */
export async function readEverySale(sql: Sql): Promise<Sale[]> {
  return sql<Sale[]>`
    select
      id, title, category, item, state, zip, final_bid_cents, extract(epoch from sold_at)::float8 * 1000 as sold_at_ms
    from lots
    where sold_at is not null`
}

/** As many hints of what is worth little as an estimate can use. */
const UNSOLD_LOTS = 25_000

/** The newest lots that ended before `before` without a single bid. */
export async function readUnsold(sql: Sql, before: Date | null): Promise<UnsoldLot[]> {
  return sql<UnsoldLot[]>`
    select title, category, item, zip, extract(epoch from ends_at)::float8 * 1000 as ended_at_ms
    from lots
    where sold_at is null
    and not is_open
    and num_bids = 0
    and (outcome is null or outcome = 'unsold')
    and ends_at > ${clock(sql, before)} - ${SALES_WINDOW}::interval
    and ends_at <= ${clock(sql, before)}
    order by ends_at desc, id
    limit ${UNSOLD_LOTS}`
}
