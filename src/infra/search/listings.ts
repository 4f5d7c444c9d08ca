import type { Schemas } from '../../contract/types.ts'
import type {
  ListingFilter,
  ListingWindow,
} from '../../domain/search/filters.ts'
import { liveAt } from '../postgres/clock.ts'
import {
  type Fragment,
  firstValue,
  fragment,
  onlyRow,
  type SqlContext,
} from '../postgres/sql.ts'
import {
  distanceTo,
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
} from './columns.ts'
import { passes } from './conditions.ts'

/** A page of a search. */
export interface Found {
  /** How many lots match, on all pages; with `group`, how many groups. */
  total: number
  /**
   * With `group`, how many others are like each lot of the page, in its order.
   */
  twins?: number[]
  /**
   * As PostgreSQL wrote it: a JSON array of Listing, or for an export a line
   * for each lot, a JSON array of its cells.
   */
  text: string
}

/**
 * The live lots that match, in the requested order, and the exact count of all
 * that match, from one snapshot.
 */
export async function findListings(
  context: ListingContext,
  filter: ListingFilter,
  window: ListingWindow,
): Promise<Found> {
  const { sql, now } = context
  const { matches, counts, page } = readingOf(now, filter, window)
  return onlyRow(sql<Found[]>`
    ${matches}
    select
      ${counts}
      ${window.columns ? linesOf(window.columns) : sql`coalesce(json_agg(page), '[]')::text`} as text
    from (select ${listingColumns(context, filter.zip)} from ${page}) as page`)
}

/**
 * What to read before the rest, to count, and as the page, before the columns
 * of the lots: inside its limit, those would be computed for every lot that
 * matches. No index has the order of words, nor the lots of a sale that are
 * alike, so these are read once, with what orders them. Words that are all
 * excluded order nothing. Why: callers with frequent words, `node --import tsx
 * bench/size.ts`.
 */
function readingOf(
  now: Fragment,
  filter: ListingFilter,
  { sort, group, limit, offset }: ListingWindow,
) {
  const { q } = filter
  const where = fragment`where ${matchesOf(now, filter)}`
  const order = orderOf(sort, filter)
  const part = fragment`order by ${order} limit ${limit} offset ${offset}`
  if (!q?.title && group !== 'sale')
    return {
      matches: fragment``,
      counts: fragment`(select count(*) from lots l ${where}) as total,`,
      page: fragment`
          (select l.id from lots l ${where} ${part}) as found
          join ${LOTS_OF_SOURCES} as l using (id)
          order by ${order}`,
    }
  const [firsts, inGroups, ofGroups] =
    group === 'sale'
      ? [
          fragment`distinct on (sale) *, count(*) over (partition by sale) - 1 as twins`,
          fragment`order by sale, ${order}`,
          fragment`
      (select coalesce(json_agg(twins), '[]') from (select twins from matches l ${part}) as page) as twins,`,
        ]
      : [fragment`*`, fragment``, fragment``]
  return {
    matches: fragment`
          with matches as materialized (
            select ${firsts}
            from (
              select
                l.id, l.starts_at, l.ends_at, l.price_cents, l.num_bids, l.flip_score, l.expected_profit_cents, l.room_rank,
                l.approximate_value_cents, l.latitude, l.longitude, ${group === 'sale' ? SALE : fragment`null`} as sale,
                case
                  when l.search @@ to_tsquery('english', ${q?.titled ?? null}) then 0
                  when l.search @@ to_tsquery('english', ${q?.read ?? null}) then 1
                  else 2
                end as words_in,
                ${sort === undefined} and l.search @@ to_tsquery('english', ${q?.title ?? null}) as has_phrase
              from lots l
              ${where}
            ) as l
            ${inGroups}
          )`,
    counts: fragment`(select count(*) from matches) as total,${ofGroups}`,
    page: fragment`
          (select * from matches l ${part}) as found
          join ${LOTS_OF_SOURCES} as l using (id)
          order by ${order}`,
  }
}

/**
 * The same number for lots called `l` that are alike in one sale: of a title,
 * day and state, a source, and an auction or place.
 */
const SALE = fragment`
                hash_record_extended(
                  (coalesce(l.title_fingerprint, l.id), l.source, coalesce(l.auction_id, left(l.zip, 5), l.city)), 0
                )`

/**
 * Arrays of text, which PostgreSQL writes as JSON in two thirds of the time of
 * objects.
 */
function linesOf(columns: string[]) {
  const cellOf = (name: string) =>
    name === 'bid_conditions'
      ? fragment`(select string_agg(value, ';') from json_array_elements_text(page.bid_conditions))`
      : fragment`${fragment(`page.${name}`)}::text`
  const cells = columns.map(
    (name, n) => fragment`${n > 0 ? fragment`, ` : fragment``}${cellOf(name)}`,
  )
  return fragment`coalesce(string_agg(to_json(array[${cells}])::text, E'\n'), '')`
}

/** Whether a lot called `l` is live and passes. */
export function matchesOf(now: Fragment, filter: ListingFilter): Fragment {
  return fragment`${liveAt(now)} and ${passes(now, filter)}`
}

/**
 * The search vector of a lot. One that has ended has none any more; it is
 * calculated again.
 */
export const SEARCH_VECTOR = fragment`coalesce(l.search, lot_search(
    l.title, coalesce(l.item, ''),
    l.category || ' ' || coalesce(l.vehicle_make, '') || ' ' || coalesce(l.vehicle_model, ''),
    l.describing,
    coalesce(l.city, '') || ' ' || coalesce(l.state, ''),
    l.source_id, true
  ))`

/**
 * Ties are broken by id. With words, lots with all of them in the title come
 * first in every order, then those where all stand in the title or in what was
 * read from the lot, then the others; the best match has those with the phrase
 * in the title first of all.
 */
function orderOf(sort: Schemas['Sort'] | undefined, { q, zip }: ListingFilter) {
  const order = {
    ending_soon: fragment`l.ends_at, l.id`,
    newest: fragment`l.starts_at desc, l.id`,
    price_low: fragment`l.price_cents, l.id`,
    price_high: fragment`l.price_cents desc nulls last, l.id`,
    most_bids: fragment`l.num_bids desc, l.id`,
    best_deals: fragment`l.flip_score desc nulls last, l.room_rank desc nulls last, l.approximate_value_cents desc nulls last, l.id`,
    most_profit: fragment`l.expected_profit_cents desc nulls last, l.id`,
    nearest: fragment`${zip ? distanceTo(zip) : fragment`l.ends_at`}, l.id`,
    room: fragment`l.room_rank desc nulls last, l.approximate_value_cents desc nulls last, l.id`,
  }[sort ?? 'ending_soon']
  return q?.title ? fragment`words_in, has_phrase desc, ${order}` : order
}

const MOST_TITLES = 100_000
const MOST_TITLE_WORDS = 50_000

/**
 * The words of letters in the titles of up to so many live lots, in lower case,
 * the most frequent first.
 */
export async function readTitleVocabulary({
  sql,
  now,
}: SqlContext): Promise<string[]> {
  const words = await firstValue<string>(sql`
    select frequent_words(
      array(select l.title from lots l where ${liveAt(now)} limit ${MOST_TITLES}),
      ${MOST_TITLE_WORDS}
    )`)
  return words!.split(' ')
}
