import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxBidCents } from '../../../src/domain/appraisal/limit.ts'
import { type LotAhead, outlookOf } from '../../../src/domain/appraisal/outlook.ts'
import { verdictColor, verdictWords } from '../../../src/domain/appraisal/verdict.ts'
import { withPremium } from '../../../src/domain/price.ts'
import type { KnownValue } from '../../../src/domain/valuation/projection.ts'
import { hoursLeftAtNextStep, resaleValueCents } from '../../../src/domain/valuation/projection.ts'
import { bandOf } from './bandOf.ts'

const LOT: LotAhead = {
  offer_kind: 'auction',
  category: 'vehicles',
  source: 'gsa',
  current_bid_cents: 40_000,
  starting_bid_cents: null,
  buy_now_cents: null,
  next_bid_cents: 41_000,
  num_bids: 3,
  premium_percent: 10,
  is_sealed: false,
  hours_left: 20,
}
const VALUE: KnownValue = {
  value_cents: 100_000,
  band: bandOf(30_000, 60_000, 160_000, 300_000),
  grade: 'comparables',
}
const MOMENTS = [
  { hours: 24, share: 0, rise: 0.1, quartiles: [0.05, 0.2] as [number, number] },
  { hours: 168, share: 0, rise: 0.2, quartiles: [0.1, 0.3] as [number, number] },
]

const cents = fc.integer({ min: 1, max: 10_000_000 })
const maybe = fc.option(cents, { nil: null })
const lots: fc.Arbitrary<LotAhead> = fc
  .record({
    offer_kind: fc.constantFrom('auction', 'fixed_price'),
    category: fc.constantFrom('vehicles' as const, 'heavy-equipment' as const),
    source: fc.constantFrom('gsa', 'govdeals'),
    bid: maybe,
    increment: maybe,
    starting_bid_cents: maybe,
    buy_now_cents: maybe,
    num_bids: fc.integer({ min: 1, max: 9 }),
    premium_percent: fc.constantFrom(0, 10),
    is_sealed: fc.boolean(),
    hours_left: fc.option(fc.double({ min: -1, max: 400, noNaN: true }), { nil: null }),
  })
  .map(({ bid, increment, ...lot }) => ({
    ...lot,
    current_bid_cents: bid,
    num_bids: bid === null ? 0 : lot.num_bids,
    next_bid_cents: bid === null ? lot.starting_bid_cents : increment && bid + increment,
  }))
const values: fc.Arbitrary<KnownValue> = fc
  .record({
    ends: fc.array(cents, { minLength: 5, maxLength: 5 }),
    grade: fc.constantFrom('comparables', 'few', 'words'),
  })
  .map(({ ends, grade }) => {
    const [a, b, value_cents, c, d] = ends.sort((one, other) => one - other)
    return { value_cents: value_cents!, band: bandOf(a!, b!, c!, d!), grade }
  })
const likes = fc.integer({ min: 3, max: 6 })
const learned = fc.constantFrom(null, MOMENTS)
type Check = (lot: LotAhead, value: KnownValue, ...rest: Rest) => void
type Rest = [likeCount: number, moments: typeof MOMENTS | null]
const always = (check: Check) =>
  fc.assert(fc.property(lots, values, likes, learned, check), { numRuns: 2_000 })

const verdictAt = (lot: Partial<LotAhead>, value: Partial<KnownValue> = {}) =>
  outlookOf({ ...LOT, ...lot }, { ...VALUE, ...value }, 5, null).verdict

