import { describe, expect, it } from 'vitest'
import { backtest } from '../../../src/domain/valuation/backtest.ts'
import type { Sale } from '../../../src/domain/valuation/comparables/saleColumns.ts'

const DAY_MS = 86_400_000
const SPLIT = Date.UTC(2026, 5, 1)

/** Vans at $1,000 to $1,900 in CA and laptops at $100 to $190 in NY, half of them before the split. */
function closedSales(): Sale[] {
  return Array.from({ length: 80 }, (_, n) => {
    const van = n % 2 === 0
    return {
      id: `s${n}`,
      title: van ? 'Cargo van' : 'Dell laptop',
      category: 'other',
      state: van ? 'CA' : 'NY',
      final_bid_cents: (van ? 100_000 : 10_000) * (1 + (n % 10) / 10),
      sold_at_ms: SPLIT + (n - 40) * DAY_MS,
    }
  })
}

describe('backtest', () => {
  it('measures five estimators on what was sold at or after the split, the same every time', () => {
    const { trained_on, tested_on, rows } = backtest(closedSales(), SPLIT)
    expect(backtest(closedSales(), SPLIT).rows).toEqual(rows)
    expect([trained_on, tested_on]).toEqual([40, 40])
    expect(rows.map(row => [row.estimator, row.answers_percent])).toEqual([
      ['category median', 100],
      ['category and state median (at least 5 sales)', 100],
      ['median of the comparables (at least 5)', 100],
      ['this estimate', 100],
      ['this estimate, the more confident half', 50],
    ])
  })

  it('sees what titles and states tell and the category hides', () => {
    const [byCategory, byState, , ours] = backtest(closedSales(), SPLIT).rows
    expect(byCategory!.error_factor).toBeGreaterThan(2)
    expect(byCategory!.rank_correlation).toBeNull()
    expect(byState!.error_factor).toBeLessThan(1.4)
    expect(ours!.error_factor).toBeLessThan(1.6)
    expect(ours!.rank_correlation).toBeGreaterThan(0.8)
    expect(ours!.band_hold_percent).toBeGreaterThan(30)
    expect([byCategory!.band_hold_percent, byState!.band_hold_percent]).toEqual([null, null])
  })

  it('learns nothing from the tested sales', () => {
    const scaled = closedSales().map(sale =>
      sale.sold_at_ms >= SPLIT ? { ...sale, final_bid_cents: sale.final_bid_cents * 1_000 } : sale,
    )
    const [ours, oursOfScaled] = [closedSales(), scaled].map(sales => backtest(sales, SPLIT).rows[3]!)
    expect(oursOfScaled!.rank_correlation).toBeCloseTo(ours!.rank_correlation!, 12)
    expect(oursOfScaled!.error_factor).toBeGreaterThan(500)
  })

  it('learns from lots without a bid that ended before the split, and from none that ended later', () => {
    const unsold = (daysAgo: number) =>
      Array.from({ length: 30 }, (_, n) => ({
        title: 'Cargo van',
        category: 'other' as const,
        ended_at_ms: SPLIT - daysAgo * DAY_MS - n,
      }))
    const ours = (lots: ReturnType<typeof unsold>) => backtest(closedSales(), SPLIT, lots).rows[3]
    expect(ours(unsold(2))).not.toEqual(ours([]))
    expect(ours(unsold(-2))).toEqual(ours([]))
  })

  it('falls back to the category where a state has fewer than five sales', () => {
    const rare = closedSales().map(sale => ({ ...sale, state: sale.id === 's0' ? 'TX' : null }))
    const tested = { ...rare[79]!, id: 'tested', state: 'TX' }
    const { rows } = backtest([...rare.slice(0, 40), tested], SPLIT)
    expect(rows[1]).toMatchObject({ answers_percent: 100, error_factor: rows[0]!.error_factor })
  })

  it('does not answer when there is nothing to learn from', () => {
    const { trained_on, rows } = backtest(closedSales().slice(40), SPLIT)
    expect(trained_on).toBe(0)
    for (const row of rows)
      expect(row).toMatchObject({ answers_percent: 0, error_factor: null, rank_correlation: null })
  })

  it('leaves out what has no price, and has nothing to say of nothing', () => {
    const unsold = closedSales().map(sale => ({ ...sale, final_bid_cents: 0 }))
    expect(backtest(unsold, SPLIT)).toMatchObject({ trained_on: 0, tested_on: 0 })
    expect(backtest([], SPLIT).rows).toHaveLength(5)
  })
})
