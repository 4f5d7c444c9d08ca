import type { Listing } from '../../contract/types.ts'
import type { Point } from '../places/zipTables.ts'
import type { Sql } from '../postgres/database.ts'
import { clock, liveAt } from '../postgres/dataVersion.ts'
import { distanceTo, type ListingContext, listingColumns, lotsOfSources } from './columns.ts'
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
    select l.slug, rfc3339(l.observed_at) as observed_at
    from lots l
    where l.id between ${first}::uuid and ${last}::uuid
    and ${liveAt(sql, now)}
    order by l.id
    limit ${limit}`
}

/** The estimates of those of these lots that have one, and the median of the sales that each rests on, in US cents. */
export async function findLotValues(sql: Sql, ids: string[]) {
  return sql<{ id: string; estimated_cents: number; sold_count: number; median_cents: number }[]>`
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
  const distance = center ? distanceTo(sql, center) : sql`(l.state is distinct from ${state})::integer`
  const query = sql`to_tsquery('english', ${words})`
  const rows = await sql<{ lot: Listing }[]>`
    select to_json(lot) as lot
    from (
      select ${listingColumns(context, center)}
      from (
        select l.*, ${distance} as distance
        from ${lotsOfSources(sql)} as l
        where ${liveAt(sql, now)}
        and l.category = ${category}
        and l.id not in (${id}::uuid, ${also_listed_as ?? id}::uuid)
        and l.search @@ ${query}
        order by round(ts_rank(l.search, ${query})::numeric, 2) desc, distance nulls last, l.ends_at, l.id
        limit ${limit}
      ) as l
      order by l.distance nulls last, l.ends_at, l.id
    ) as lot`
  return rows.map(({ lot }) => lot)
}

/** A Flip Score from which a lot is a deal; a badge calls it good. */
const LEAST_SCORE = 60
const DEALS_OF_CATEGORY = 2

/** What the front page says about all live lots. */
export interface Overview {
  live: number
  /** How many sources the lots come from. */
  sources: number
  /** When a source was last loaded completely, RFC 3339; null while none was. */
  updated_at: string | null
  /** The number of live lots by category and by state; those without any are left out. */
  categories: Record<string, number>
  states: Record<string, number>
  /** Ids: at most two of a category, each with a bid or in its last day, the first of every category before all second ones. */
  deals: string[]
  /** Ids, the next to end first. */
  ending: string[]
}

/** Counts all live lots and chooses those of the front page, in one statement. @param most the number of lots in each list. */
export async function readOverview(sql: Sql, now: Date | null, most: number): Promise<Overview> {
  const [overview] = await sql<Overview[]>`
    with live as materialized (
      select l.id, l.category, l.state, l.source, l.flip_score, l.num_bids, l.ends_at
      from lots l
      where ${liveAt(sql, now)}
    ),
    deals as (
      select id, flip_score, row_number() over (partition by category order by flip_score desc, ends_at, id) as place
      from live
      where flip_score >= ${LEAST_SCORE}
      and (num_bids > 0 or ends_at <= ${clock(sql, now)} + interval '1 day')
    )
    select
      (select count(*) from live) as live,
      (select count(distinct source) from live) as sources,
      (select rfc3339(max(last_success_at)) from sources) as updated_at,
      (
        select coalesce(json_object_agg(category, lots), '{}')
        from (select category, count(*) as lots from live group by category) as counted
      ) as categories,
      (
        select coalesce(json_object_agg(state, lots), '{}')
        from (select state, count(*) as lots from live where state is not null group by state) as counted
      ) as states,
      to_json(array(
        select id
        from deals
        where place <= ${DEALS_OF_CATEGORY}
        order by place, flip_score desc, id
        limit ${most}
      )) as deals,
      to_json(array(
        select id
        from live
        where isfinite(ends_at)
        order by ends_at, id
        limit ${most}
      )) as ending`
  return overview!
}
