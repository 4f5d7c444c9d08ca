import { describe, expect, it } from 'vitest'
import type { LotRow } from '../../src/domain/feeds/lotRow.ts'
import { median, open, rows, sold, unsold, upcoming } from './demoSample.ts'

describe('money', () => {
  it('gives every sale a price, a bid and the basis of its source, and no price to any other lot', () => {
    for (const row of sold) {
      expect(row.final_bid_cents).toBeGreaterThan(0)
      expect(row.current_bid_cents).toBe(row.final_bid_cents)
      expect(row.num_bids).toBeGreaterThan(0)
      expect(row.price_basis === 'last_observed').toBe(row.source === 'gsa')
    }
    for (const row of [...unsold, ...open])
      expect(row).toMatchObject({ final_bid_cents: null, price_basis: null })
  })

  it('has a current bid exactly where there are bids, none under the starting bid or over the buy-now price', () => {
    for (const row of rows) {
      expect(row.current_bid_cents === null).toBe(row.num_bids === 0)
      if (row.current_bid_cents === null) continue
      expect(row.current_bid_cents).toBeGreaterThanOrEqual(row.starting_bid_cents ?? 0)
      expect(row.current_bid_cents).toBeLessThanOrEqual(
        row.buy_now_cents ?? Number.POSITIVE_INFINITY,
      )
    }
    expect(upcoming.every(row => row.num_bids === 0)).toBe(true)
  })

  // The middle prices of 2,755 federal lots that closed in spring 2026, in dollars; real estate and
  // seized property were too few.
  it.each([
    ['vehicles', 3400],
    ['heavy-equipment', 1010],
    ['electronics', 45],
    ['office-furniture', 30],
    ['tools-industrial', 210],
    ['medical-scientific', 100],
    ['military-surplus', 1525],
    ['other', 77],
  ])('sells %s at about the real median of %i dollars', (category, dollars) => {
    const prices = sold.filter(row => row.category === category).map(priceOf)
    expect(median(prices)).toBeGreaterThan(dollars / 1.6)
    expect(median(prices)).toBeLessThan(dollars * 1.6)
  })

  it('is as hard to guess as real lots: a category median misses by 2.3 to 3.3 times, similar titles by about 2', () => {
    const byCategory = missFactor(row => row.category ?? '')
    const byTitle = missFactor(row =>
      row.title
        .toLowerCase()
        .replace(/[^a-z]+/g, ' ')
        .split(' ')
        .slice(1, 4)
        .join(' '),
    )
    expect(byCategory).toBeGreaterThan(2.3)
    expect(byCategory).toBeLessThan(3.3)
    expect(byTitle).toBeGreaterThan(1.6)
    expect(byTitle).toBeLessThan(2.2)
  })
})

/**
 * exp of the median of |ln(price / median of the group)| over the groups with at least eight sales.
 */
function missFactor(groupOf: (row: LotRow) => string): number {
  const groups = new Map<string, LotRow[]>()
  for (const row of sold) groups.set(groupOf(row), [...(groups.get(groupOf(row)) ?? []), row])
  const misses = [...groups.values()]
    .filter(group => group.length >= 8)
    .flatMap(group => {
      const middle = median(group.map(priceOf))
      return group.map(row => Math.abs(Math.log(priceOf(row) / middle)))
    })
  return Math.exp(median(misses))
}

function priceOf(row: LotRow): number {
  return (row.final_bid_cents ?? 0) / 100
}
