import { describe, expect, it } from 'vitest'
import { allInCostCents, askedPrice, resaleMargin } from '../../../src/domain/valuation/resaleMargin.ts'

const asking = { current_bid_cents: null, starting_bid_cents: null, buy_now_cents: null, premium_percent: 0 }

describe('allInCostCents', () => {
  it('is the bid and the premium', () => {
    expect(allInCostCents({ ...asking, current_bid_cents: 100_050, premium_percent: 12.5 })).toBe(112_556)
  })

  it.each([null, 0])('is the starting bid and the premium while the bid is %s', current_bid_cents => {
    const cost = allInCostCents({
      ...asking,
      current_bid_cents,
      starting_bid_cents: 5_000,
      premium_percent: 10,
    })
    expect(cost).toBe(5_500)
  })

  it('is unknown without a price', () => {
    expect(allInCostCents(asking)).toBeNull()
    expect(
      allInCostCents({ ...asking, current_bid_cents: 0, starting_bid_cents: 0, buy_now_cents: 0 }),
    ).toBeNull()
  })

  it('is the fixed price and the premium only without a bid and without a starting bid', () => {
    const fixed = { ...asking, buy_now_cents: 9_000, premium_percent: 10 }
    expect(allInCostCents(fixed)).toBe(9_900)
    expect(allInCostCents({ ...fixed, starting_bid_cents: 5_000 })).toBe(5_500)
    expect(allInCostCents({ ...fixed, current_bid_cents: 100, starting_bid_cents: 5_000 })).toBe(110)
    expect(askedPrice(fixed)).toEqual({ cents: 9_000, kind: 'buy_now' })
    expect(askedPrice({ ...fixed, starting_bid_cents: 5_000 })?.kind).toBe('starting_bid')
    expect(askedPrice({ ...fixed, current_bid_cents: 100 })?.kind).toBe('current_bid')
  })
})

describe('resaleMargin', () => {
  it('is the value less the cost and less 12 % for reselling', () => {
    expect(resaleMargin(602_000, 412_500)).toEqual({
      estimated_value_cents: 602_000,
      all_in_cost_cents: 412_500,
      margin_cents: 117_260,
      margin_percent: 28.4,
    })
  })

  it('is negative for an expected loss', () => {
    expect(resaleMargin(10_000, 20_000)).toMatchObject({ margin_cents: -11_200, margin_percent: -56 })
  })

  it('takes another share of reselling costs', () =>
    expect(resaleMargin(10_000, 5_000, 0)?.margin_cents).toBe(5_000))

  it('is unknown without a value or a cost', () => {
    expect(resaleMargin(null, 100)).toBeNull()
    expect(resaleMargin(100, null)).toBeNull()
    expect(resaleMargin(100, 0)).toBeNull()
  })
})
