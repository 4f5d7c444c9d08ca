import { boxAround } from '../../domain/search/circle.ts'
import type { FilterName, ListingFilter } from '../../domain/search/filters.ts'
import { type Fragment, fragment } from '../postgres/sql.ts'
import { distanceTo } from './columns.ts'

/**
 * Valid SQL also without a value. It may need the moment, the price in cents
 * that is compared, and the other filters.
 */
type Condition<Value> = (
  value: Value,
  context: Record<'now' | 'price', Fragment> & Partial<ListingFilter>,
) => Fragment

/** Each filter in SQL, of a lot or a sale called `l`. */
const CONDITIONS: { [Name in FilterName]: Condition<ListingFilter[Name]> } = {
  q: (q, { category, state }) =>
    fragment`l.search @@ lots_query(${q?.all ?? null}, ${category ?? null}, ${state ?? null})`,
  category: category => fragment`l.category = ${category}`,
  state: state => fragment`l.state = ${state}`,
  source: source => fragment`l.source = ${source}`,
  // First a box, for the index on the location, then the great circle.
  zip(circle) {
    if (circle === null) return fragment`true`
    const { latitude, longitude, radius_miles } = circle
    const { north, east } = boxAround(circle)
    return fragment`(
      l.latitude between ${latitude - north}::float8 and ${latitude + north}::float8
      and l.longitude between ${longitude - east}::float8 and ${longitude + east}::float8
      and ${distanceTo(circle)} <= ${radius_miles}::float8
    )`
  },
  price_min: (dollars, { price }) =>
    fragment`${price} >= ceil(${dollars}::numeric * 100)::bigint`,
  price_max: (dollars, { price }) =>
    fragment`${price} <= floor(${dollars}::numeric * 100)::bigint`,
  closing_within_hours(hours, { now }) {
    const until = fragment`(${now} + make_interval(hours => ${hours}::integer))`
    // First the end, for the index on it: a day has 24 hours.
    return fragment`(
      l.ends_at <= ${until} + interval '24 hours'
      and (l.ends_at <= ${until} or (l.source, l.ends_at) in (${daysThatCloseBy(until)}))
    )`
  },
  min_flip_score: least => fragment`l.flip_score >= ${least}::integer`,
  value_min: dollars =>
    fragment`l.approximate_value_cents >= ceil(${dollars}::numeric * 100)::bigint`,
  ends_before: moment_ms =>
    fragment`l.ends_at < to_timestamp(${moment_ms}::float8 / 1000)`,
  vehicle_year_min: least => fragment`l.vehicle_year >= ${least}::integer`,
  vehicle_year_max: most => fragment`l.vehicle_year <= ${most}::integer`,
  vehicle_make: make => fragment`lower(l.vehicle_make) = ${make}`,
  auction: auction => fragment`l.auction_id = ${auction}`,
  odometer_max: most => fragment`l.odometer_miles <= ${most}::integer`,
  hours_max: most => fragment`l.engine_hours <= ${most}::integer`,
  runs: runs => fragment`l.runs = ${runs}::boolean`,
  no_bids: () =>
    fragment`l.num_bids = 0 and (l.bids_known is distinct from false or l.current_bid_cents is null)`,
  buy_now: () => fragment`l.buy_now_cents is not null`,
}

/**
 * The ends of lots that have a day as their end, which is after this moment,
 * and can close before it: one or two for each source. Why: callers with
 * closing_within_hours, for whom PostgreSQL otherwise calculates the close of
 * each lot, 3.5 s of 300,000: node --import tsx bench/size.ts --only closing
 */
function daysThatCloseBy(until: Fragment) {
  return fragment`
    select s.source, day.ends_at
    from sources s
    cross join lateral (
      select
        (date_trunc('day', ${until} at time zone s.time_zone) + make_interval(days => n) - interval '1 second')
          at time zone s.time_zone as ends_at
      from generate_series(1, 2) as n
    ) as day
    where s.time_zone like '%/%'
    and earliest_close(day.ends_at, s.time_zone, s.closes_from_hour) <= ${until}`
}

/**
 * Whether a lot, or a sale, called `l` passes the filters that are given. One
 * with null folds away, since PostgreSQL plans these statements with the values
 * (docs/search.md).
 * @param price in cents; absent: that of a lot on offer.
 */
export function passes(
  now: Fragment,
  filter: Partial<ListingFilter>,
  price = fragment`l.price_cents`,
): Fragment {
  const context = { ...filter, now, price }
  return Object.entries(CONDITIONS)
    .filter(([name]) => Object.hasOwn(filter, name))
    .map(([name, where]) => {
      const value = filter[name as FilterName] ?? null
      return fragment`(${value === null} or ${where(value as never, context)})`
    })
    .reduce((all, one) => fragment`${all} and ${one}`)
}

/**
 * Whether a filter asks for no moment, so that it also holds for a lot that has
 * ended.
 */
const IS_ANYTIME: Record<FilterName, boolean> = {
  q: false,
  category: true,
  state: true,
  source: true,
  zip: true,
  price_min: true,
  price_max: true,
  closing_within_hours: false,
  min_flip_score: true,
  value_min: true,
  ends_before: true,
  vehicle_year_min: true,
  vehicle_year_max: true,
  vehicle_make: true,
  auction: true,
  odometer_max: true,
  hours_max: true,
  runs: true,
  no_bids: false,
  buy_now: true,
}

/** The filters that also hold for a lot that has ended. */
export function anytime(filter: ListingFilter): Partial<ListingFilter> {
  return Object.fromEntries(
    Object.entries(filter).filter(([name]) => IS_ANYTIME[name as FilterName]),
  )
}
