import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/domain/durations.ts'
import type { Sale, UnsoldLot } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { judgeWeeks, weeklySample } from '../../../src/domain/valuation/judgedWeeks.ts'

const NEWEST = Date.UTC(2026, 10, 20)

/** So many sales a day of vans at $1,000 to $1,900 and laptops at $100 to $190, newest first. */
function sales(days: number, aDay = 10): Sale[] {
  return Array.from({ length: days * aDay }, (_, n) => ({
    id: `s${String(n).padStart(5, '0')}`,
    title: n % 2 ? 'Cargo van' : 'Dell laptop',
    category: 'other',
    final_bid_cents: (n % 2 ? 100_000 : 10_000) * (1 + (n % 10) / 10),
    sold_at_ms: NEWEST - Math.floor(n / aDay) * DAY_MS,
  }))
}

it('judges the newest eight weeks that have 50 sales and 50 sales before them, each sale once', () => {
  const { judged, unvalued } = judgeWeeks(sales(80), [])
  expect(unvalued).toBe(0)
  expect(new Set(judged.map(({ week }) => week))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]))
  expect(new Set(judged.map(({ sale }) => sale.id)).size).toBe(judged.length)
  expect(judged).toHaveLength(8 * 7 * 10)
  expect(judgeWeeks(sales(13), []).judged.every(({ week }) => week === 0)).toBe(true)
  expect(judgeWeeks(sales(80, 7), []).judged).toEqual([])
  expect(judgeWeeks([], []).judged).toEqual([])
})

it('learns values and bands from the sales before the week alone, the same every time', () => {
  const all = sales(30)
  const changed = all.map(sale =>
    sale.sold_at_ms > NEWEST - 7 * DAY_MS
      ? { ...sale, final_bid_cents: sale.final_bid_cents * 1_000 }
      : sale,
  )
  const [first, again, other] = [all, all, changed].map(some =>
    judgeWeeks(some, []).judged.map(({ sale, price_cents, ...estimate }) => estimate),
  )
  expect(again).toEqual(first)
  expect(other).toEqual(first)
})

it('learns from lots without a bid that ended before the week, and from none that ended later', () => {
  const values = (endedAt: number) => {
    const lot: Omit<UnsoldLot, 'ended_at_ms'> = { title: 'Cargo van', category: 'other' }
    const unsold = Array.from({ length: 30 }, (_, n) => ({ ...lot, ended_at_ms: endedAt - n }))
    return judgeWeeks(sales(13), unsold).judged.map(({ value_cents }) => value_cents)
  }
  expect(values(NEWEST)).toEqual(values(NEWEST - DAY_MS))
  expect(values(NEWEST - 8 * DAY_MS)).not.toEqual(values(NEWEST))
})

it('samples at most 1,000 sales of a week, and 10,000 in all', () => {
  const sample = weeklySample()
  for (const sale of sales(7 * 25, 200)) sample.add(sale)
  expect(sample.sales).toHaveLength(10_000)
  expect(sample.sales.at(-1)!.sold_at_ms).toBe(NEWEST - 67 * DAY_MS)
})
