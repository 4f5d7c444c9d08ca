import labels from '../../../data/labels.json' with { type: 'json' }
import { invalidRequest } from '../../contract/errors.ts'
import type { Input, Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import { count, formatDate, shortDollars } from '../format.ts'
import { isInCircle, type Point } from './circle.ts'
import { searchWords } from './searchWords.ts'

type Search = Input<'searchListings'>

/**
 * Every parameter of a search that filters. The radius belongs to the ZIP code.
 */
export type FilterName = Exclude<
  keyof Search,
  'sort' | 'group' | 'page' | 'per_page' | 'ids' | 'radius_miles'
>

/** What the filters need of a lot in memory. */
export interface MatchedLot {
  category: string
  state: string | null
  source: string
  latitude: number | null
  longitude: number | null
  /** The price that searches compare, in US cents. */
  price_cents: number | null
  num_bids: number
  has_buy_now: boolean
  flip_score: number | null
  /** Null without an appraisal. */
  approximate_value_cents: number | null
  vehicle_year: number | null
  vehicle_make: string | null
  auction_id: string | null
  odometer_miles: number | null
  engine_hours: number | null
  runs: boolean | null
  /** In milliseconds since 1970; infinity where unknown. */
  ends_ms: number
  /** The earliest moment at which bidding can close; infinity where unknown. */
  closes_ms: number
}

type LotTest = (lot: MatchedLot) => boolean

/**
 * The score and approximate value of a lot before a change; null without one.
 */
interface Scored {
  score_before: number | null
  value_before_cents: number | null
}

interface Filter<Value> {
  /**
   * What is filtered by; null: nothing.
   * @param findZip a place by its ZIP code of five digits.
   * @throws ApiError invalid_request for what the contract's schemas cannot
   * say.
   */
  value(search: Search, findZip: (zip: string) => Point | null): Value | null
  /**
   * The same condition as in infra/search/conditions; `database` where only
   * PostgreSQL can tell.
   */
  inMemory: 'database' | ((value: Value, now_ms: number) => LotTest)
  /**
   * Of a filter by score or approximate value: whether a lot passed it before
   * these changed. `matchChanges` names those that have it.
   */
  passedBefore?(value: Value, before: Scored): boolean
  /**
   * The filter for people, where it is set.
   * @param sources key and name of each.
   */
  words(
    search: Required<Search>,
    sources: [key: string, name: string][],
  ): string
}

/** Takes the type of the value from `value`. */
const filter = <Value>(declared: Filter<Value>) => declared

/** A filter by the value of a parameter as it was sent. */
const plain = <Name extends FilterName>(
  name: Name,
  rest: Omit<Filter<NonNullable<Search[Name]>>, 'value'>,
) => filter({ ...rest, value: search => search[name] ?? null })

/**
 * In the order of the site and of the words for people. CONDITIONS has the SQL
 * of each, FIELDS the field on the site.
 */
export const FILTERS = {
  q: filter({
    value: ({ q }) => (q === undefined ? null : searchWords(q)),
    inMemory: 'database',
    words: ({ q }) => `“${q}”`,
  }),
  category: plain('category', {
    inMemory: category => lot => lot.category === category,
    words: ({ category }) => labels.categories[category],
  }),
  state: filter({
    value: ({ state }) => state?.toUpperCase() ?? null,
    inMemory: state => lot => lot.state === state,
    words: ({ state }) => state.toUpperCase(),
  }),
  source: plain('source', {
    inMemory: source => lot => lot.source === source,
    words: ({ source }, sources) =>
      sources.find(([key]) => key === source)?.[1] ?? source,
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
    inMemory: isInCircle,
    words: ({ zip, radius_miles }) =>
      `within ${count(radius_miles, 'mile')} of ${zip}`,
  }),
  price_min: plain('price_min', {
    inMemory(dollars) {
      const least = leastCents(dollars)
      return lot => isAtLeast(lot.price_cents, least)
    },
    words: ({ price_min }) => `from ${money(price_min)}`,
  }),
  price_max: plain('price_max', {
    inMemory(dollars) {
      const most = Math.floor(inCents(dollars))
      return lot => isAtMost(lot.price_cents, most)
    },
    words: ({ price_max }) => `up to ${money(price_max)}`,
  }),
  closing_within_hours: plain('closing_within_hours', {
    inMemory: (hours, now_ms) => lot =>
      isAtMost(lot.closes_ms, now_ms + hours * HOUR_MS),
    words({ closing_within_hours: hours }) {
      const inDays = hours > 24 && hours % 24 === 0
      return `ends within ${inDays ? count(hours / 24, 'day') : count(hours, 'hour')}`
    },
  }),
  min_flip_score: plain('min_flip_score', {
    inMemory: least => lot => isAtLeast(lot.flip_score, least),
    passedBefore: (least, { score_before }) =>
      (score_before ?? -Infinity) >= least,
    words: ({ min_flip_score }) => `Flip Score of ${min_flip_score} or more`,
  }),
  value_min: plain('value_min', {
    inMemory(dollars) {
      const least = leastCents(dollars)
      return lot => isAtLeast(lot.approximate_value_cents, least)
    },
    passedBefore: (dollars, { value_before_cents }) =>
      (value_before_cents ?? -Infinity) >= leastCents(dollars),
    words: ({ value_min }) => `value of ${money(value_min)} or more`,
  }),
  ends_before: filter({
    value: ({ ends_before }) =>
      ends_before === undefined ? null : momentOf('ends_before', ends_before),
    inMemory: moment_ms => lot => lot.ends_ms < moment_ms,
    words: ({ ends_before }) => `ends before ${formatDate(ends_before)}`,
  }),
  vehicle_year_min: plain('vehicle_year_min', {
    inMemory: least => lot => isAtLeast(lot.vehicle_year, least),
    words: ({ vehicle_year_min }) => `${vehicle_year_min} or newer`,
  }),
  vehicle_year_max: plain('vehicle_year_max', {
    inMemory: most => lot => isAtMost(lot.vehicle_year, most),
    words: ({ vehicle_year_max }) => `${vehicle_year_max} or older`,
  }),
  vehicle_make: filter({
    value: ({ vehicle_make }) => vehicle_make?.toLowerCase() ?? null,
    inMemory: make => lot => lot.vehicle_make?.toLowerCase() === make,
    words: ({ vehicle_make }) => `make ${vehicle_make}`,
  }),
  auction: plain('auction', {
    inMemory: auction => lot => lot.auction_id === auction,
    words: ({ auction }) => `auction ${auction}`,
  }),
  odometer_max: plain('odometer_max', {
    inMemory: most => lot => isAtMost(lot.odometer_miles, most),
    words: ({ odometer_max }) => `up to ${count(odometer_max, 'mile')}`,
  }),
  hours_max: plain('hours_max', {
    inMemory: most => lot => isAtMost(lot.engine_hours, most),
    words: ({ hours_max }) => `up to ${count(hours_max, 'hour')}`,
  }),
  runs: plain('runs', {
    inMemory: runs => lot => lot.runs === runs,
    words: ({ runs }) => (runs ? 'runs' : 'does not run'),
  }),
  no_bids: filter({
    value: ({ no_bids }) => no_bids || null,
    inMemory: () => lot => lot.num_bids === 0,
    words: () => 'no bids yet',
  }),
  buy_now: filter({
    value: ({ buy_now }) => buy_now || null,
    inMemory: () => lot => lot.has_buy_now,
    words: () => 'buy now available',
  }),
} satisfies Record<FilterName, unknown>

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

/**
 * The filters of a search by name. A null does not filter. Prices are US
 * dollars.
 */
export type ListingFilter = {
  [Name in FilterName]: ReturnType<(typeof FILTERS)[Name]['value']>
}

/**
 * The order, and the part of all matches that a page shows. Without a sort:
 * best match first, or what ends first where there are no words. `nearest`
 * needs a ZIP code.
 */
export interface ListingWindow {
  sort?: Schemas['Sort'] | undefined
  /** Of lots that are alike in one sale, only the first. */
  group?: Search['group'] | undefined
  limit: number
  offset: number
  /**
   * These fields of each lot, as an array of text or null; absent: the Listing.
   */
  columns?: string[]
}

/** The filters that a search really has. */
export function filtersOf(search: Search): FilterName[] {
  return FILTER_NAMES.filter(name => {
    const value = search[name]
    return value !== undefined && (value !== false || name === 'runs')
  })
}

/** Each filter that is set, with its value. */
function setFilters(filter: ListingFilter) {
  return FILTER_NAMES.flatMap(name => {
    const value: unknown = filter[name]
    return value === null
      ? []
      : [{ name, value, rule: FILTERS[name] as Filter<unknown> }]
  })
}

/**
 * Whether a lot that passes a filter did so before its score or value changed,
 * as far as the filter asks for these.
 */
export function passedBefore(filter: ListingFilter, before: Scored): boolean {
  return setFilters(filter).every(
    ({ value, rule }) => rule.passedBefore?.(value, before) ?? true,
  )
}

/** A condition that several searches may have. */
export interface Condition<Tested> {
  /** Equal for equal conditions. */
  key: string
  test(tested: Tested): boolean
}

/**
 * The conditions of a filter on a lot, at any time of its life. Filters that
 * only the database can answer are left out.
 */
export function conditionsInMemory(
  filter: ListingFilter,
  now_ms: number,
): Condition<MatchedLot>[] {
  return setFilters(filter).flatMap(({ name, value, rule: { inMemory } }) =>
    inMemory === 'database'
      ? []
      : [{ key: JSON.stringify([name, value]), test: inMemory(value, now_ms) }],
  )
}

/** What is not known passes no bound, as in SQL. */
function isAtLeast(value: number | null, least: number) {
  return value !== null && value >= least
}

function isAtMost(value: number | null, most: number) {
  return value !== null && value <= most
}

/**
 * The beginning of a day (UTC), in milliseconds since 1970. PostgreSQL refuses
 * a date in the year 0, but not its milliseconds.
 * @throws ApiError invalid_request for a day that no calendar has.
 */
export function startOfDay(name: string, day: string): number {
  const moment_ms = Date.parse(day)
  // V8 reads 2026-02-30 as March 2.
  if (
    Number.isNaN(moment_ms) ||
    !new Date(moment_ms).toISOString().startsWith(day)
  )
    throw invalidRequest(`"${name}": there is no ${day} in the calendar.`)
  return moment_ms
}

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * The beginning of a day (UTC), or a time with its offset as agents write it,
 * in milliseconds since 1970.
 * @throws ApiError invalid_request for anything else.
 */
function momentOf(name: string, written: string): number {
  if (MOMENT.test(written)) {
    startOfDay(name, written.slice(0, 10))
    const moment_ms = Date.parse(written)
    if (!Number.isNaN(moment_ms)) return moment_ms
  }
  throw invalidRequest(
    `"${name}" must be a day (UTC), such as 2026-12-01, or a time with its offset, such as 2026-12-01T18:00:00-05:00.`,
  )
}

/** An inclusive lower bound in US cents of an amount in dollars. */
function leastCents(dollars: number) {
  return Math.ceil(inCents(dollars))
}

/**
 * Moves the decimal point of the written number: 1.1 * 100 is
 * 110.00000000000001.
 */
function inCents(dollars: number) {
  const [digits, exponent = '0'] = String(dollars).split('e')
  return Number(`${digits}e${Number(exponent) + 2}`)
}

/** An amount in US dollars; with cents where it has any. */
function money(dollars: number) {
  return shortDollars(dollars * 100)
}
