import { describe, expect, it } from 'vitest'
import { accuracyOf } from '../../../src/domain/appraisal/accuracy.ts'
import { maxBidCents } from '../../../src/domain/appraisal/limit.ts'
import { DAY_MS } from '../../../src/domain/durations.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import type { Sale } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import type { JudgedSale } from '../../../src/domain/valuation/judgedWeeks.ts'
import { priceDistribution } from '../../../src/domain/valuation/priceDistribution.ts'
import { resaleValueCents } from '../../../src/domain/valuation/projection.ts'
import { bandOf } from './bandOf.ts'

const band = (value: number) => bandOf(value / 4, value / 2, value * 2, value * 4)

/** A judged sale of a title and a price, estimated at $1,000. */
function judged(
  title: string,
  price_cents: number,
  draft: Partial<JudgedSale> = {},
  zip = '60601',
): JudgedSale {
  const value_cents = draft.value_cents ?? 100_000
  const week = draft.week ?? 0
  const sold_at_ms = Date.UTC(2026, 10, 20) - 7 * week * DAY_MS
  const sale: Sale = {
    id: '',
    title,
    category: 'vehicles',
    zip,
    final_bid_cents: price_cents,
    sold_at_ms,
  }
  const estimate = {
    value_cents,
    band: band(value_cents),
    confidence: 0.5,
    grade: 'comparables' as const,
    chance: UNLEARNED,
  }
  return { ...estimate, sale, price_cents, week, ...draft }
}

/**
 * Sales of one value whose prices are spread as the bands say, in two weeks; in the older one at
 * half of that.
 */
function calibrated(): JudgedSale[] {
  const { centsExceededBy } = priceDistribution(100_000, band(100_000))
  return Array.from({ length: 400 }, (_, n) => {
    const price = centsExceededBy((Math.floor(n / 2) + 0.5) / 200)
    return judged(`Van ${n}`, n % 2 ? price / 2 : price, {
      week: n % 2,
      grade: n % 4 ? 'few' : 'comparables',
    })
  })
}

describe('accuracy', () => {
  it('is measured over all sales and by grade and category, with the lowest and the highest week', () => {
    const accuracy = accuracyOf(calibrated())
    const { likely_hold_percent, range_hold_percent, error_factor } = accuracy.by_week
    expect(accuracy.sales).toBe(400)
    expect([likely_hold_percent![1], range_hold_percent![1]]).toEqual([50, 80])
    expect(likely_hold_percent![0]).toBeLessThan(45)
    expect(accuracy.likely_hold_percent).toBeCloseTo((likely_hold_percent![0] + 50) / 2, 0)
    expect(error_factor![0]).toBeCloseTo(2, 1)
    expect(accuracy.by_grade.map(({ grade, sales }) => [grade, sales])).toEqual([
      ['comparables', 100],
      ['few', 300],
      ['words', 0],
    ])
    expect(accuracy.by_category.find(({ category }) => category === 'vehicles')).toMatchObject({
      sales: 400,
    })
  })

  it.each([0, 1, 49, 50, 200])(
    'of %i real prices beside 100 last bids seen counts one kind',
    count => {
      const real = Array.from({ length: count }, (_, n) => judged(`Van ${n}`, 100_000))
      const seen = Array.from({ length: 100 }, (_, n) => judged(`Bus ${n}`, 400_000))
      for (const one of real) one.sale.is_real = true
      const { sales, error_factor, real_sales, seen_sales } = accuracyOf([...seen, ...real])
      expect([sales, error_factor?.toFixed(2)]).toEqual(
        count < 50 ? [100, '4.00'] : [count, '1.00'],
      )
      expect([real_sales, seen_sales]).toEqual([count, 100])
    },
  )

  it('is of the same sales as its weeks, and has no spread that does not hold it', () => {
    const small = Array.from({ length: 19 }, (_, n) => judged(`Truck ${n}`, 100, { week: 2 }))
    expect(accuracyOf([...calibrated(), ...small]).sales).toBe(400)
    // In each week dearer lots were valued higher; between the weeks it is the other way around.
    const week = (n: number, value: number, price: number) =>
      Array.from({ length: 20 }, (_, lot) =>
        judged(`Lot ${n} ${lot}`, price + lot, { week: n, value_cents: value + lot }),
      )
    const turned = accuracyOf([...week(0, 1_000, 9_000), ...week(1, 2_000, 4_000)])
    expect(turned.rank_correlation!).toBeLessThan(0.9)
    expect(turned.by_week.rank_correlation).toBeNull()
    for (const accuracy of [turned, accuracyOf(calibrated())])
      for (const [name, spread] of Object.entries(accuracy.by_week)) {
        if (spread === null) continue
        const total = accuracy[name as keyof typeof accuracy.by_week]!
        expect([name, spread[0] <= total, total <= spread[1]]).toEqual([name, true, true])
      }
  })

  it('has no spread with one week of enough sales, and nothing without a sale', () => {
    const one = calibrated().filter(({ week }) => week === 0)
    const few = Array.from({ length: 19 }, (_, n) => judged(`Truck ${n}`, 100, { week: 1 }))
    expect(accuracyOf([...one, ...few]).by_week.error_factor).toBeNull()
    expect(accuracyOf([])).toMatchObject({
      sales: 0,
      error_factor: null,
      likely_hold_percent: null,
    })
  })
})

