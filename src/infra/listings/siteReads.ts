import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

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
