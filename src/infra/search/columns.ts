import {
  type Circle,
  EARTH_DIAMETER_MILES,
} from '../../domain/search/circle.ts'
import { type Fragment, fragment, type SqlContext } from '../postgres/sql.ts'

/** What statements about listings need. */
export interface ListingContext extends SqlContext {
  publicUrl: string
}

/** What names one lot. */
export type LotKey = { id: string } | { slug: string }

/** All lots, with the columns of other tables that `listingColumns` needs. */
export const LOTS_OF_SOURCES = fragment`(
    select l.*, s.name as source_name, s.premium_percent, s.time_zone, s.closes_from_hour, s.photos_status,
      s.publisher_changed_at
    from lots l
    join sources s using (source)
  )`

/**
 * The Listing of the contract, in contract order: the row is the wire shape.
 * The lot is called `l`, from `LOTS_OF_SOURCES`.
 */
export function listingColumns(
  { publicUrl, now }: ListingContext,
  center: Circle | null = null,
): Fragment {
  return fragment`
    l.id, l.title, l.category, l.source, l.source_name, l.state, l.city, l.zip,
    l.current_bid_cents, l.buy_now_cents, l.starting_bid_cents, l.num_bids, l.flip_score, l.condition_grade,
    case when l.photos_status >= 400 then null else l.image_url end as image_url, rfc3339(l.starts_at) as start_date, rfc3339(l.ends_at) as end_date,
    lot_status(l.outcome, l.starts_at, l.ends_at, ${now}) as status,
    ${publicUrl}::text || '/listings/' || l.slug as bidprowl_url,
    official_page(l.source_url, l.slug, ${publicUrl}) as source_url,
    ${center ? fragment`round((${distanceTo(center)})::numeric, 1)::float8` : fragment`null::float8`} as distance_miles,
    rfc3339(l.observed_at) as observed_at,
    l.item, l.quantity, l.vehicle_year, l.vehicle_make, l.vehicle_model,
    coalesce(l.buyers_premium_percent, l.premium_percent)::float8 as buyers_premium_percent,
    coalesce(l.duplicate_of, (
      select other.id
      from lots other
      where other.duplicate_of = l.id and other.is_open
      order by other.starts_at desc, other.id
      limit 1
    )) as also_listed_as,
    l.value_grade is not null as appraised, l.value_grade, l.approximate_value_cents, l.offer_kind,
    l.bid_increment_cents,
    ${nextBid(now)} as next_bid_cents,
    end_precision(l.ends_at, l.time_zone) as end_precision,
    l.auction_id,
    to_json(l.bid_conditions) as bid_conditions,
    l.approximate_close_cents, l.value_note, l.limit_cents, l.verdict, l.reserve_met,
    l.odometer_miles, l.engine_hours, l.runs, l.road_title, l.open_recall,
    ${NO_BID_CHANCE} as no_bid_chance`
}

/**
 * The buyer's premium that counts for the lot called `l` of the source called
 * `s`, in percent; 0 where neither is known.
 */
export const PREMIUM = fragment`coalesce(l.buyers_premium_percent, s.premium_percent, 0)::float8`

/** The earliest moment at which bidding on the lot called `l` can close. */
export const EARLIEST_CLOSE = fragment`(
    select earliest_close(l.ends_at, of_lot.time_zone, of_lot.closes_from_hour)
    from sources of_lot
    where of_lot.source = l.source
  )`

/**
 * The middle of the time in which bidding on the lot called `l` of the source
 * called `s` can close: its end, where that is no day.
 */
export const MIDDLE_OF_CLOSE = fragment`
    earliest_close(l.ends_at, s.time_zone, s.closes_from_hour)
    + case
      when end_precision(l.ends_at, s.time_zone) = 'day' then (s.closes_by_hour - s.closes_from_hour) * interval '30 minutes'
      else interval '0'
    end`

/**
 * The lowest bid that the source takes next on the lot called `l`, in cents;
 * null where it is not known, and where nobody can bid.
 */
export function nextBid(now: Fragment): Fragment {
  return fragment`
    case
      when not l.is_open or l.ends_at <= ${now} or l.offer_kind = 'fixed_price' or ${IS_SEALED} then null
      when l.current_bid_cents > 0 then l.current_bid_cents + l.bid_increment_cents
      else l.starting_bid_cents
    end`
}

/** Whether nobody sees the bids on the lot called `l`. */
export const IS_SEALED = fragment`'sealed_bid' = any(l.bid_conditions)`

/**
 * Whether nobody has bid on the open lot called `l`, as its source says. A
 * fixed price takes no bids, so none are known.
 */
export const IS_UNBID = fragment`(l.is_open and l.bids_known and l.num_bids = 0 and not ${IS_SEALED})`

/**
 * The chance that the lot called `l` ends without a bid; null where it has one,
 * is not open, or nothing is known of it.
 */
export const NO_BID_CHANCE = fragment`case when ${IS_UNBID} then l.no_bid_chance end`

/**
 * The auction of the lot called `l`, as `auction`: `in_json` with its live
 * lots, null where its source names none.
 */
export function auctionOf(now: Fragment): Fragment {
  return fragment`
    left join lateral (
      select
        json_build_object(
          'id', l.auction_id, 'name', l.auction_name, 'live_lots', count(*),
          'state', case when min(other.state) = max(other.state) and count(*) = count(other.state) then min(other.state) end,
          'city', case when min(other.city) = max(other.city) and count(*) = count(other.city) then min(other.city) end,
          'start_date', rfc3339(min(other.starts_at)), 'end_date', rfc3339(max(other.ends_at))
        ) as in_json
      from lots other
      where other.auction_id = l.auction_id
      and other.is_open
      and other.ends_at > ${now}
      and other.starts_at <= ${now}
    ) as auction on l.auction_id is not null`
}

/** A lot as one JSON value. @param more further columns, each after a comma. */
export function listingJson(
  context: ListingContext,
  more = fragment``,
): Fragment {
  return fragment`(select to_json(listing) from (select ${listingColumns(context)}${more}) as listing)`
}

/** The haversine formula, in miles. */
export function distanceTo(center: Circle): Fragment {
  return fragment`${EARTH_DIAMETER_MILES}::float8 * asin(least(1, sqrt(
    sin(radians(l.latitude - ${center.latitude}::float8) / 2) ^ 2
    + cos(radians(${center.latitude}::float8)) * cos(radians(l.latitude))
      * sin(radians(l.longitude - ${center.longitude}::float8) / 2) ^ 2
  )))`
}
