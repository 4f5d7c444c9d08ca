import { FEED_COLUMNS, type LotRow } from '../../domain/feeds/lotRow.ts'
import type { Circle } from '../../domain/search/circle.ts'
import { type DataState, liveAt, stateColumns } from '../postgres/dataVersion.ts'
import {
  asJson,
  type Fragment,
  firstRow,
  fragment,
  onlyRow,
  type Sql,
  type SqlContext,
} from '../postgres/sql.ts'
import { OBSERVED_BIDS } from './changes.ts'
import {
  auctionOf,
  type ListingContext,
  LOTS_OF_SOURCES,
  type LotKey,
  listingColumns,
  listingJson,
} from './columns.ts'
import type { Read } from './versionedCache.ts'

/** Lots by their ids, and the state of the data in the same snapshot. */
export interface ReadLots extends DataState {
  /** The versions of the open lots and of their scores; see migrations/0006_data_version.sql. */
  offers: number
  scores: number
  /** How many of the lots are live. */
  live: number
  /** The live ones, in the order of the ids: a JSON array of Listing, as PostgreSQL wrote it. */
  text: string
}

/** The live ones of these lots. @param center for the distance of each; null without a ZIP code. */
export async function readLots(context: ListingContext, ids: string[], center: Circle | null) {
  const { sql, now } = context
  return onlyRow(sql<ReadLots[]>`
    select
      ${stateColumns(now)},
      (select offers from data_version) as offers,
      (select scores from data_version) as scores,
      count(page) as live,
      coalesce(json_agg(page), '[]')::text as text
    from (
      select ${listingColumns(context, center)}
      from json_array_elements_text(${asJson(ids)}) with ordinality as wanted (id, place)
      join ${LOTS_OF_SOURCES} as l on l.id = wanted.id::uuid
      where ${liveAt(now)}
      order by wanted.place
    ) as page`)
}

/** As the contract bounds it. */
const LONGEST_DESCRIPTION = 4_000

/**
 * One ListingDetail as JSON, in any state of its life, by its id or by its slug, with `bids`, the observed ones, and `sale`, null while
 * there is none. It is valid until a lot of its auction begins or ends.
 */
export async function findListingWithBids(context: ListingContext, by: LotKey) {
  const { sql, now } = context
  const sale = fragment`(
    select to_json(sold)
    from (select final_bid_cents, price_basis, rfc3339(sold_at) as sold_at from sales where sales.id = l.id) as sold
  )`
  const detail = fragment`${DETAIL}, ${OBSERVED_BIDS} as bids, ${sale} as sale`
  return firstRow(sql<Read<string>[]>`
    select
      ${stateColumns(now)},
      least(${changesAt(now)}, auction.changes_ms) as until_ms,
      ${listingJson(context, detail)}::text as value
    from ${LOTS_OF_SOURCES} as l
    ${auctionOf(now)}
    where ${'id' in by ? sql`l.id = ${by.id}::uuid` : sql`l.slug = ${by.slug}`}
    order by l.id
    limit 1`)
}

/** What a ListingDetail has beyond a Listing, beside `auctionOf`. */
const DETAIL = fragment`, left(l.description, ${LONGEST_DESCRIPTION}) as description, auction.in_json as auction`

/**
 * A Listing, or in detail a ListingDetail, as JSON for each of these keys, in their order, from one snapshot: null where there is no such lot. Each is valid until the
 * lot (or in detail one of its auction) begins or ends. The limit makes PostgreSQL look up each lot by its id; it read all lots for a join.
 */
export function findNamedListings(
  context: ListingContext,
  keys: { id?: string; slug?: string }[],
  { inDetail = false } = {},
) {
  const { sql, now } = context
  const until = inDetail ? fragment`least(${changesAt(now)}, auction.changes_ms)` : changesAt(now)
  return sql<(DataState & { until_ms: number | null; value: string | null })[]>`
    select
      ${stateColumns(now)},
      found.*
    from rows from (json_to_recordset(${asJson(keys)}) as (id uuid, slug text))
      with ordinality as wanted (id, slug, place)
    left join lateral (
      select
        ${until} as until_ms,
        ${listingJson(context, inDetail ? DETAIL : fragment``)}::text as value
      from ${LOTS_OF_SOURCES} as l
      ${inDetail ? auctionOf(now) : fragment``}
      where l.id = coalesce(wanted.id, (select id from lots where slug = wanted.slug order by id limit 1))
      limit 1
    ) as found on true
    order by wanted.place`
}

/** When the lot called `l` begins or ends next, in milliseconds since 1970. */
function changesAt(now: Fragment) {
  return fragment`
      to_ms(case
        when l.starts_at > ${now} then l.starts_at
        when l.ends_at > ${now} then l.ends_at
        else 'infinity'
      end)`
}

/** The lots whose official page is this address, the open ones first. */
export async function findLotsAt({ sql }: SqlContext, address: string, limit: number) {
  return sql<{ id: string; title: string; is_open: boolean }[]>`
    select l.id, l.title, l.is_open
    from lots as l
    where md5(l.source_url)::uuid = md5(${address}::text)::uuid and l.source_url = ${address}
    order by l.is_open desc, l.ends_at desc, l.id
    limit ${limit}`
}

/** An open lot as a feed would describe it; null where there is none. */
export async function readOpenLotAsRow(sql: Sql, id: string) {
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
