import { describe, expect, it } from 'vitest'
import {
  chanceAt,
  fittedCurve,
  twinOutcomes,
  UNLEARNED,
  type ValuedSale,
} from '../../../src/domain/valuation/chance.ts'
import { bandOf } from './bandOf.ts'

describe('the curve of the chance', () => {
  /**
   * Bids at steps from −3 to 3 on as many lots, whose twins brought more as often as this curve
   * says.
   */
  const outcomesOf = (curve: typeof UNLEARNED, lots: number) =>
    Array.from({ length: lots }, (_, n) => {
      const step = (6 * n) / (lots - 1) - 3
      return { step, above: chanceAt(step, curve), weight: 1 }
    })

  it('is what the outcomes follow, and the distribution as it is without any', () => {
    const curve = { offset: 0.2, slope: 0.5 }
    expect(fittedCurve([])).toEqual(UNLEARNED)
    expect(fittedCurve(outcomesOf(UNLEARNED, 50))).toEqual(UNLEARNED)
    const learned = fittedCurve(outcomesOf(curve, 2_000))
    expect(learned.offset).toBeCloseTo(curve.offset, 1)
    expect(learned.slope).toBeCloseTo(curve.slope, 1)
  })

  it('follows few outcomes a part of the way only', () => {
    const { slope } = fittedCurve(outcomesOf({ offset: 0, slope: 0.5 }, 10))
    expect(slope).toBeGreaterThan(0.55)
    expect(slope).toBeLessThan(0.95)
  })

  it('never gives a lower price a lower chance, whatever the outcomes', () => {
    expect(fittedCurve(outcomesOf({ offset: 0, slope: -1 }, 2_000)).slope).toBeGreaterThan(0)
  })
})

it('outcomes compare the bids on a lot with the prices of lots with the same title, elsewhere or on another day', () => {
  const sale = (title: string, zip: string, final_bid_cents: number): ValuedSale => ({
    title,
    zip,
    final_bid_cents,
    sold_at_ms: 0,
    value_cents: 1_000,

    band: bandOf(250, 500, 2_000, 4_000),
    bids_cents: [final_bid_cents, 500],
  })
  const sales = [
    sale('Oak desk', 'a', 1_000),
    sale('OAK  desk', 'b', 2_000),
    sale('oak-desk', 'b', 700),
    sale('Safe', 'c', 1),
  ]
  expect(twinOutcomes(sales)).toEqual([
    { step: 0, above: 0.5, weight: 0.5 },
    { step: -1, above: 1, weight: 0.5 },
    { step: 1, above: 0, weight: 0.5 },
    { step: -1, above: 1, weight: 0.5 },
    { step: expect.closeTo(-0.51, 2), above: 1, weight: 0.5 },
    { step: -1, above: 1, weight: 0.5 },
  ])
})
