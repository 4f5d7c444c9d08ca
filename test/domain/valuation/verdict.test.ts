import { describe, expect, it } from 'vitest'
import { scoreReason, verdictOf } from '../../../src/domain/valuation/verdict.ts'
import { bandOf } from './bandOf.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const inHours = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000).toISOString()
const late = { flip_score: 90, value_grade: 'comparables', num_bids: 0, end_date: inHours(24) }

describe('the verdict of a lot', () => {
  it.each([
    ['Bargain', {}, true],
    ['Bargain', { end_date: inHours(100), num_bids: 3 }, true],
    ['Good deal', {}, false],
    ['Good deal', { value_grade: 'few' }, true],
    ['Good deal', { flip_score: 79 }, true],
    ['Early: few bids', { end_date: inHours(25), num_bids: 2 }, true],
    ['Early: few bids', { end_date: null, flip_score: 60 }, true],
    ['Usual price', { end_date: null, flip_score: 59 }, true],
    ['Expensive', { flip_score: 39 }, false],
    ['Overpriced', { flip_score: 0 }, false],
    ['No verdict', { value_grade: 'words', flip_score: null }, false],
    [undefined, { flip_score: null }, false],
  ])('is %s for %o, closing low: %s', (label, change, closesLow) => {
    expect(verdictOf({ ...late, ...change }, NOW, closesLow)?.label).toBe(label)
  })
})

describe('the sentence under a score', () => {
  const points = { time_points: 0, bidder_points: 0, condition_points: 0 }
  const factors = { ...bandOf(250, 500, 2_000, 4_000), ...points, all_in_cost_cents: 249 }
  const lot = { price_kind: 'current_bid', condition_grade: null }

  it.each([
    [249, 'Far below similar sales.'],
    [499, 'Below similar sales.'],
    [2_000, 'About the price of similar sales.'],
    [4_000, 'Above similar sales.'],
    [4_001, 'Far above similar sales.'],
  ])('says where a cost of %s cents is among similar sales: %s', (all_in_cost_cents, sentence) => {
    expect(scoreReason({ ...factors, all_in_cost_cents }, lot)).toBe(sentence)
  })

  it('names what else moved the score', () => {
    const capped = { ...factors, condition_points: -30 }
    expect(scoreReason(capped, { ...lot, condition_grade: 'salvage' })).toBe(
      'Far below similar sales; salvage, so capped at 40.',
    )
    expect(
      scoreReason({ ...capped, time_points: -8, bidder_points: -4 }, { ...lot, price_kind: 'starting_bid' }),
    ).toBe(
      'Far below similar sales; salvage or scrap, so capped at 40; nobody has bid, so the price counts half; early, so held nearer to 50; many bids, which usually go on.',
    )
  })
})