describe('what was sold again', () => {
  const sold = (...sales: JudgedSale[]) => accuracyOf(sales).money.sales

  it('has the same words, on another day or in another place', () => {
    expect(sold(judged('2014 Ford F-150', 1), judged('2014 FORD F 150!', 2, {}, '73301'))).toBe(2)
    expect(sold(judged('2014 Ford F-150', 1), judged('2014 Ford F-250', 2, {}, '73301'))).toBe(0)
    expect(sold(judged('Desk', 1), judged('Desk', 2))).toBe(0)
  })

  it('was not known to the estimate, and is of no lot that words alone describe', () => {
    const [older, newer] = [judged('Desk', 1, { week: 1 }), judged('Desk', 2)]
    expect(sold(older, newer)).toBe(1)
    expect(sold({ ...older, grade: 'words' }, newer)).toBe(0)
  })

  it('shows by fifth of the score how many were sold again for more', () => {
    const cheap = Array.from({ length: 4 }, (_, n) => [
      judged(`Desk ${n}`, 10_000, { week: 1 }),
      judged(`Desk ${n}`, n === 0 ? 9_000 : 50_000),
    ])
    const fifths = accuracyOf(cheap.flat()).score_fifths
    expect(fifths.map(({ from_score, sales }) => [from_score, sales])).toEqual([
      [0, 0],
      [20, 0],
      [40, 0],
      [60, 0],
      [80, 4],
    ])
    expect(fifths[4]).toMatchObject({ above_percent: 75 })
    expect(fifths[4]!.mean_score).toBeGreaterThan(80)
  })

  it('was bought at up to the maximum bid: what the estimates promised, and what it was', () => {
    const value = { value_cents: 100_000, band: band(100_000), grade: 'comparables' as const }
    const [resale, most] = [resaleValueCents(value), maxBidCents(resaleValueCents(value), 0)]
    const { money } = accuracyOf([
      judged('Desk', 40_000, { week: 1 }),
      judged('Desk', 80_000),
      judged('Chair', most, { week: 1 }),
      judged('Chair', most),
      judged('Table', most + 100, { week: 1 }),
      judged('Table', 10_000_000),
    ])
    expect(money).toEqual({
      sales: 3,
      bought: 2,
      paid_cents: 40_000 + most,
      promised_margin_cents: 2 * Math.round(0.88 * resale) - 40_000 - most,
      actual_margin_cents: 70_400 - 40_000 + Math.round(0.88 * most) - most,
      lost: 1,
    })
  })
})
