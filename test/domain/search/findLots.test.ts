import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/domain/durations.ts'
import type { ListingFilter, ListingWindow } from '../../../src/domain/search/filters.ts'
import { findLots, nextChange } from '../../../src/domain/search/findLots.ts'
import { type LotRow, type LotTable, lotTableBuilder } from '../../../src/domain/search/lotTable.ts'
import { filterOf, withDefaults } from '../../../src/usecases/searchLots.ts'

const BUILT_MS = 1_000_000
const SORTS = [
  'ending_soon',
  'newest',
  'price_low',
  'price_high',
  'most_bids',
  'best_deals',
  'most_profit',
] as const
/** By their distance from the first, where every circle has its center. */
const ZIPS = [
  { latitude: 41.885, longitude: -87.622 },
  { latitude: 41.618, longitude: -87.338 },
  { latitude: 43.05, longitude: -87.893 },
]

/** Few values of everything, so that lots are often equal in what they are sorted by. */
const lots = fc.array(
  fc.record({
    category: fc.constantFrom('vehicles', 'electronics', 'other'),
    state: fc.constantFrom('IL', 'WI', null),
    source: fc.constantFrom('gsa', 'usps'),
    place: fc.constantFrom(...ZIPS, null),
    price_cents: fc.constantFrom(null, 0, 110, 220, 330, 440, 550, 660),
    num_bids: fc.integer({ min: 0, max: 3 }),
    has_buy_now: fc.boolean(),
    flip_score: fc.constantFrom(null, 20, 21, 22, 23, 24),
    approximate_value_cents: fc.constantFrom(null, 100, 200),
    profit_rank: fc.constantFrom(null, -100, 0, 100),
    vehicle_year: fc.constant(null),
    vehicle_make: fc.constant(null),
    auction_id: fc.constant(null),
    starts_ms: fc.constantFrom(Number.NEGATIVE_INFINITY, BUILT_MS - 9, BUILT_MS, BUILT_MS + 5, BUILT_MS + 20),
    ends_ms: fc.constantFrom(BUILT_MS + 1, BUILT_MS + 10, BUILT_MS + 30, Number.POSITIVE_INFINITY),
  }),
  { maxLength: 60 },
)

/** Every filter is compared with PostgreSQL in test/infra/everyFilter.test.ts. */
const NO_FILTER = filterOf(withDefaults({}))
const filters = fc.record({
  category: fc.constantFrom(null, 'vehicles' as const),
  zip: fc.constantFrom(null, { ...ZIPS[0]!, radius_miles: 25 }, { ...ZIPS[0]!, radius_miles: 100 }),
})

const windows = fc.record({
  sort: fc.constantFrom(...SORTS),
  limit: fc.integer({ min: 1, max: 20 }),
  offset: fc.integer({ min: 0, max: 40 }),
})

const moments = fc.array(fc.integer({ min: BUILT_MS, max: BUILT_MS + 40 }), { minLength: 1, maxLength: 4 })

