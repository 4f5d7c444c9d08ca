import {
  boxAround,
  type Circle,
  EARTH_DIAMETER_MILES,
  type ListingFilter,
  type ListingWindow,
  leastCents,
  priceBounds,
} from './listingFilter.ts'
import { type FactName, factMask, firstPlace, type LotTable, orderBy, packFact } from './lotTable.ts'

/** Marks the lots that a search finds. One buffer for all searches: 100 kB of garbage for each would be 50 MB a second. */
let marks = new Uint8Array(0)

/**
 * Finds the live lots that match: one pass over all lots in the order of memory, then along the requested order up to the end of
 * the page. At 1,000,000 lots one pass along the requested order was 3 to 10 times as slow, by cache misses.
 * @param filter without words, hours and score: the table cannot answer these.
 * @returns how many live lots match, and the lots of the page in the requested order.
 */
export function findLots(
  table: LotTable,
  filter: ListingFilter,
  { sort, limit, offset }: ListingWindow,
  now_ms: number,
): { total: number; ordinals: number[] } {
  const { lots, starts_ms, ends_ms, orders } = table
  const matches = lotMatcher(table, filter)
  if (marks.length < lots) marks = new Uint8Array(lots)
  else marks.fill(0)
  let total = 0
  for (let ordinal = 0; ordinal < lots; ordinal++) {
    if (!matches(ordinal) || ends_ms[ordinal]! <= now_ms || starts_ms[ordinal]! > now_ms) continue
    marks[ordinal] = 1
    total += 1
  }
  const ordinals: number[] = []
  const order =
    sort === 'nearest' ? nearestFirst(table, filter.center!, total) : orders[sort ?? 'ending_soon']
  const end = Math.min(offset + limit, total)
  for (let place = 0, rank = 0; rank < end; place++) {
    const ordinal = order[place]!
    if (marks[ordinal] === 0) continue
    if (rank >= offset) ordinals.push(ordinal)
    rank += 1
  }
  return { total, ordinals }
}

/** Whether a lot of the table matches a filter, at any time of its life. The words, hours and score of the filter are not examined. */
export function lotMatcher(table: LotTable, filter: ListingFilter): (ordinal: number) => boolean {
  const { facts, price_cents, value_cents, places } = table
  const conditions: [FactName, number | null][] = [
    ['category', codeOf(table.categories, filter.category)],
    ['state', codeOf(table.states, filter.state)],
    ['source', codeOf(table.sources, filter.source)],
    ['hasBids', filter.no_bids ? 0 : null],
    ['hasBuyNow', filter.buy_now ? 1 : null],
  ]
  const required = conditions.filter((each): each is [FactName, number] => each[1] !== null)
  if (required.some(([, value]) => value < 0)) return () => false
  const mask = required.reduce((bits, [name]) => bits | factMask(name), 0)
  const wanted = required.reduce((bits, [name, value]) => bits | packFact(name, value), 0)
  const { least, most } = priceBounds(filter)
  const leastValue = leastCents(filter.value_min)
  const miles = filter.center && milesToPlaces(table, filter.center)
  return ordinal =>
    (facts[ordinal]! & mask) === wanted &&
    price_cents[ordinal]! >= least &&
    price_cents[ordinal]! <= most &&
    value_cents[ordinal]! >= leastValue &&
    (miles === null || miles[places[ordinal]!]! < Number.POSITIVE_INFINITY)
}

/** The marked lots by distance, ties by id. @param total how many are marked. */
function nearestFirst({ lots, places, ...table }: LotTable, center: Circle, total: number): Uint32Array {
  const miles = milesToPlaces(table, center)
  const found = new Uint32Array(total)
  for (let ordinal = 0, rank = 0; ordinal < lots; ordinal++) if (marks[ordinal] === 1) found[rank++] = ordinal
  return orderBy(Float64Array.from(found, ordinal => miles[places[ordinal]!]!)).map(rank => found[rank]!)
}

/** When the next lot, of all, begins or ends; infinity when none does. */
export function nextChange({ lots, starts_ms, ends_ms, orders }: LotTable, now_ms: number): number {
  const nextEnd = firstPlace(lots, place => ends_ms[orders.ending_soon[place]!]! > now_ms)
  const nextStart = firstPlace(lots, place => starts_ms[orders.newest[place]!]! <= now_ms) - 1
  return Math.min(
    ends_ms[orders.ending_soon[nextEnd]!] ?? Number.POSITIVE_INFINITY,
    starts_ms[orders.newest[nextStart]!] ?? Number.POSITIVE_INFINITY,
  )
}

/** -1 for a value that no lot has. */
function codeOf(values: string[], value: string | null): number | null {
  return value === null ? null : values.indexOf(value)
}

/**
 * The distance of each place in the circle, infinity outside: the box and the formula of `isWithin` in infra/listings, in the same
 * order of operations.
 */
function milesToPlaces(
  { latitudes, longitudes }: Pick<LotTable, 'latitudes' | 'longitudes'>,
  center: Circle,
): Float64Array {
  const { north, east } = boxAround(center)
  return Float64Array.from(latitudes, (latitude, place) => {
    const longitude = longitudes[place]!
    const isInBox =
      latitude >= center.latitude - north &&
      latitude <= center.latitude + north &&
      longitude >= center.longitude - east &&
      longitude <= center.longitude + east
    const miles = isInBox ? milesBetween(center, latitude, longitude) : Number.POSITIVE_INFINITY
    return miles <= center.radius_miles ? miles : Number.POSITIVE_INFINITY
  })
}

const RADIANS_PER_DEGREE = Math.PI / 180

/** The haversine formula. */
export function milesBetween(
  center: Pick<Circle, 'latitude' | 'longitude'>,
  latitude: number,
  longitude: number,
): number {
  const half = (degrees: number) => Math.sin((degrees * RADIANS_PER_DEGREE) / 2) ** 2
  const cosines = Math.cos(center.latitude * RADIANS_PER_DEGREE) * Math.cos(latitude * RADIANS_PER_DEGREE)
  const root = Math.sqrt(half(latitude - center.latitude) + cosines * half(longitude - center.longitude))
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}
