import { FEED_COLUMNS, type LotRow } from '../../domain/feeds/lotRow.ts'
import {
  asJson,
  firstRow,
  fragment,
  type Sql,
  type SqlContext,
} from '../postgres/sql.ts'
import { OBSERVED_BIDS } from './changes.ts'
import {
  auctionOf,
  type ListingContext,
  LOTS_OF_SOURCES,
  type LotKey,
  listingJson,
} from './columns.ts'

/** As the contract bounds it. */
const LONGEST_DESCRIPTION = 4_000

/**
 * One ListingDetail as JSON, in any state of its life, by its id or by its
 * slug, with `bids`, the observed ones, and `sale`, null while there is none;
 * and the database clock at the read, in milliseconds since 1970. Null where
 * there is no such lot.
 */
export async function findListingWithBids(
  context: ListingContext,
  by: LotKey,
): Promise<{ now_ms: number; value: string } | null> {
  const { sql, now } = context
  const sale = fragment`(
    select to_json(sold)
    from (select final_bid_cents, price_basis, rfc3339(sold_at) as sold_at from sales where sales.id = l.id) as sold
  )`
  const detail = fragment`${DETAIL}, ${OBSERVED_BIDS} as bids, ${sale} as sale`
  return firstRow(sql<{ now_ms: number; value: string }[]>`
    select
      to_ms(${now}) as now_ms,
      ${listingJson(context, detail)}::text as value
    from ${LOTS_OF_SOURCES} as l
    ${auctionOf(now)}
    where ${'id' in by ? sql`l.id = ${by.id}::uuid` : sql`l.slug = ${by.slug}`}
    order by l.id
    limit 1`)
}

/** What a ListingDetail has beyond a Listing, beside `auctionOf`. */
const DETAIL = fragment`,
    left(l.description, ${LONGEST_DESCRIPTION}) as description,
    auction.in_json as auction,
    rfc3339(l.publisher_changed_at) as publisher_changed_at,
    earlier_listings(l.id) as earlier_listings`

/**
 * A Listing, or in detail a ListingDetail, as JSON for each of these keys, in
 * their order, from one snapshot: null where there is no such lot. The limit
 * makes PostgreSQL look up each lot by its id; it read all lots for a join.
 */
export function findNamedListings(
  context: ListingContext,
  keys: { id?: string; slug?: string }[],
  { inDetail = false }: { inDetail?: boolean } = {},
): Promise<{ value: string | null }[]> {
  const { sql, now } = context
  return sql<{ value: string | null }[]>`
    select found.value
    from rows from (json_to_recordset(${asJson(keys)}) as (id uuid, slug text))
      with ordinality as wanted (id, slug, place)
    left join lateral (
      select ${listingJson(context, inDetail ? DETAIL : fragment``)}::text as value
      from ${LOTS_OF_SOURCES} as l
      ${inDetail ? auctionOf(now) : fragment``}
      where l.id = coalesce(wanted.id, (select id from lots where slug = wanted.slug order by id limit 1))
      limit 1
    ) as found on true
    order by wanted.place`
}

/** A lot whose official page is an address. */
export interface LotAtAddress {
  id: string
  title: string
  is_open: boolean
}

/** The lots whose official page is this address, the open ones first. */
export async function findLotsAt(
  { sql }: SqlContext,
  address: string,
  limit: number,
): Promise<LotAtAddress[]> {
  return sql<LotAtAddress[]>`
    select l.id, l.title, l.is_open
    from lots as l
    where md5(l.source_url)::uuid = md5(${address}::text)::uuid and l.source_url = ${address}
    order by l.is_open desc, l.ends_at desc, l.id
    limit ${limit}`
}

/** An open lot as a feed would describe it; null where there is none. */
export async function readOpenLotAsRow(
  sql: Sql,
  id: string,
): Promise<LotRow | null> {
  return firstRow(sql<LotRow[]>`
    select ${sql([...FEED_COLUMNS])}
    from (
      select
        *,
        case when isfinite(starts_at) then rfc3339(starts_at) end as start_date,
        case when isfinite(ends_at) then rfc3339(ends_at) end as end_date
      from lots
      where id = ${id}::uuid and is_open
    ) as lot`)
}
