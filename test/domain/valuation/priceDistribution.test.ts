import { describe, expect, it } from 'vitest'
import { priceDistribution } from '../../../src/domain/valuation/priceDistribution.ts'
import { bandOf } from './bandOf.ts'

const BAND = bandOf(15_000, 40_000, 180_000, 500_000)

describe('the distribution of the prices', () => {
  const { shareAbove, centsExceededBy } = priceDistribution(100_000, BAND)

  it('has the value in the middle and the bands at their shares', () => {
    expect([15_000, 40_000, 100_000, 180_000, 500_000].map(shareAbove)).toEqual(
      [0.9, 0.75, 0.5, 0.25, 0.1].map(share => expect.closeTo(share, 12)),
    )
  })

  it('falls from 1 to 0 as the amount rises, without a jump', () => {
    let last = 1
    for (let cents = 0.01; cents < 1e12; cents *= 1.01) {
      const share = shareAbove(cents)
      expect(share).toBeLessThanOrEqual(last)
      expect(last - share).toBeLessThan(0.01)
      last = share
    }
    expect(last).toBeLessThan(0.001)
  })

  it('gives for a share the amount that has this share above it', () => {
    for (let share = 0.001; share < 1; share += 0.001)
      expect(shareAbove(centsExceededBy(share))).toBeCloseTo(share, 9)
  })

  it('is defined for a value of a cent with bands of a cent', () => {
    const small = priceDistribution(1, bandOf(1, 1, 1, 1))
    expect(small.shareAbove(1)).toBe(0.5)
    expect(small.shareAbove(2)).toBeLessThan(0.001)
    expect(small.centsExceededBy(0.5)).toBe(1)
  })
})
