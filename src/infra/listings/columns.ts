import { type Circle, EARTH_DIAMETER_MILES } from '../../domain/search/circle.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** What statements about listings need: the address of the site, and the clock (null: that of the database). */
export interface ListingContext {
  sql: Sql
  publicUrl: string
  now: Date | null
}

/** What names one lot. */
export type LotKey = { id: string } | { slug: string }

/** All lots, with the columns of other tables that `listingColumns` needs. */
export function lotsOfSources(sql: Sql) {
  return sql`(select l.*, s.name as source_name, s.premium_percent from lots l join sources s using (source))`
}

/** The Listing of the contract, in contract order: the row is the wire shape. The lot is called `l`, from `lotsOfSources`. */
export function listingColumns({ sql, publicUrl, now }: ListingContext, center: Circle | null) {
  return sql`
    l.id, l.title, l.category, l.source, l.source_name, l.state, l.city, l.zip,
    l.current_bid_cents, l.buy_now_cents, l.starting_bid_cents, l.num_bids, l.flip_score, l.condition_grade,
    l.image_url, rfc3339(l.starts_at) as start_date, rfc3339(l.ends_at) as end_date,
    lot_status(l.outcome, l.starts_at, l.ends_at, ${clock(sql, now)}) as status,
    ${publicUrl}::text || '/listings/' || l.slug as bidprowl_url,
    official_page(l.source_url, l.slug, ${publicUrl}) as source_url,
    ${center ? sql`round((${distanceTo(sql, center)})::numeric, 1)::float8` : sql`null::float8`} as distance_miles,
    rfc3339(l.observed_at) as observed_at,
    l.item, l.quantity, l.vehicle_year, l.vehicle_make, l.vehicle_model,
    l.premium_percent::float8 as buyers_premium_percent,
    coalesce(l.duplicate_of, (
      select other.id
      from lots other
      where other.duplicate_of = l.id and other.is_open
      order by other.starts_at desc, other.id
      limit 1
    )) as also_listed_as,
    l.value_grade is not null as appraised, l.value_grade, l.approximate_value_cents, l.offer_kind`
}

/** A lot as one JSON value. @param more further columns, each after a comma. */
export function listingJson(context: ListingContext, more = context.sql``) {
  return context.sql`(select to_json(listing) from (select ${listingColumns(context, null)}${more}) as listing)`
}

/** The haversine formula, in miles. */
export function distanceTo(sql: Sql, center: Circle) {
  return sql`${EARTH_DIAMETER_MILES}::float8 * asin(least(1, sqrt(
    sin(radians(l.latitude - ${center.latitude}::float8) / 2) ^ 2
    + cos(radians(${center.latitude}::float8)) * cos(radians(l.latitude))
      * sin(radians(l.longitude - ${center.longitude}::float8) / 2) ^ 2
  )))`
}
