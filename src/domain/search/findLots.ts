import { HOUR_MS } from '../durations.ts'
import { type Circle, milesToPlaces } from './circle.ts'
import { type ListingFilter, type ListingWindow, setFilters } from './filters.ts'
import { factMask, firstPlace, type LotTable, orderBy, packFact } from './lotTable.ts'

/** Marks the lots that a search finds. One buffer for all searches: 100 kB of garbage for each would be 50 MB a second. */
let marks = new Uint8Array(0)

/**
 * Finds the live lots that match: one pass over all lots in the order of memory for each column that the filter needs, then along the
 * requested order up to the end of the page. At 1,000,000 lots one pass along the requested order was 3 to 10 times as slow, by cache misses.
 * @param filter without one that only the database can answer.
 * @returns how many live lots match, and the lots of the page in the requested order.
 */
export function findLots(
  table: LotTable,
  filter: ListingFilter,
  { sort, limit, offset }: ListingWindow,
  now_ms: number,
) {
  const { lots, starts_ms, ends_ms, orders } = table
  markMatches(table, filter, now_ms)
  let total = 0
  for (let ordinal = 0; ordinal < lots; ordinal++) {
    const isLive = ends_ms[ordinal]! > now_ms && starts_ms[ordinal]! <= now_ms
    total += marks[ordinal]! &= isLive ? 1 : 0
  }
  const ordinals = []
  const order = sort === 'nearest' ? nearestFirst(table, filter.zip!, total) : orders[sort ?? 'ending_soon']
  const end = Math.min(offset + limit, total)
  for (let place = 0, rank = 0; rank < end; place++) {
    const ordinal = order[place]!
    if (marks[ordinal] === 0) continue
    if (rank >= offset) ordinals.push(ordinal)
    rank += 1
  }
  return { total, ordinals }
}

/**
 * Marks with 1 the lots of the table that match a filter, at any time of their life. Filters that only the database can answer are not examined.
 * A search pays for the filters that it has.
 * @returns the marks by ordinal, until the next call.
 */
export function markMatches(table: LotTable, filter: ListingFilter, now_ms: number) {
  const { lots, facts } = table
  if (marks.length < lots) marks = new Uint8Array(lots)
  const found = marks.fill(1)
  for (const { value, rule } of setFilters(filter)) {
    const test = rule.inMemory === 'database' ? null : rule.inMemory(value, table, now_ms)
    if (typeof test === 'function') {
      for (let ordinal = 0; ordinal < lots; ordinal++)
        if (found[ordinal] === 1 && !test(ordinal)) found[ordinal] = 0
    } else if (test && 'column' in test) {
      const { column, least, most } = test
      for (let ordinal = 0; ordinal < lots; ordinal++)
        found[ordinal]! &= column[ordinal]! >= least && column[ordinal]! <= most ? 1 : 0
    } else if (test) {
      const mask = factMask(test.fact)
      // The code -1 sets bits that no lot has.
      const wanted = packFact(test.fact, test.code)
      for (let ordinal = 0; ordinal < lots; ordinal++)
        found[ordinal]! &= (facts[ordinal]! & mask) === wanted ? 1 : 0
    }
  }
  return found
}

/** The marked lots by distance, ties by id. @param total how many are marked. */
function nearestFirst({ lots, places, ...table }: LotTable, center: Circle, total: number) {
  const miles = milesToPlaces(table, center)
  const found = new Uint32Array(total)
  for (let ordinal = 0, rank = 0; ordinal < lots; ordinal++) if (marks[ordinal] === 1) found[rank++] = ordinal
  return orderBy(Float64Array.from(found, ordinal => miles[places[ordinal]!]!)).map(rank => found[rank]!)
}

/** When the next lot, of all, begins, ends or comes within the hours of the filter; infinity when none does. */
export function nextChange(table: LotTable, filter: ListingFilter, now_ms: number) {
  const { lots, starts_ms, ends_ms, closes_ms, orders } = table
  const nextEnd = firstPlace(lots, place => ends_ms[orders.ending_soon[place]!]! > now_ms)
  const nextStart = firstPlace(lots, place => starts_ms[orders.newest[place]!]! <= now_ms) - 1
  const { closing_within_hours: hours } = filter
  const hours_ms = (hours ?? 0) * HOUR_MS
  let nextClose = Infinity
  if (hours !== null)
    for (const close of closes_ms) if (close > now_ms + hours_ms && close < nextClose) nextClose = close
  return Math.min(
    ends_ms[orders.ending_soon[nextEnd]!] ?? Infinity,
    nextClose - hours_ms,
    starts_ms[orders.newest[nextStart]!] ?? Infinity,
  )
}
