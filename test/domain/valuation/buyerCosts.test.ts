import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Buyer,
  buyerCosts,
  costsOfBid,
  type LotToBuy,
  USUAL_BUYER,
} from '../../../src/domain/appraisal/buyerCosts.ts'
import { maxBidCents } from '../../../src/domain/appraisal/limit.ts'
import { withPremium } from '../../../src/domain/price.ts'
import { enterable } from '../../../src/domain/valuation/projection.ts'

const cents = fc.integer({ min: 0, max: 1_000_000_000 })
/** As the contract takes them, mostly as people write them. */
const percent = (most: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: most }),
    fc.integer({ min: 0, max: 8 * most }).map(n => n / 8),
  )
const buyers: fc.Arbitrary<Buyer> = fc.record({
  buyer_zip: fc.constant('35801'),
  cost_per_mile: fc.integer({ min: 0, max: 500 }).map(n => n / 100),
  tax_percent: percent(30),
  surcharge_percent: percent(10),
  resale_cost_percent: percent(100),
  margin_percent: percent(200),
  fixed_cost_cents: fc.integer({ min: 0, max: 100_000 }),
})
const lotsToBuy: fc.Arbitrary<LotToBuy> = fc.record({
  source: fc.constantFrom('gsa', 'municibid', 'hud', 'a-feed'),
  premium_percent: fc.option(percent(30)),
  premium_is_taxed: fc.option(fc.boolean()),
  distance_miles: fc.option(fc.integer({ min: 0, max: 40_000 }).map(n => n / 10)),
  resale_value_cents: cents,
  next_cents: fc.option(cents),
  likely_cents: fc.option(cents),
})

describe('what a lot costs a buyer', () => {
  it('leaves the margin of the resale value, to the cent, at the limit and at no higher bid that the source takes', () => {
    fc.assert(
      fc.property(buyers, lotsToBuy, (buyer, lot) => {
        const { limit_cents, at_limit } = buyerCosts(buyer, lot)
        const resale = lot.resale_value_cents!
        const proceeds = resale - Math.round((resale * buyer.resale_cost_percent) / 100)
        // Eighths of a percent are whole: no share is rounded here.
        const margin = BigInt(8 * buyer.margin_percent)
        const leaves = (bid: number) => {
          const total = costsOfBid(buyer, lot, bid).total_cents
          return BigInt(proceeds - total) * 800n >= BigInt(total) * margin
        }
        if (limit_cents === null) {
          expect(leaves(0)).toBe(false)
          return
        }
        const step = enterable(99, lot.source) === 0 ? 100 : 1
        expect([limit_cents % step, leaves(limit_cents), leaves(limit_cents + step)]).toEqual([
          0,
          true,
          false,
        ])
        expect(at_limit!.left_cents).toBe(proceeds - at_limit!.total_cents)
      }),
      { numRuns: 2_000 },
    )
  })

  it('adds up line by line, each rounded to the cent, with tax on the premium only where the source taxes it', () => {
    fc.assert(
      fc.property(buyers, lotsToBuy, cents, (buyer, lot, bid) => {
        const costs = costsOfBid(buyer, lot, bid)
        const { premium_cents, tax_cents, surcharge_cents, transport_cents, fixed_cost_cents } =
          costs
        const premium =
          lot.premium_percent === null ? null : withPremium(bid, lot.premium_percent) - bid
        expect(premium_cents).toBe(premium)
        const taxed = bid + (lot.premium_is_taxed ? (premium ?? 0) : 0)
        expect(tax_cents).toBe(Math.round((taxed * buyer.tax_percent) / 100))
        expect(costs.total_cents).toBe(
          bid +
            (premium ?? 0) +
            tax_cents +
            surcharge_cents +
            (transport_cents ?? 0) +
            fixed_cost_cents,
        )
        expect(transport_cents === null).toBe(
          lot.distance_miles === null && buyer.cost_per_mile > 0,
        )
        expect(costsOfBid(buyer, lot, bid + 1).total_cents).toBeGreaterThan(costs.total_cents)
      }),
    )
  })

  it('has the limit of the appraisal for the usual buyer', () => {
    fc.assert(
      fc.property(lotsToBuy, lot => {
        const most = maxBidCents(lot.resale_value_cents!, lot.premium_percent ?? 0)
        expect(buyerCosts(USUAL_BUYER, lot).limit_cents).toBe(enterable(most, lot.source))
      }),
    )
  })

  it('has a lower limit far away, and none where no bid leaves the margin', () => {
    const lot: LotToBuy = {
      ...{ source: 'gsa', premium_percent: 10, premium_is_taxed: true, distance_miles: 20 },
      ...{ resale_value_cents: 1_000_000, next_cents: 100_000, likely_cents: 500_000 },
    }
    const buyer = {
      ...USUAL_BUYER,
      buyer_zip: '35801',
      cost_per_mile: 2,
      tax_percent: 9,
      surcharge_percent: 3,
    }
    expect(buyerCosts(buyer, lot).at_next).toEqual({
      bid_cents: 100_000,
      premium_cents: 10_000,
      tax_cents: 9_900,
      surcharge_cents: 3_597,
      transport_cents: 4_000,
      fixed_cost_cents: 0,
      total_cents: 127_497,
      left_cents: 752_503,
    })
    const limitAt = (distance_miles: number) =>
      buyerCosts(buyer, { ...lot, distance_miles }).limit_cents
    // $8,800 ÷ 1.25 less the drive, ÷ 1.1 ÷ 1.09 ÷ 1.03.
    expect([20, 520, 5_000].map(limitAt)).toEqual([566_800, 485_800, null])
    const unvalued = buyerCosts(buyer, { ...lot, resale_value_cents: null })
    expect([unvalued.limit_cents, unvalued.at_limit, unvalued.at_likely!.left_cents]).toEqual([
      null,
      null,
      null,
    ])
  })
})