describe('a search in a table of lots', () => {
  it('finds the lots that a plain filter and sort finds, in the same order, at any moment', () => {
    const anySearch = fc.record({
      drafts: lots,
      filter: filters,
      drawn: windows,
      isNearest: fc.boolean(),
      moments,
    })
    const isRight = fc.property(anySearch, ({ drafts, filter: drawnFilter, drawn, isNearest, moments }) => {
      const filter: ListingFilter = { ...NO_FILTER, ...drawnFilter }
      const window: ListingWindow = filter.zip && isNearest ? { ...drawn, sort: 'nearest' } : drawn
      const world = drafts.map(({ place, ...draft }, at): LotRow => {
        const { latitude = null, longitude = null } = place ?? {}
        return { ...draft, latitude, longitude, id: idOf(at), closes_ms: draft.ends_ms }
      })
      const table = tableOf(world)
      for (const now_ms of moments) {
        const { total, ordinals } = findLots(table, filter, window, now_ms)
        const expected = scanAll(world, filter, window.sort, now_ms)
        expect(total).toBe(expected.length)
        expect(ordinals).toEqual(expected.slice(window.offset, window.offset + window.limit))
      }
    })
    fc.assert(isRight, { numRuns: 300 })
  })

  it('reports when the next lot begins or ends', () => {
    const lot = (starts_ms: number, ends_ms: number, at: number) => ({
      ...PLAIN,
      id: idOf(at),
      starts_ms,
      ends_ms,
      closes_ms: ends_ms,
    })
    const table = tableOf([lot(0, BUILT_MS + 10, 0), lot(BUILT_MS + 5, Number.POSITIVE_INFINITY, 1)])
    expect(nextChange(table, NO_FILTER, BUILT_MS)).toBe(BUILT_MS + 5)
    expect(nextChange(table, NO_FILTER, BUILT_MS + 5)).toBe(BUILT_MS + 10)
    expect(nextChange(table, NO_FILTER, BUILT_MS + 10)).toBe(Number.POSITIVE_INFINITY)
  })

  it('reports when the next lot comes within the hours of the filter', () => {
    const ends_ms = BUILT_MS + HOUR_MS + 7
    const table = tableOf([{ ...PLAIN, id: idOf(0), starts_ms: 0, ends_ms: ends_ms + 9, closes_ms: ends_ms }])
    const within = { ...NO_FILTER, closing_within_hours: 1 }
    expect(nextChange(table, within, BUILT_MS)).toBe(BUILT_MS + 7)
    expect(nextChange(table, within, BUILT_MS + 7)).toBe(ends_ms + 9)
  })
})

const PLAIN = {
  vehicle_year: null,
  vehicle_make: null,
  auction_id: null,
  category: 'other',
  state: null,
  source: 'gsa',
  latitude: null,
  longitude: null,

  price_cents: null,
  num_bids: 0,
  has_buy_now: false,
  flip_score: null,

  approximate_value_cents: null,
  profit_rank: null,
}

/** In the order of `at`. */
function idOf(at: number): string {
  return `00000000-0000-3000-8000-${at.toString(16).padStart(12, '0')}`
}

function tableOf(world: LotRow[]): LotTable {
  const builder = lotTableBuilder(world.length, BUILT_MS)
  for (const lot of world) builder.add(lot)
  return builder.build()
}

function scanAll(world: LotRow[], filter: ListingFilter, sort: ListingWindow['sort'], now_ms: number) {
  const keyOf = (lot: LotRow): number => {
    const cents = lot.price_cents ?? Number.POSITIVE_INFINITY
    return {
      ending_soon: lot.ends_ms,
      newest: -lot.starts_ms,
      price_low: cents,
      price_high: lot.price_cents === null ? Number.POSITIVE_INFINITY : -cents,
      most_bids: -lot.num_bids,
      best_deals: highest(lot.flip_score),
      most_profit: highest(lot.profit_rank),
      nearest: ZIPS.findIndex(({ latitude }) => latitude === lot.latitude),
    }[sort ?? 'ending_soon']
  }
  return world
    .map((lot, ordinal) => ({ ordinal, lot, keys: [keyOf(lot), ...tiesOf(lot, sort), ordinal] }))
    .filter(({ lot }) => lot.starts_ms <= now_ms && lot.ends_ms > now_ms && isMatch(lot, filter))
    .sort((a, b) => {
      const at = a.keys.findIndex((key, n) => key !== b.keys[n])
      return a.keys[at]! < b.keys[at]! ? -1 : 1
    })
    .map(({ ordinal }) => ordinal)
}

function isMatch(lot: LotRow, { category, zip }: ListingFilter): boolean {
  if (category !== null && lot.category !== category) return false
  if (zip === null) return true
  // Chicago and Gary are 23 miles apart, Chicago and Milwaukee 81.
  return lot.latitude !== null && (zip.radius_miles === 100 || lot.latitude !== ZIPS[2]!.latitude)
}

const highest = (value: number | null) => (value === null ? Number.POSITIVE_INFINITY : -value)

/** Equal scores are ordered by profit, and equal profits by value. */
function tiesOf({ profit_rank, approximate_value_cents }: LotRow, sort: ListingWindow['sort']) {
  const byValue = highest(approximate_value_cents)
  if (sort === 'best_deals') return [highest(profit_rank), byValue]
  return sort === 'most_profit' ? [byValue] : []
}
