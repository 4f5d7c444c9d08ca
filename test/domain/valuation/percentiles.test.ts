import { describe, expect, it } from 'vitest'
import { percentileCont, percentilesOf } from '../../../src/domain/valuation/percentiles.ts'

describe('percentileCont', () => {
  it('interpolates like the percentile_cont of PostgreSQL', () => {
    expect(percentileCont([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(percentileCont([10, 20, 40], 0.25)).toBe(15)
    expect(percentileCont([10, 20, 40], 0.9)).toBe(36)
  })

  it('is the number itself when there is one', () => expect(percentileCont([7], 0.9)).toBe(7))

  it('refuses an empty list', () => expect(() => percentileCont([], 0.5)).toThrow(RangeError))
})

describe('percentilesOf', () => {
  it('sorts by amount, not by spelling, and rounds to a cent', () => {
    expect(percentilesOf([900, 10_000, 1_001])).toEqual({
      p10_cents: 920,
      p25_cents: 951,
      p50_cents: 1_001,
      p75_cents: 5_501,
      p90_cents: 8_200,
    })
  })

  it('is null without a price', () => expect(percentilesOf([])).toBeNull())
})
