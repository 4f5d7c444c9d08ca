import type { CacheValidity } from '../../contract/rawJson.ts'
import type { Schemas } from '../../contract/types.ts'
import {
  boxAround,
  type Circle,
  type ListingFilter,
  type ListingWindow,
} from '../../domain/search/listingFilter.ts'
import { clock, liveAt, nextEndAndStart, stateColumns } from '../postgres/dataVersion.ts'
import type { Fragment, Sql } from '../postgres/sql.ts'
import { distanceTo, type ListingContext, listingColumns, lotsOfSources } from './columns.ts'
import type { Read } from './versionedCache.ts'

/** A page of a search, and how long it is valid. */
export interface Found extends CacheValidity {
  total: number
  /** As PostgreSQL wrote it: a JSON array of Listing, or for an export a line for each lot, a JSON array of its cells. */
  text: string
}

/** A total that no version of the data has. */
const NOT_COUNTED: Read<number> = { version: -1, now_ms: 0, until_ms: 0, value: 0 }

/**
 * The live lots that match, in the requested order, and the exact count of all that match, from one snapshot. PostgreSQL counts only
 * where the cached total is no longer valid; counting is most of the work.
 * @param counted the cached total of this filter.
 */
export async function findListings(
  context: ListingContext,
  filter: ListingFilter,
  window: ListingWindow,
  counted: Read<number> | null,
): Promise<Found> {
  const { sql } = context
  const [found] = await sql<Found[]>`
    select
      ${totalColumns(context, filter, counted)},
      ${window.columns ? linesOf(sql, window.columns) : sql`coalesce(json_agg(page), '[]')::text`} as text
    from (${pageOf(context, filter, window)}) as page`
  return { ...found!, until_ms: found!.until_ms ?? Number.POSITIVE_INFINITY }
}

/** Arrays of text, which PostgreSQL writes as JSON in two thirds of the time of objects. */
function linesOf(sql: Sql, columns: string[]) {
  const cells = columns.map((name, n) => sql`${n > 0 ? sql`, ` : sql``}${sql(`page.${name}`)}::text`)
  return sql`coalesce(string_agg(to_json(array[${cells}])::text, E'\n'), '')`
}

/** The columns are written around the limit: inside, they would be computed for every lot that matches, before the sort. */
function pageOf(context: ListingContext, filter: ListingFilter, { sort, limit, offset }: ListingWindow) {
  const { sql } = context
  return sql`
      select ${listingColumns(context, filter.center)}
      from (
        select *
        from ${lotsOfSources(sql)} as l
        where ${matchesOf(context, filter)}
        order by ${orderOf(sql, sort, filter)}
        limit ${limit} offset ${offset}
      ) as l`
}

/** The total, the state of the data, and the moment when the next lot, of all, begins, ends or comes within the hours of the filter. */
function totalColumns(context: ListingContext, filter: ListingFilter, counted: Read<number> | null) {
  const { sql, now } = context
  const known = counted ?? NOT_COUNTED
  const hours = sql`make_interval(hours => ${filter.closing_within_hours}::integer)`
  const now_ms = sql`extract(epoch from ${clock(sql, now)})::float8 * 1000`
  return sql`
      ${stateColumns(sql, now)},
      extract(epoch from least(
        ${nextEndAndStart(sql, now)},
        (
          select l.ends_at - ${hours}
          from lots l
          where l.is_open and l.ends_at > ${clock(sql, now)} + ${hours}
          order by l.ends_at
          limit 1
        )
      ))::float8 * 1000 as until_ms,
      case
        when (select version from data_version) = ${known.version}
          and ${now_ms} >= ${known.now_ms}::float8
          and ${now_ms} < ${known.until_ms}::float8
        then ${known.value}::bigint
        else (select count(*) from lots l where ${matchesOf(context, filter)})
      end as total`
}

/** Optional filters fold away, since PostgreSQL plans these statements with the values (docs/search.md). */
export function matchesOf({ sql, now }: Omit<ListingContext, 'publicUrl'>, filter: ListingFilter) {
  return sql`
    ${liveAt(sql, now)}
    and (${filter.words?.all ?? null}::text is null or l.search @@ to_tsquery('english', ${filter.words?.all ?? null}))
    and (not ${filter.no_bids} or l.num_bids = 0)
    and (
      ${filter.closing_within_hours}::integer is null
      or l.ends_at <= ${clock(sql, now)} + make_interval(hours => ${filter.closing_within_hours}::integer)
    )
    and ${matchesAnytime(sql, filter)}`
}

