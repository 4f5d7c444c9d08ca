import { describe, expect, it } from 'vitest'
import { errorFactor, rankCorrelation } from '../../../src/domain/valuation/measures.ts'

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
