import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxBidCents } from '../../../src/domain/appraisal/limit.ts'
import { resaleMargin, withPremium } from '../../../src/domain/price.ts'
import { MOMENT_HOURS } from '../../../src/domain/valuation/bidPaths.ts'
import { projectedClose, TARGET_MARGIN_PERCENT } from '../../../src/domain/valuation/projection.ts'
import { bandOf } from './bandOf.ts'

const projectedCloseCents = (...of: Parameters<typeof projectedClose>) =>
  projectedClose(...of).cents

const TRUCK = { value_cents: 602_000, band: bandOf(298_000, 451_000, 790_000, 1_105_000) }

const cents = fc.integer({ min: 1, max: 100_000_000 })
const bids = fc.integer({ min: 1, max: 1_000_000_000_000 })
/** A value and bands around it, also bands without a width and values outside of their own band. */
const estimate = fc
  .tuple(cents, fc.array(cents, { minLength: 4, maxLength: 4 }))
  .map(([value_cents, ends]) => {
    const ascending = ends.sort((a, b) => a - b) as Parameters<typeof bandOf>
    return { value_cents, band: bandOf(...ascending) }
  })
const hours = fc.oneof(fc.constant(null), fc.double({ min: -10, max: 1_000, noNaN: true }))

/** What was learned of rising bids, or nothing: then the formula projects. */
const moments = fc.tuple(
  ...MOMENT_HOURS.map(at =>
    fc.record({
      hours: fc.constant(at),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      rise: fc.double({ min: -3, max: 3, noNaN: true }),
    }),
  ),
)
const learned = fc.oneof(fc.constant(null), moments)

describe('the projected close, by the formula or as learned', () => {
  it('is the value while there is no bid, at any time', () => {
    fc.assert(
      fc.property(
        estimate,
        hours,
        fc.constantFrom(null, 0),
        learned,
        (estimated, hours_left, bid_cents, by) => {
          expect(projectedCloseCents({ ...estimated, bid_cents, hours_left }, by)).toBe(
            estimated.value_cents,
          )
        },
      ),
    )
  })

  it('is a whole amount of the contract, never below the bid, which it meets at the end', () => {
    fc.assert(
      fc.property(estimate, hours, bids, learned, (estimated, left, bid_cents, by) => {
        const at = (hours_left: number | null) =>
          projectedCloseCents({ ...estimated, bid_cents, hours_left }, by)
        expect(Number.isSafeInteger(at(left))).toBe(true)
        expect(at(left)).toBeGreaterThanOrEqual(bid_cents)
        expect(at(null)).toBeLessThanOrEqual(1_000_000_000_000)
        expect([at(0), at(-5)]).toEqual([bid_cents, bid_cents])
      }),
    )
  })

  it('is lowered neither by more time nor by a higher bid', () => {
    fc.assert(
      fc.property(
        estimate,
        fc.tuple(hours, hours),
        fc.tuple(bids, bids),
        learned,
        (estimated, times, some, by) => {
          const [sooner, later] = times.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity))
          const [low, high] = some.toSorted((a, b) => a - b)
          const at = (hours_left: number | null | undefined, bid_cents: number | undefined) =>
            projectedCloseCents(
              { ...estimated, bid_cents: bid_cents!, hours_left: hours_left! },
              by,
            )
          expect(at(sooner, low)).toBeLessThanOrEqual(at(later, low))
          expect(at(sooner, low)).toBeLessThanOrEqual(at(sooner, high))
        },
      ),
    )
  })

  it('expects half of the way from the bid to what the value allows, and more above a bid that exceeds the value', () => {
    const early = (bid_cents: number) =>
      projectedClose({ ...TRUCK, bid_cents, hours_left: 1_000 }, null)
    expect(early(100)).toMatchObject({
      cents: Math.round(Math.sqrt(100 * 602_000)),
      likely_high_cents: 602_000,
    })
    expect(early(602_000).likely_high_cents).toBe(790_000)
    expect(early(1_105_000).cents).toBeGreaterThan(1_105_000)
  })

  it('has made half of its way to the bid six hours before the end, by factors', () => {
    const early = projectedCloseCents({ ...TRUCK, bid_cents: 200_000, hours_left: null }, null)
    const late = projectedCloseCents({ ...TRUCK, bid_cents: 200_000, hours_left: 6 }, null)
    expect(late).toBe(Math.round(Math.sqrt(200_000 * early)))
  })
})

describe('the maximum bid', () => {
  it('is the highest whole bid whose resale margin is the target or more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000_000 }),
        fc.oneof(
          fc.constantFrom(0, 5, 10, 12.5, 17.3),
          fc.double({ min: 0, max: 100, noNaN: true }),
        ),
        (value, premium) => {
          const leaves = (bid: number) => {
            const cost = withPremium(bid, premium)
            const margin = resaleMargin(value, cost)
            return margin === null || margin.margin_cents * 100 >= cost * TARGET_MARGIN_PERCENT
          }
          const bid = maxBidCents(value, premium)
          expect(Number.isSafeInteger(bid) && bid >= 0).toBe(true)
          expect([leaves(bid), leaves(bid + 1)]).toEqual([true, false])
        },
      ),
    )
  })

  it('is 0 for what is worth a cent', () => expect(maxBidCents(1, 0)).toBe(0))
})
