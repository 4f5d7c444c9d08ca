import { describe, expect, it } from 'vitest'
import {
  accuracyOf,
  errorFactor,
  type HeldOutEstimate,
  heldOutEstimates,
  rankCorrelation,
} from '../../../src/domain/valuation/accuracy.ts'
import type { Trial } from '../../../src/domain/valuation/crossValidation.ts'
import { priceDistribution } from '../../../src/domain/valuation/priceDistribution.ts'

describe('errorFactor', () => {
  it('is the typical multiple by which estimates miss, up or down', () => {
    expect(errorFactor([100, 200, 50], [100, 100, 100])).toBeCloseTo(2, 12)
    expect(errorFactor([100, 100], [100, 100])).toBe(1)
  })

  it('is unknown without a pair', () => expect(errorFactor([], [])).toBeNull())
})

describe('rankCorrelation', () => {
  it('is 1 for the same order and −1 for the opposite one, whatever the amounts', () => {
    expect(rankCorrelation([1, 2, 3], [10, 11, 5_000])).toBeCloseTo(1, 12)
    expect(rankCorrelation([1, 2, 3], [9, 5, 1])).toBeCloseTo(-1, 12)
  })

  it('gives ties their average rank', () => {
    // Ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4.
    expect(rankCorrelation([1, 2, 2, 4], [1, 3, 2, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12)
  })

  it('is unknown when one side does not vary', () => {
    expect(rankCorrelation([1, 1], [1, 2])).toBeNull()
    expect(rankCorrelation([], [])).toBeNull()
  })
})

const band = (value: number) => ({
  likely_low_cents: value / 2,
  likely_high_cents: value * 2,
  range_low_cents: value / 4,
  range_high_cents: value * 4,
})

/** Sales whose prices are spread as the bands say, at three sizes. */
function calibrated(): HeldOutEstimate[] {
  return [1_000, 100_000, 10_000_000].flatMap((value_cents, size) => {
    const { centsExceededBy } = priceDistribution(value_cents, band(value_cents))
    return Array.from({ length: 200 }, (_, n) => ({
      category: size === 0 ? ('electronics' as const) : ('vehicles' as const),
      value_cents,
      band: band(value_cents),
      price_cents: centsExceededBy((n + 0.5) / 200),
    }))
  })
}

describe('accuracy', () => {
  it('is what the bands say, overall, by third and by category, when the prices are spread like that', () => {
    const accuracy = accuracyOf(calibrated())
    const held = { likely_hold_percent: 50, range_hold_percent: 80 }
    expect(accuracy).toMatchObject({ sales: 600, ...held })
    expect(accuracy.error_factor).toBeCloseTo(2, 1)
    for (const third of accuracy.by_third) expect(third).toMatchObject({ sales: 200, ...held })
    expect(accuracy.by_category).toMatchObject([
      { category: 'electronics', sales: 200, ...held },
      { category: 'vehicles', sales: 400, ...held },
    ])
  })

  it('finds as many sales above a cost as the score says, by fifth of the score', () => {
    const { score_fifths } = accuracyOf(calibrated())
    expect(score_fifths.map(({ from_score }) => from_score)).toEqual([0, 20, 40, 60, 80])
    expect(score_fifths.reduce((sum, { offers }) => sum + offers, 0)).toBe(9 * 600)
    for (const { mean_score, above_percent } of score_fifths)
      expect(Math.abs(mean_score! - above_percent!)).toBeLessThan(1)
  })

  it('shows prices that are twice what was estimated', () => {
    const doubled = calibrated().map(one => ({ ...one, price_cents: one.price_cents * 2 }))
    const accuracy = accuracyOf(doubled)
    expect(accuracy.likely_hold_percent).toBeLessThan(45)
    const [, , middle] = accuracy.score_fifths
    expect(middle!.above_percent! - middle!.mean_score!).toBeGreaterThan(15)
  })

  it('is unknown without a sale', () => {
    expect(accuracyOf([])).toMatchObject({
      sales: 0,
      error_factor: null,
      likely_hold_percent: null,
      by_category: [],
    })
  })
})

it('a band is set without the fold that it is checked on', () => {
  const trial = (fold: number, ratio: number): Trial => ({
    fold,
    sale: { id: '', title: '', category: 'other', final_bid_cents: 10_000 * ratio, sold_at_ms: 0 },
    estimate: { logValue: Math.log(10_000), comparables: [], percentiles: null, evidence: 0 },
  })
  const alike = Array.from({ length: 400 }, (_, n) => trial(n % 2, n % 4 < 2 ? 1.01 : 0.99))
  const outlying = Array.from({ length: 100 }, () => trial(2, 50))
  const { range_hold_percent, by_category } = accuracyOf(heldOutEstimates([...alike, ...outlying]))
  expect(by_category[0]!.sales).toBe(500)
  // The bands of the first two folds contain some of the third's; those of the third contain none of its own.
  expect(range_hold_percent).toBeLessThanOrEqual(80)
  expect(accuracyOf(heldOutEstimates(outlying.concat(alike)).slice(0, 100)).range_hold_percent).toBe(0)
})