/** The filters that ask for no moment, so that they also hold for a lot that has ended. */
export function matchesAnytime(sql: Sql, filter: ListingFilter) {
  const { buy_now, min_flip_score, value_min, center } = filter
  return sql`
    ${matchesFacets(sql, filter, sql`l.price_cents`)}
    and (not ${buy_now} or l.buy_now_cents is not null)
    and (${min_flip_score}::integer is null or l.flip_score >= ${min_flip_score}::integer)
    and (${value_min}::numeric is null or l.approximate_value_cents >= ceil(${value_min}::numeric * 100)::bigint)
    ${center ? sql`and ${isWithin(sql, center)}` : sql``}`
}

/** The filters that open lots and sales share. A null does not filter. Prices are US dollars. */
export type SharedFilter = Pick<ListingFilter, 'category' | 'state' | 'source' | 'price_min' | 'price_max'>

/** Whether an open lot or a sale, called `l`, passes them. @param price its price in cents. */
export function matchesFacets(sql: Sql, filter: SharedFilter, price: Fragment) {
  const { category, state, source, price_min, price_max } = filter
  return sql`
    (${category}::text is null or l.category = ${category})
    and (${state}::text is null or l.state = ${state})
    and (${source}::text is null or l.source = ${source})
    and (${price_min}::numeric is null or ${price} >= ceil(${price_min}::numeric * 100)::bigint)
    and (${price_max}::numeric is null or ${price} <= floor(${price_max}::numeric * 100)::bigint)`
}

/** The search vector of a lot. One that has ended has none any more; it is calculated again. */
export function searchVector(sql: Sql) {
  return sql`coalesce(l.search, lot_search(
    l.title, coalesce(l.item, ''),
    l.category || ' ' || coalesce(l.vehicle_make, '') || ' ' || coalesce(l.vehicle_model, ''),
    l.describing,
    coalesce(l.city, '') || ' ' || coalesce(l.state, ''),
    l.source_id, true
  ))`
}

/** First a box, for the index on the location, then the great circle. */
function isWithin(sql: Sql, center: Circle) {
  const { north, east } = boxAround(center)
  return sql`
    l.latitude between ${center.latitude - north}::float8 and ${center.latitude + north}::float8
    and l.longitude between ${center.longitude - east}::float8 and ${center.longitude + east}::float8
    and ${distanceTo(sql, center)} <= ${center.radius_miles}::float8`
}

/**
 * Ties are broken by id. With words, lots with all of them in the title come first in every order, then those where all stand in the
 * title or in what was read from the lot, then the others; the best match has those with the phrase in the title first of all.
 */
function orderOf(sql: Sql, sort: Schemas['Sort'] | undefined, { words, center }: ListingFilter) {
  const order = {
    ending_soon: sql`l.ends_at, l.id`,
    newest: sql`l.starts_at desc, l.id`,
    price_low: sql`l.price_cents, l.id`,
    price_high: sql`l.price_cents desc nulls last, l.id`,
    most_bids: sql`l.num_bids desc, l.id`,
    best_deals: sql`l.flip_score desc nulls last, l.id`,
    most_profit: sql`l.expected_profit_cents desc nulls last, l.id`,
    nearest: sql`${center ? distanceTo(sql, center) : sql`l.ends_at`}, l.id`,
  }[sort ?? 'ending_soon']
  if (words === null) return order
  return sql`
      case
        when l.search @@ to_tsquery('english', ${words.titled}) then 0
        when l.search @@ to_tsquery('english', ${words.read}) then 1
        else 2
      end,
      ${sort === undefined ? sql`l.search @@ to_tsquery('english', ${words.title}) desc, ` : sql``}${order}`
}

const MOST_TITLE_WORDS = 50_000

/** The words of letters in the titles of live lots, in lower case, the most frequent first. */
export async function readTitleVocabulary(sql: Sql, now: Date | null): Promise<Read<string[]>> {
  const [read] = await sql<Read<string>[]>`
    with pieces as materialized (
      select piece, count(*) as lots
      from lots l, string_to_table(lower(l.title), ' ') as piece
      where ${liveAt(sql, now)}
      group by piece
    )
    select ${stateColumns(sql, now)}, coalesce(string_agg(word, ' ' order by lots desc, word), '') as value
    from (
      select word, sum(lots) as lots
      from pieces, rtrim(piece, ',.:;)') as word
      where word ~ '^[a-z]{3,24}$'
      group by word
      order by lots desc, word
      limit ${MOST_TITLE_WORDS}
    ) as words`
  return { ...read!, until_ms: Number.POSITIVE_INFINITY, value: read!.value.split(' ') }
}