describe('the outlook of a lot', () => {
  it('shows no value below the bid, and says why', () => {
    always((lot, value, likeCount, moments) => {
      const { value_note, verdict } = outlookOf(lot, value, likeCount, moments)
      if ((lot.current_bid_cents ?? 0) > value.value_cents) expect(value_note).not.toBeNull()
      if (value_note === 'bids_above') expect(verdict).toBe('past')
    })
    const past = outlookOf({ ...LOT, current_bid_cents: 100_001, num_bids: 1 }, VALUE, 5, null)
    expect(past).toMatchObject({
      value_note: 'bids_above',
      close: null,
      expected_profit_cents: null,
    })
  })

  it.each([
    ['one bid above the range', { current_bid_cents: 300_001, num_bids: 1 }, 'contradicted'],
    ['two bids above the likely band', { current_bid_cents: 160_001, num_bids: 2 }, 'contradicted'],
    ['one bid above the likely band', { current_bid_cents: 160_001, num_bids: 1 }, 'bids_above'],
    ['three bids below a thirtieth', { current_bid_cents: 3_333, num_bids: 3 }, 'contradicted'],
    ['two bids below a thirtieth', { current_bid_cents: 3_333, num_bids: 2 }, null],
  ])('is contradicted by bids too far from the value: %s', (_, lot, note) => {
    expect(outlookOf({ ...LOT, ...lot }, VALUE, 5, null).value_note).toBe(note)
  })

  it.each([
    ['a bid as high as the value', { current_bid_cents: 100_000 }, null],
    ['one bid as high as the range', { current_bid_cents: 300_000, num_bids: 1 }, 'bids_above'],
    [
      'two bids as high as the likely band',
      { current_bid_cents: 160_000, num_bids: 2 },
      'bids_above',
    ],
  ])('has bounds that still count: %s', (_, lot, note) => {
    expect(outlookOf({ ...LOT, ...lot }, VALUE, 5, null).value_note).toBe(note)
  })

  it('has the limit that leaves the usual margin of the resale value, rounded down, and a verdict by it', () => {
    always((lot, value, likeCount, moments) => {
      const { limit_cents, verdict, value_note, room_rank } = outlookOf(
        lot,
        value,
        likeCount,
        moments,
      )
      const isLimited =
        value_note === null &&
        value.grade !== 'words' &&
        (lot.category !== 'heavy-equipment' || likeCount >= 5)
      expect(limit_cents !== null).toBe(isLimited)
      if (limit_cents === null) {
        const isPast =
          value_note !== null && (lot.current_bid_cents ?? 0) * 1.06 > value.value_cents
        expect([isPast ? 'past' : null, null]).toEqual([verdict, room_rank])
        return
      }
      const most = maxBidCents(resaleValueCents(value), lot.premium_percent)
      expect(limit_cents).toBeLessThanOrEqual(most)
      expect(limit_cents).toBeGreaterThanOrEqual(0.9 * most - 100)
      const bid = lot.next_bid_cents ?? lot.current_bid_cents ?? lot.starting_bid_cents ?? 0
      const price = lot.offer_kind === 'fixed_price' ? (lot.buy_now_cents ?? 0) : bid
      expect(verdict === 'room').toBe(price <= limit_cents)
      expect(room_rank).toBe(
        verdict === 'room' ? limit_cents - price : verdict === 'at_limit' ? -1 : null,
      )
      if (verdict === 'at_limit') expect(lot.current_bid_cents).toBeLessThanOrEqual(limit_cents)
      if (lot.offer_kind !== 'fixed_price' && (lot.current_bid_cents ?? 0) > limit_cents)
        expect(verdict).toBe('past')
    })
    const { limit_cents } = outlookOf(LOT, VALUE, 5, null)
    // Of such lots 65% bring more than $741; less 12%, divided by 1.25 and by the premium of 10%,
    // that is $474.
    expect(limit_cents).toBe(47_000)
    const at = (next_bid_cents: number) =>
      verdictAt({ next_bid_cents, current_bid_cents: next_bid_cents - 1_000 })
    expect([46_900, 47_000, 47_100, 48_000, 48_100].map(at)).toEqual([
      'room',
      'room',
      'at_limit',
      'at_limit',
      'past',
    ])
    expect(verdictAt({ current_bid_cents: null, num_bids: 0, next_bid_cents: 60_000 })).toBe('past')
  })

  it('is never better with a higher bid of the same lot', () => {
    const order = ['room', 'at_limit', 'past']
    always((lot, value, likeCount, moments) => {
      if (lot.offer_kind === 'fixed_price' || !lot.current_bid_cents) return
      if (outlookOf(lot, value, likeCount, moments).limit_cents === null) return
      const raised = (by: number) => ({
        ...lot,
        current_bid_cents: lot.current_bid_cents! + by,
        next_bid_cents: lot.next_bid_cents && lot.next_bid_cents + by,
      })
      const places = [0, 1_000, 1_000_000, 100_000_000].map(by => {
        const { verdict } = outlookOf(raised(by), value, likeCount, moments)
        return order.indexOf(verdict!)
      })
      expect(places).toEqual(places.toSorted())
    })
  })

  const LISTED = {
    ...LOT,
    limit_cents: 49_000,
    value_note: null,
    value_grade: 'comparables',
    approximate_close_cents: null,
    end_date: '2026-11-22T00:00:00Z',
    condition_grade: null,
    runs: null,
  }
  const HOUR_BEFORE = new Date('2026-11-21T23:00:00Z')
  const DAYS_BEFORE = new Date('2026-11-18T23:00:00Z')

  it.each([
    ['room in the last hours', { verdict: 'room' }, HOUR_BEFORE, 'good'],
    ['room early', { verdict: 'room' }, DAYS_BEFORE, 'room'],
    [
      'room at a fixed price',
      { verdict: 'room', offer_kind: 'fixed_price', end_date: null },
      DAYS_BEFORE,
      'good',
    ],
    [
      'a learned close under the limit',
      { verdict: 'room', approximate_close_cents: 49_000 },
      DAYS_BEFORE,
      'good',
    ],
    [
      'a learned close above it',
      { verdict: 'room', approximate_close_cents: 50_000 },
      DAYS_BEFORE,
      'room',
    ],
    ['few sales', { verdict: 'room', value_grade: 'few' }, HOUR_BEFORE, 'room'],
    ['at the limit', { verdict: 'at_limit' }, HOUR_BEFORE, 'limit'],
    ['past the limit', { verdict: 'past' }, HOUR_BEFORE, 'neutral'],
    ['past the likely band', { verdict: 'past', current_bid_cents: 160_001 }, HOUR_BEFORE, 'poor'],
    [
      'far past the value',
      { verdict: 'past', value_note: 'contradicted', limit_cents: null },
      HOUR_BEFORE,
      'poor',
    ],
    ['no verdict', { verdict: null, limit_cents: null }, HOUR_BEFORE, 'neutral'],
  ])('has a color only where it decides something: %s', (_, lot, now, color) => {
    expect(verdictColor({ ...LISTED, ...lot }, 160_000, now)).toBe(color)
  })

  it.each([
    ['room', 49_000, 'Room up to $490'],
    ['at_limit', 49_000, 'At the limit'],
    ['past', 49_000, 'Past our limit of $490'],
    ['past', null, 'Past our limit'],
    ['a verdict of a newer version', 49_000, null],
    [null, null, null],
  ])('has words: %s', (verdict, limit_cents, words) => {
    expect(verdictWords({ verdict, limit_cents, status: 'live' })).toBe(words)
  })

  it('is too early to tell more than 24 hours before the end, until the rise of bids is learned', () => {
    always((lot, value, likeCount, moments) => {
      const { close } = outlookOf(lot, value, likeCount, moments)
      if (moments === null && (lot.hours_left === null || lot.hours_left > 24))
        expect(close).toBeNull()
      if (lot.is_sealed || lot.offer_kind === 'fixed_price') expect(close).toBeNull()
    })
    expect(outlookOf({ ...LOT, hours_left: 24.1 }, VALUE, 5, null).close).toBeNull()
    expect(outlookOf({ ...LOT, hours_left: 24.1 }, VALUE, 5, MOMENTS).close).not.toBeNull()
  })

  it('closes at or above the next bid, and higher with a higher bid', () => {
    always((lot, value, likeCount, moments) => {
      const { close } = outlookOf(lot, value, likeCount, moments)
      if (close === null) return
      const least = lot.next_bid_cents ?? lot.current_bid_cents ?? 0
      expect(close.cents).toBeGreaterThanOrEqual(least)
      expect(close.likely_low_cents).toBeLessThanOrEqual(close.cents)
      expect(close.likely_high_cents).toBeGreaterThanOrEqual(close.cents)
      if (lot.current_bid_cents === null) return
      const raised = {
        ...lot,
        current_bid_cents: lot.current_bid_cents + 100,
        next_bid_cents: lot.next_bid_cents && lot.next_bid_cents + 100,
      }
      const higher = outlookOf(raised, value, likeCount, moments).close
      if (higher) expect(higher.cents).toBeGreaterThanOrEqual(close.cents)
    })
  })

  it('expects what is left at the close or the fixed price, as 1.0.0 said', () => {
    const fixed = {
      ...LOT,
      offer_kind: 'fixed_price',
      current_bid_cents: null,
      buy_now_cents: 50_000,
    }
    expect(outlookOf(fixed, VALUE, 5, null).expected_profit_cents).toBe(100_000 - 55_000)
    expect(outlookOf(fixed, { ...VALUE, grade: 'few' }, 5, null).expected_profit_cents).toBe(
      70_000 - 55_000,
    )
    expect(outlookOf({ ...LOT, is_sealed: true }, VALUE, 5, null).expected_profit_cents).toBeNull()
    const { close, expected_profit_cents } = outlookOf(LOT, VALUE, 5, null)
    expect(expected_profit_cents).toBe(100_000 - withPremium(close!.cents, 10))
  })

  it('changes with time alone only at the hours at which it is calculated again', () => {
    const hours = [200, 168, 167.9, 47.9, 24, 23.9, 5, 0.5]
    expect(hours.map(hoursLeftAtNextStep)).toEqual([168, 72, 72, 24, 12, 12, 3, 0])
    const closeAt = (hours_left: number) =>
      outlookOf({ ...LOT, hours_left }, VALUE, 5, MOMENTS).close
    expect(closeAt(47.9)).toEqual(closeAt(24.1))
    expect(closeAt(23.9)).not.toEqual(closeAt(24.1))
  })
})
