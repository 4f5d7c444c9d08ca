import type { Listing, ListingDetail } from '../../contract/types.ts'
import type { Point } from '../../domain/search/circle.ts'
import { LAST_HOURS } from '../../domain/valuation/projection.ts'
import { liveAt } from '../postgres/clock.ts'
import {
  asJson,
  firstRow,
  jsonList,
  onlyRow,
  type SqlContext,
} from '../postgres/sql.ts'
import {
  auctionOf,
  distanceTo,
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
  listingJson,
  nextBid,
} from '../search/columns.ts'

/**
 * The most entries in one file of a sitemap
 * (https://www.sitemaps.org/protocol.html).
 */
const LARGEST_PART = 50_000

/**
 * The live lots of one part of the sitemap, those whose id begins with a
 * hexadecimal digit: a lot never moves to another part.
 */
export async function findLiveSlugs(
  { sql, now }: SqlContext,
  digit: string,
): Promise<string[]> {
  const first = `${digit}0000000-0000-0000-0000-000000000000`
  const last = `${digit}fffffff-ffff-ffff-ffff-ffffffffffff`
  const lots = await sql<{ slug: string }[]>`
    select l.slug
    from lots l
    where l.id between ${first}::uuid and ${last}::uuid and ${liveAt(now)}
    order by l.id
    limit ${LARGEST_PART}`
  return lots.map(({ slug }) => slug)
}

/**
 * Live lots of the category of a lot that match some words, the nearest first.
 * @param words for `to_tsquery`. The lots that match best are chosen.
 * @param place of the lot; null: its state first.
 */
export async function findSimilarLots(
  context: ListingContext,
  { id, also_listed_as, category, state }: Listing,
  words: string,
  place: Point | null,
  limit: number,
): Promise<Listing[]> {
  const { sql, now } = context
  const center = place && { ...place, radius_miles: 0 }
  const distance = center
    ? distanceTo(center)
    : sql`(l.state is distinct from ${state})::integer`
  return sql`
    select ${listingColumns(context, center)}
    from (
      select l.*, ${distance} as distance
      from ${LOTS_OF_SOURCES} as l
      where ${liveAt(now)}
      and l.category = ${category}
      and l.id not in (${id}::uuid, ${also_listed_as ?? id}::uuid)
      and l.search @@ lots_query(${words}, ${category}, null)
      order by round(ts_rank(l.search, to_tsquery('english', ${words}))::numeric, 2) desc, distance nulls last, l.ends_at, l.id
      limit ${limit}
    ) as l
    order by l.distance nulls last, l.ends_at, l.id`
}

/** An auction, which its buyers visit once. */
export interface Trip {
  auction: NonNullable<ListingDetail['auction']>
  /** Of its live lots together, in US cents; null where none is known. */
  next_bids_cents: number | null
  /** The live lot that ends last, and its description. */
  last: Listing
  description: string | null
  /**
   * A point of each city that its live lots are in, by the name and state; by
   * '' for those whose city is not known.
   */
  cities: Record<string, { [Name in keyof Point]: number | null }>
}

/** An auction by its id; null where none of its lots is live. */
export async function findTrip(
  context: ListingContext,
  auction: string,
): Promise<Trip | null> {
  const { sql, now } = context
  return firstRow(sql<Trip[]>`
    select
      auction.in_json as auction,
      l.next_bids_cents,
      ${listingJson(context)} as last,
      l.description,
      l.cities
    from (
      select
        l.*,
        sum(${nextBid(now)}) over ()::bigint as next_bids_cents,
        jsonb_object_agg(
          coalesce(l.city || l.state, ''),
          json_build_object('latitude', l.latitude, 'longitude', l.longitude)
        ) over () as cities
      from ${LOTS_OF_SOURCES} as l
      where l.auction_id = ${auction} and ${liveAt(now)}
      order by l.ends_at desc, l.id
      limit 1
    ) as l
    ${auctionOf(now)}`)
}

/**
 * The descriptions of these lots, by their ids; without those that have none.
 */
export async function readDescriptions(
  { sql }: SqlContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; description: string }[]>`
    select id, description
    from lots
    where id in (select json_array_elements_text(${asJson(ids)})::uuid) and description is not null`
  return new Map(rows.map(({ id, description }) => [id, description]))
}

/** How many live lots each of these auctions has, by its id. */
export async function countLotsOfAuctions(
  { sql, now }: SqlContext,
  auctions: unknown[],
): Promise<Map<string, number>> {
  const rows = await sql<{ auction_id: string; lots: number }[]>`
    select l.auction_id, count(*)::integer as lots
    from lots l
    where l.auction_id in (select json_array_elements_text(${asJson(auctions)}))
    and ${liveAt(now)}
    group by l.auction_id`
  return new Map(rows.map(({ auction_id, lots }) => [auction_id, lots]))
}

const MOST_DEALS = 200
/** Less is no reason to drive to an auction. */
const LEAST_ROOM_CENTS = 5_000

/** A lot with room: what is left below its limit, in US cents. */
export interface Deal {
  id: string
  category: string
  room_rank: number
}

/** What the front page says about all live lots. */
export interface Overview {
  live: number
  /** How many sources the lots come from. */
  sources: number
  /**
   * When a source was last loaded completely, RFC 3339; null while none was.
   */
  read_at: string | null
  /**
   * The number of live lots by category and by state; those without any are
   * left out.
   */
  categories: Record<string, number>
  states: Record<string, number>
  /** Lots whose room is decided, by `verdictColor`, the next to end first. */
  deals: Deal[]
  /** Ids of the lots with the most room. */
  room: string[]
  /** Ids, the next to end first. */
  ending: string[]
}

/**
 * Counts all live lots and chooses those of the front page, in one statement,
 * which reads them all once: a million of them, written aside and read for each
 * count, took longer than a count may.
 * @param most the number of lots that end next.
 */
export async function readOverview(
  { sql, now }: SqlContext,
  most: number,
): Promise<Overview> {
  const live = sql`lots l where ${liveAt(now)}`
  const countsBy = (column: 'category' | 'state') => sql`(
    select coalesce(json_object_agg(value, lots), '{}')
    from (select ${sql(column)} as value, sum(lots) as lots from kinds group by 1) as counted
    where value is not null
  )`
  const deals = sql`
    select id, category, room_rank
    from lots
    where id in (select unnest(deals) from kinds)
    order by ends_at, id
    limit ${MOST_DEALS}`
  return onlyRow(sql`
    with kinds as (
      select
        category, state, source, count(*) as lots,
        array_agg(id) filter (
          where room_rank >= ${LEAST_ROOM_CENTS} and value_grade = 'comparables'
          and (
            ends_at <= ${now} + make_interval(hours => ${LAST_HOURS})
            or approximate_close_cents <= limit_cents
            or offer_kind = 'fixed_price'
          )
        ) as deals
      from ${live}
      group by 1, 2, 3
    )
    select
      (select coalesce(sum(lots), 0)::integer from kinds) as live,
      (select count(distinct source) from kinds) as sources,
      (select rfc3339(max(last_success_at)) from sources) as read_at,
      ${countsBy('category')} as categories,
      ${countsBy('state')} as states,
      ${jsonList(deals)} as deals,
      to_json(array(
        select id
        from ${live}
        and room_rank >= ${LEAST_ROOM_CENTS}
        order by room_rank desc, id
        limit ${most}
      )) as room,
      to_json(array(
        select id
        from ${live}
        and isfinite(ends_at)
        order by ends_at, id
        limit ${most}
      )) as ending`)
}
