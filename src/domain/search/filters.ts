import labels from '../../../data/labels.json' with { type: 'json' }
import type { Input, Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import { invalidRequest } from '../errors.ts'
import { count, formatDate, shortDollars } from '../format.ts'
import { milesToPlaces, type Point } from './circle.ts'
import type { FactName, LotTable } from './lotTable.ts'
import { searchWords } from './searchWords.ts'

type Search = Input<'searchListings'>

/** Every parameter of a search that filters. The radius belongs to the ZIP code. */
export type FilterName = Exclude<keyof Search, 'sort' | 'page' | 'per_page' | 'ids' | 'radius_miles'>

/** What a lot in memory must be: a property with this code (-1: no lot has it), a value in a range (inclusive), or what a function says of its ordinal. */
export type LotTest =
  | { fact: FactName; code: number }
  | { column: Float64Array; least: number; most: number }
  | ((ordinal: number) => boolean)

/** The score and approximate value of a lot before a change; null without one. */
interface Scored {
  score_before: number | null
  value_before_cents: number | null
}

interface Filter<Value> {
  /**
   * What is filtered by; null: nothing.
   * @param findZip a place by its ZIP code of five digits.
   * @throws ApiError invalid_request for what the contract's schemas cannot say.
   */
  value(search: Search, findZip: (zip: string) => Point | null): Value | null
  /** The same condition as in infra/listings/conditions; `database` where only PostgreSQL can tell. */
  inMemory: 'database' | ((value: Value, table: LotTable, now_ms: number) => LotTest)
  /** Of a filter by score or approximate value: whether a lot passed it before these changed. */
  passedBefore?(value: Value, before: Scored): boolean
  /** The filter for people, where it is set. @param sources key and name of each. */
  words(search: Required<Search>, sources: [key: string, name: string][]): string
}

/** Takes the type of the value from `value`. */
const filter = <Value>(declared: Filter<Value>) => declared

/** A filter by the value of a parameter as it was sent. */
const plain = <Name extends FilterName>(name: Name, rest: Omit<Filter<NonNullable<Search[Name]>>, 'value'>) =>
  filter({ ...rest, value: search => search[name] ?? null })

/** In the order of the site and of the words for people. CONDITIONS has the SQL of each, FIELDS the field on the site. */
export const FILTERS = {
  q: filter({
    value: ({ q }) => (q === undefined ? null : searchWords(q)),
    inMemory: 'database',
    words: ({ q }) => `“${q}”`,
  }),
  category: plain('category', {
    inMemory: (category, { categories }) => ({ fact: 'category', code: categories.indexOf(category) }),
    words: ({ category }) => labels.categories[category],
  }),
  state: filter({
    value: ({ state }) => state?.toUpperCase() ?? null,
    inMemory: (state, { states }) => ({ fact: 'state', code: states.indexOf(state) }),
    words: ({ state }) => state.toUpperCase(),
  }),
  source: plain('source', {
    inMemory: (source, { sources }) => ({ fact: 'source', code: sources.indexOf(source) }),
    words: ({ source }, sources) => sources.find(([key]) => key === source)?.[1] ?? source,
  }),
  zip: filter({
    value({ zip, radius_miles }, findZip) {
      if (zip === undefined) return null
      const code = zip.slice(0, 5)
      const place = findZip(code)
      if (!place) throw invalidRequest(`"zip": there is no ZIP code ${code}.`)
      const { latitude, longitude } = place
      return { latitude, longitude, radius_miles }
    },
    inMemory(circle, table) {
      const miles = milesToPlaces(table, circle)
      return ordinal => miles[table.places[ordinal]!]! < Infinity
    },
    words: ({ zip, radius_miles }) => `within ${radius_miles} miles of ${zip}`,
  }),
  price_min: plain('price_min', {
    inMemory: (dollars, { price_cents }) => ({
      column: price_cents,
      least: leastCents(dollars),
      most: Number.MAX_VALUE,
    }),
    words: ({ price_min }) => `from ${money(price_min)}`,
  }),
  price_max: plain('price_max', {
    inMemory: (dollars, { price_cents }) => atMost(price_cents, Math.floor(inCents(dollars))),
    words: ({ price_max }) => `up to ${money(price_max)}`,
  }),
  closing_within_hours: plain('closing_within_hours', {
    inMemory: (hours, { closes_ms }, now_ms) => atMost(closes_ms, now_ms + hours * HOUR_MS),
    words({ closing_within_hours: hours }) {
      const inDays = hours > 24 && hours % 24 === 0
      return `ends within ${inDays ? count(hours / 24, 'day') : count(hours, 'hour')}`
    },
  }),
  min_flip_score: plain('min_flip_score', {
    inMemory: (least, { scores }) => atLeast(scores, least),
    passedBefore: (least, { score_before }) => (score_before ?? -Infinity) >= least,
    words: ({ min_flip_score }) => `Flip Score of ${min_flip_score} or more`,
  }),
  value_min: plain('value_min', {
    inMemory: (dollars, { value_cents }) => atLeast(value_cents, leastCents(dollars)),
    passedBefore: (dollars, { value_before_cents }) =>
      (value_before_cents ?? -Infinity) >= leastCents(dollars),
    words: ({ value_min }) => `value of ${money(value_min)} or more`,
  }),
  ends_before: filter({
    value: ({ ends_before }) => (ends_before === undefined ? null : startOfDay('ends_before', ends_before)),
    inMemory:
      (day_ms, { ends_ms }) =>
      ordinal =>
        ends_ms[ordinal]! < day_ms,
    words: ({ ends_before }) => `ends before ${formatDate(ends_before)}`,
  }),
  vehicle_year_min: plain('vehicle_year_min', {
    inMemory: (least, { vehicle_years }) => atLeast(vehicle_years, least),
    words: ({ vehicle_year_min }) => `${vehicle_year_min} or newer`,
  }),
  vehicle_year_max: plain('vehicle_year_max', {
    inMemory: (most, { vehicle_years }) => atMost(vehicle_years, most),
    words: ({ vehicle_year_max }) => `${vehicle_year_max} or older`,
  }),
  vehicle_make: filter({
    value: ({ vehicle_make }) => vehicle_make?.toLowerCase() ?? null,
    inMemory(make, { makes, make_codes }) {
      const code = makes.indexOf(make)
      return ordinal => make_codes[ordinal] === code
    },
    words: ({ vehicle_make }) => `make ${vehicle_make}`,
  }),
  auction: plain('auction', {
    inMemory(auction, { auctions, auction_codes }) {
      const code = auctions.indexOf(auction)
      return ordinal => auction_codes[ordinal] === code
    },
    words: ({ auction }) => `auction ${auction}`,
  }),
  no_bids: filter({
    value: ({ no_bids }) => no_bids || null,
    inMemory: () => ({ fact: 'hasBids', code: 0 }),
    words: () => 'no bids yet',
  }),
  buy_now: filter({
    value: ({ buy_now }) => buy_now || null,
    inMemory: () => ({ fact: 'hasBuyNow', code: 1 }),
    words: () => 'buy now available',
  }),
} satisfies Record<FilterName, unknown>

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

/** The filters of a search by name. A null does not filter. Prices are US dollars. */
export type ListingFilter = { [Name in FilterName]: ReturnType<(typeof FILTERS)[Name]['value']> }

/**
 * The order, and the part of all matches that a page shows. Without a sort: best match first, or what ends first where there are no
 * words. `nearest` needs a ZIP code.
 */
export interface ListingWindow {
  sort?: Schemas['Sort'] | undefined
  limit: number
  offset: number
  /** These fields of each lot, as an array of text or null; absent: the Listing. */
  columns?: string[]
}

/** The filters that a search really has. */
export function filtersOf(search: Search) {
  return FILTER_NAMES.filter(name => {
    const value = search[name]
    return value !== undefined && value !== false
  })
}

/** Each filter that is set, with its value. */
export function setFilters(filter: ListingFilter) {
  return FILTER_NAMES.flatMap(name => {
    const value: unknown = filter[name]
    return value === null ? [] : [{ value, rule: FILTERS[name] as Filter<unknown> }]
  })
}

/** Whether a lot that passes a filter did so before its score or value changed, as far as the filter asks for these. */
export function passedBefore(filter: ListingFilter, before: Scored) {
  return setFilters(filter).every(({ value, rule }) => rule.passedBefore?.(value, before) ?? true)
}

const atLeast = (column: Float64Array, least: number): LotTest => ({ column, least, most: Infinity })
const atMost = (column: Float64Array, most: number): LotTest => ({ column, least: -Infinity, most })

/**
 * The beginning of a day (UTC), in milliseconds since 1970. PostgreSQL refuses a date in the year 0, but not its milliseconds.
 * @throws ApiError invalid_request for a day that no calendar has.
 */
export function startOfDay(name: string, day: string) {
  const moment_ms = Date.parse(day)
  // V8 reads 2026-02-30 as March 2.
  if (Number.isNaN(moment_ms) || !new Date(moment_ms).toISOString().startsWith(day))
    throw invalidRequest(`"${name}": there is no ${day} in the calendar.`)
  return moment_ms
}

/** An inclusive lower bound in US cents of an amount in dollars. */
function leastCents(dollars: number) {
  return Math.ceil(inCents(dollars))
}

/** Moves the decimal point of the written number: 1.1 * 100 is 110.00000000000001. */
function inCents(dollars: number) {
  const [digits, exponent = '0'] = String(dollars).split('e')
  return Number(`${digits}e${Number(exponent) + 2}`)
}

/** An amount in US dollars; with cents where it has any. */
function money(dollars: number) {
  return shortDollars(dollars * 100)
}
