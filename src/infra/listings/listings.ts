import type { CacheValidity } from '../../contract/rawJson.ts'
import type { Schemas } from '../../contract/types.ts'
import {
  boxAround,
  type Circle,
  type ListingFilter,
  type ListingWindow,
} from '../../domain/search/listingFilter.ts'
import { liveAt } from '../liveAt.ts'
import { clock } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { stateColumns } from '../postgres/dataVersion.ts'
import { distanceTo, listingColumns, lotsOfSources, pageText } from './columns.ts'
import type { Read } from './versionedCache.ts'

/** What every query of this file is made with: the address of the pages, and the clock (null: that of the database). */
export interface ListingContext {
  sql: Sql
  publicUrl: string
  now: Date | null
}

/** A page to find. */
export interface PageQuery {
  filter: ListingFilter
  window: ListingWindow
  /** Those of a file of CSV, in order, whose rows are for `csvLines`; null asks for a JSON array of Listing. */
  columns: string[] | null
}

/** What a search found, and how long it holds. */
export interface Found extends CacheValidity {
  total: number
  /** What was asked for, as PostgreSQL wrote it. */
  text: string
}

/** A count that takes no part in the answer: it was read at no version of the data. */
const NOT_COUNTED: Read<number> = { version: -1, now_ms: 0, until_ms: 0, value: 0 }

/**
 * The live lots that match, in the asked order, and the exact count of all that match, from one snapshot. One text per sort
 * order: filters that are not asked for fold away when Postgres plans with the values. It holds until the next lot, of all,
 * begins or ends. PostgreSQL counts only where what was counted before holds no more; counting is most of the work. The columns are
 * written around the limit: beside the order they would be computed of every lot that matches, before the sort.
 * @param counted what was counted for this filter before; 'uncounted' asks for no total, and gets 0.
 */
export async function findListings(
  context: ListingContext,
  { filter, window, columns }: PageQuery,
  counted: Read<number> | null | 'uncounted' = null,
): Promise<Found> {
  const { sql, now } = context
  const matches = matchesOf(context, filter)
  const total = counted === 'uncounted' ? sql`0::bigint` : totalOf(context, matches, counted ?? NOT_COUNTED)
  const [found] = await sql<Found[]>`
    select
      ${stateColumns(sql, now)},
      extract(epoch from least(
        (select l.ends_at from lots l where l.is_open and l.ends_at > ${clock(sql, now)} order by l.ends_at limit 1),
        (select l.starts_at from lots l where l.is_open and l.starts_at > ${clock(sql, now)} order by l.starts_at limit 1)
      ))::float8 * 1000 as until_ms,
      ${total} as total,
      ${pageText(sql, columns)} as text
    from (
      select ${listingColumns(context, filter.center)}
      from (
        select *
        from ${lotsOfSources(sql)} as l
        where ${matches}
        order by ${orderOf(sql, window.sort)}
        limit ${window.limit} offset ${window.offset}
      ) as l
    ) as page`
  return { ...found!, until_ms: found!.until_ms ?? Number.POSITIVE_INFINITY }
}

function totalOf({ sql, now }: ListingContext, matches: ReturnType<typeof matchesOf>, known: Read<number>) {
  const now_ms = sql`extract(epoch from ${clock(sql, now)})::float8 * 1000`
  return sql`
    case
      when (select version from data_version) = ${known.version}
        and ${now_ms} >= ${known.now_ms}::float8
        and ${now_ms} < ${known.until_ms}::float8
      then ${known.value}::bigint
      else (select count(*) from lots l where ${matches})
    end`
}

/** One lot as JSON, in any state of its life, by its id or by its slug; it holds until the lot begins or ends. */
export async function findListing(
  context: ListingContext,
  by: { id: string } | { slug: string },
): Promise<Read<string> | null> {
  const { sql, now } = context
  const [found] = await sql<Read<string>[]>`
    select
      ${stateColumns(sql, now)},
      extract(epoch from case
        when l.starts_at > ${clock(sql, now)} then l.starts_at
        when l.ends_at > ${clock(sql, now)} then l.ends_at
        else 'infinity'
      end)::float8 * 1000 as until_ms,
      (select to_json(listing)::text from (select ${listingColumns(context, null)}) as listing) as value
    from ${lotsOfSources(sql)} as l
    where ${'id' in by ? sql`l.id = ${by.id}::uuid` : sql`l.slug = ${by.slug}`}
    order by l.id
    limit 1`
  return found ?? null
}

function matchesOf({ sql, now }: ListingContext, filter: ListingFilter) {
  return sql`
    ${liveAt(sql, now)}
    and (${filter.words}::text is null or l.search @@ websearch_to_tsquery('english', ${filter.words}))
    and (${filter.category}::text is null or l.category = ${filter.category})
    and (${filter.state}::text is null or l.state = ${filter.state})
    and (${filter.source}::text is null or l.source = ${filter.source})
    and (${filter.price_min}::numeric is null or l.price_cents >= ceil(${filter.price_min}::numeric * 100)::bigint)
    and (${filter.price_max}::numeric is null or l.price_cents <= floor(${filter.price_max}::numeric * 100)::bigint)
    and (not ${filter.no_bids} or l.num_bids = 0)
    and (not ${filter.buy_now} or l.buy_now_cents is not null)
    ${filter.center ? sql`and ${isWithin(sql, filter.center)}` : sql``}`
}

/** A box first, which the index on the place answers, then the great circle. */
function isWithin(sql: Sql, center: Circle) {
  const { north, east } = boxAround(center)
  return sql`
    l.latitude between ${center.latitude - north}::float8 and ${center.latitude + north}::float8
    and l.longitude between ${center.longitude - east}::float8 and ${center.longitude + east}::float8
    and ${distanceTo(sql, center)} <= ${center.radius_miles}::float8`
}

function orderOf(sql: Sql, sort: Schemas['Sort']) {
  return {
    ending_soon: sql`l.ends_at, l.id`,
    newest: sql`l.starts_at desc, l.id`,
    price_low: sql`l.price_cents, l.id`,
    price_high: sql`l.price_cents desc nulls last, l.id`,
    most_bids: sql`l.num_bids desc, l.id`,
    best_deals: sql`l.flip_score desc nulls last, l.id`,
  }[sort]
}
