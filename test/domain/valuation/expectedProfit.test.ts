import { describe, expect, it } from 'vitest'
import { expectedProfitCents, hoursLeftAtNextProfit } from '../../../src/domain/valuation/projection.ts'
import { bandOf } from './bandOf.ts'

const lot = { current_bid_cents: 20_000, starting_bid_cents: 1_000, buy_now_cents: null, premium_percent: 10 }
const band = bandOf(25_000, 50_000, 200_000, 400_000)
const known = { value_cents: 100_000, band, grade: 'comparables' } as const
const profit = (change: Partial<typeof lot> | object, hours: number | null, grade: 'comparables' | 'few') =>
  expectedProfitCents({ ...lot, ...change }, { ...known, grade }, hours, null)

describe('the expected profit of a lot', () => {
  it('is its value, 70% of a rough one, less the projected close with the premium', () => {
    expect(profit({ current_bid_cents: 500_000 }, null, 'comparables')).toBeLessThan(100_000 - 550_000)
    expect(profit({}, 5, 'comparables') - profit({}, 5, 'few')).toBe(30_000)
  })

  it('is about zero long before the end, and grows toward it while nobody bids', () => {
    const profits = [200, 47, 11, 0.5].map(hours => profit({}, hours, 'comparables'))
    expect(Math.abs(profits[0]!)).toBeLessThan(30_000)
    expect(profits).toEqual(profits.toSorted((a, b) => a - b))
    expect(profits[3]).toBeGreaterThan(65_000)
  })

  it('counts the starting bid where nobody has bid, and never more than the fixed price', () => {
    expect(profit({ current_bid_cents: null }, 0.5, 'comparables')).toBeGreaterThan(
      profit({}, 0.5, 'comparables'),
    )
    expect(profit({ current_bid_cents: null, buy_now_cents: 10_000 }, null, 'comparables')).toBe(89_000)
  })

  it('changes only at the hours at which it is calculated again', () => {
    const hours = [200, 168, 167.9, 47.9, 24, 23.9, 5, 0.5]
    expect(hours.map(hoursLeftAtNextProfit)).toEqual([168, 72, 72, 24, 12, 12, 3, 0])
    expect(profit({}, 24, 'few')).toBe(profit({}, 47.9, 'few'))
    expect(profit({}, 23.9, 'few')).toBeGreaterThan(profit({}, 24, 'few'))
  })
})
