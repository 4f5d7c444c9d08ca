import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'
import { percentile } from './soldPrices.ts'

/** The price that a lot sold for, in US cents, and when its auction ended. */
export interface Sale {
  final_bid_cents: number
  /** What the price includes; see Comps in the contract. */
  price_basis: string
  sold_at: string
}

/** The sale of a lot; null while there is none. */
export async function findSale(sql: Sql, listingId: string): Promise<Sale | null> {
  const [row] = await sql<Sale[]>`
    select final_bid_cents, price_basis, rfc3339(sold_at) as sold_at
    from sales
    where id = ${listingId}::uuid`
  return row ?? null
}

/** The live lots whose id begins with a hexadecimal digit, at most `limit`: a lot never moves to another part. */
export async function findLiveSlugs(sql: Sql, now: Date | null, digit: string, limit: number) {
  const first = `${digit}0000000-0000-0000-0000-000000000000`
  const last = `${digit}fffffff-ffff-ffff-ffff-ffffffffffff`
  return sql<{ slug: string; observed_at: string }[]>`
    select slug, rfc3339(observed_at) as observed_at
    from lots
    where id between ${first}::uuid and ${last}::uuid
    and is_open and ends_at > ${clock(sql, now)} and starts_at <= ${clock(sql, now)}
    order by id
    limit ${limit}`
}

/** The estimate of a lot and the middle of the sales that it rests on, in US cents. */
interface LotValueRow {
  id: string
  estimated_cents: number
  sold_count: number
  median_cents: number
}

/** The values of those of these lots that have one. */
export async function findLotValues(sql: Sql, ids: string[]): Promise<LotValueRow[]> {
  return sql`
    select a.lot_id as id, a.estimated_value_cents as estimated_cents, sold.sold_count, sold.median_cents
    from appraisals a
    cross join lateral (
      select count(*) as sold_count, ${percentile(sql, 0.5)} as median_cents
      from sales
      where id = any(a.sale_ids)
    ) as sold
    where a.lot_id = any(
      select wanted.id::uuid from json_array_elements_text(${JSON.stringify(ids)}::text::json) as wanted (id)
    )
    and sold.sold_count > 0`
}
