import { describe, expect, it } from 'vitest'
import { scoreReason } from '../../../src/domain/appraisal/verdict.ts'
import { bandOf } from './bandOf.ts'

describe('the sentence under a score', () => {
  const points = { time_points: 0, bidder_points: 0, condition_points: 0 }
  const factors = { ...bandOf(250, 500, 2_000, 4_000), ...points, all_in_cost_cents: 249 }

  it.each([
    [249, 'Now far below similar sales.'],
    [499, 'Now below similar sales.'],
    [2_000, 'Now about the price of similar sales.'],
    [4_000, 'Now above similar sales.'],
    [4_001, 'Now far above similar sales.'],
  ])('says where a cost of %s cents is among similar sales: %s', (all_in_cost_cents, sentence) => {
    expect(scoreReason({ ...factors, all_in_cost_cents }, 'current_bid')).toBe(sentence)
  })

  it('names what else moved the score', () => {
    const capped = { ...factors, condition_points: -30 }
    expect(scoreReason(capped, 'current_bid')).toBe(
      'Now far below similar sales; salvage or scrap, so capped at 40.',
    )
    expect(scoreReason({ ...capped, time_points: -8, bidder_points: -4 }, 'starting_bid')).toBe(
      'Now far below similar sales; salvage or scrap, so capped at 40; nobody has bid, so the price counts half; still early, so the score stays near 50; bidding is active.',
    )
  })
})
