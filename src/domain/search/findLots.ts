import { HOUR_MS } from '../durations.ts'
import { type Circle, milesToPlaces } from './circle.ts'
import { type ListingFilter, type ListingWindow, type LotTest, setFilters } from './filters.ts'
import { factMask, firstPlace, type LotTable, orderBy, packFact } from './lotTable.ts'

/** Marks the lots that a search finds. One buffer for all searches: 100 kB of garbage for each would be 50 MB a second. */
let marks = new Uint8Array(0)

/**
 * Finds the live lots that match: one pass over all lots in the order of memory, then along the requested order up to the end of
 * the page. At 1,000,000 lots one pass along the requested order was 3 to 10 times as slow, by cache misses.
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
  const matches = lotMatcher(table, filter, now_ms)
  if (marks.length < lots) marks = new Uint8Array(lots)
  else marks.fill(0)
  let total = 0
  for (let ordinal = 0; ordinal < lots; ordinal++) {
    if (!matches(ordinal) || ends_ms[ordinal]! <= now_ms || starts_ms[ordinal]! > now_ms) continue
    marks[ordinal] = 1
    total += 1
  }
  const ordinals: number[] = []
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
 * Whether a lot of the table matches a filter, at any time of its life. Filters that only the database can answer are not examined.
 * All properties are one comparison; a search pays for the filters that it has.
 */
export function lotMatcher(table: LotTable, filter: ListingFilter, now_ms: number) {
  const { facts } = table
  let [mask, wanted] = [0, 0]
  const tests: Extract<LotTest, (ordinal: number) => boolean>[] = []
  for (const { value, rule } of setFilters(filter)) {
    if (rule.inMemory === 'database') continue
    const test = rule.inMemory(value, table, now_ms)
    if (typeof test === 'function') tests.push(test)
    else if (test.code < 0) tests.push(() => false)
    else {
      mask |= factMask(test.fact)
      wanted |= packFact(test.fact, test.code)
    }
  }
  // One function for any search, so that V8 can inline it in the pass over all lots.
  return (ordinal: number) => {
    if ((facts[ordinal]! & mask) !== wanted) return false
    for (const test of tests) if (!test(ordinal)) return false
    return true
  }
}

/** The marked lots by distance, ties by id. @param total how many are marked. */
function nearestFirst({ lots, places, ...table }: LotTable, center: Circle, total: number): Uint32Array {
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
