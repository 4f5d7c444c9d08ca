import assert from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import {
  flipScore,
  hoursLeftAtNextScore,
  type ScoreInput,
} from '../../../src/domain/appraisal/flipScore.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import { seeded } from './seeded.ts'

/**
 * The bands around a value whose prices miss it by these factors, or less, in half and in 80% of
 * the cases.
 */
function bandOf(value_cents: number, half = 2, eighty = 4): ScoreInput['band'] {
  return {
    likely_low_cents: Math.max(1, Math.round(value_cents / half)),
    likely_high_cents: Math.round(value_cents * half),
    range_low_cents: Math.max(1, Math.round(value_cents / eighty)),
    range_high_cents: Math.round(value_cents * eighty),
  }
}

const lot: ScoreInput = {
  value_cents: 100_000,
  band: bandOf(100_000),
  confidence: 1,
  comparables_count: 25,
  all_in_cost_cents: 50_000,
  price_kind: 'current_bid',
  num_bids: 0,
  condition_grade: 'usable',
  hours_left: 2,
  sell_through: null,
  no_bid_chance: null,
  chance: UNLEARNED,
  grade: 'comparables',
}

function scoreOf(change: Partial<ScoreInput> = {}) {
  const score = flipScore({ ...lot, ...change })
  if (!score) throw new Error('There should be a score.')
  return score
}

function anyInput(random: () => number): ScoreInput {
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!
  const value_cents = Math.ceil(10 ** (random() * 8))
  const half = 1 + random() * 4
  const input: ScoreInput = {
    value_cents,
    band: bandOf(value_cents, half, half * (1 + random() * 4)),
    confidence: one([0, 1, random(), random(), random()]),
    comparables_count: Math.floor(random() * 26),
    all_in_cost_cents: Math.ceil(10 ** (random() * 8)),
    price_kind: one(['current_bid', 'starting_bid', 'buy_now']),
    num_bids: one([0, 1, 3, 15, Math.floor(random() * 100)]),
    condition_grade: one([null, 'new', 'usable', 'repairable', 'salvage', 'scrap']),
    hours_left: one([null, -1, 6, random() * 300]),
    sell_through: one([null, 0, 1, random()]),
    no_bid_chance: null,
    chance: value_cents % 2 ? UNLEARNED : { offset: 0, slope: 0.5 },
    grade: value_cents % 3 === 0 ? 'few' : 'comparables',
  }
  const isUnbid = input.num_bids === 0 && input.price_kind !== 'current_bid'
  return isUnbid && value_cents % 4 > 0
    ? { ...input, no_bid_chance: (value_cents % 98) / 100 }
    : input
}

/**
 * The same 20,000 lots of a seed on every run. They are checked by `assert`, which costs a hundredth
 * of `expect`.
 */
function forAnyLot(seed: number, check: (input: ScoreInput, random: () => number) => void): void {
  const random = seeded(seed)
  for (let run = 0; run < 20_000; run++) check(anyInput(random), random)
}

const told = (...inputs: ScoreInput[]) => JSON.stringify(inputs)

it('a higher price never raises the score of any lot, and a higher value never lowers it', () => {
  forAnyLot(1, (input, random) => {
    const costlier = {
      ...input,
      all_in_cost_cents: Math.ceil(input.all_in_cost_cents! * (1 + random() * 3)),
    }
    assert(flipScore(costlier)!.flip_score <= flipScore(input)!.flip_score, told(input, costlier))
  })
  forAnyLot(2, (input, random) => {
    const times = 1 + random() * 3
    const grown = (cents: number) => Math.round(cents * times)
    const ends = Object.entries(input.band!).map(([end, cents]) => [end, grown(cents)])
    const better = {
      ...input,
      value_cents: grown(input.value_cents!),
      band: Object.fromEntries(ends),
    }
    assert(flipScore(better)!.flip_score >= flipScore(input)!.flip_score, told(input, better))
  })
})

it('a wider band moves the price points of any lot towards 0', () => {
  forAnyLot(3, (any, random) => {
    const value_cents = Math.ceil(1_000 + 10 ** (random() * 8))
    const half = 1.1 + random() * 4
    const eighty = half * (1.1 + random() * 4)
    const input = { ...any, value_cents, band: bandOf(value_cents, half, eighty) }
    const wider = { ...input, band: bandOf(value_cents, half ** 1.5, eighty ** 1.5) }
    const points = (some: ScoreInput) => Math.abs(flipScore(some)!.factors.price_points)
    assert(points(wider) <= points(input), told(input, wider))
  })
})

it('the points of any lot add up to its score, within their bounds, and are the same for the same input', () => {
  forAnyLot(4, input => {
    const { flip_score, factors } = flipScore(input)!
    assert.deepEqual(flipScore({ ...input }), flipScore(input))
    const points = Object.entries(factors).flatMap(([name, value]) =>
      name.endsWith('_points') ? value : [],
    )
    const sum = 50 + points.reduce((total, value) => total + value, 0)
    const { price_points, time_points, bidder_points, condition_points, sell_through_points } =
      factors
    const rules = {
      'seven factors': points.length === 7,
      'the sum': flip_score === Math.min(100, Math.max(0, sum)),
      'price, at most 50': Math.abs(price_points) <= 50,
      'time, at most 10': Math.abs(time_points) <= 10,
      'bidders, -6 to 0': Math.abs(bidder_points + 3) <= 3,
      'sell-through, at most 3': Math.abs(sell_through_points) <= 3,
      'condition, never above 0': condition_points <= 0,
      'whole points': points.every(some => Number.isInteger(some) && !Object.is(some, -0)),
    }
    for (const [rule, holds] of Object.entries(rules)) assert(holds, `${rule}: ${told(input)}`)
  })
})

describe('the price score', () => {
  const scores = (costs: number[], change: Partial<ScoreInput> = {}) =>
    costs.map(all_in_cost_cents => scoreOf({ all_in_cost_cents, ...change }).factors.price_score)

  it('is the share of the prices above the cost, as the bands have it', () => {
    expect(scores([25_000, 50_000, 100_000, 200_000, 400_000])).toEqual([90, 75, 50, 25, 10])
    expect(scoreOf().flip_score).toBe(75)
  })

  it('uses the whole scale', () => {
    expect(scores([100, 1_000_000_000])).toEqual([100, 0])
    expect(scoreOf({ all_in_cost_cents: 100 }).flip_score).toBe(100)
    expect(scoreOf({ all_in_cost_cents: 1_000_000_000 }).flip_score).toBe(0)
  })

  it('counts half for a starting bid, fully for a bid and for a buy-now price', () => {
    const points = (['current_bid', 'buy_now', 'starting_bid'] as const).map(
      price_kind => scoreOf({ price_kind, all_in_cost_cents: 25_000 }).factors.price_points,
    )
    expect(points).toEqual([40, 40, 20])
    const { price_kind, factors } = scoreOf({ price_kind: 'starting_bid' })
    expect([price_kind, factors.price_score]).toEqual(['starting_bid', 75])
  })
})

describe('time left', () => {
  it('takes nothing in the last six hours, nor after the end', () => {
    expect([6, 1, 0, -5].map(hours_left => scoreOf({ hours_left }).factors.time_points)).toEqual([
      0, 0, 0, 0,
    ])
  })

  it('pulls towards 50 from both sides, by 10 points from a week on', () => {
    expect(scoreOf({ hours_left: 87 }).factors.time_points).toBe(-5)
    expect(scoreOf({ hours_left: 168 }).factors.time_points).toBe(-10)
    expect(scoreOf({ hours_left: 5_000 }).flip_score).toBe(65)
    expect(scoreOf({ hours_left: 168, all_in_cost_cents: 200_000 }).factors.time_points).toBe(10)
  })

  it('counts an unknown end as far away', () =>
    expect(scoreOf({ hours_left: null }).factors.time_points).toBe(-10))

  it('never pulls past 50', () => {
    expect(scoreOf({ hours_left: null, all_in_cost_cents: 95_000 })).toMatchObject({
      flip_score: 50,
    })
  })
})

it('bids take up to 6 points', () => {
  const points = [0, 1, 3, 7, 15, 400].map(num_bids => scoreOf({ num_bids }).factors.bidder_points)
  expect(points).toEqual([0, -2, -3, -5, -6, -6])
})

it('a category that sells well adds up to 3 points, one that does not takes up to 3', () => {
  const points = [1, 0.9, 0.65, 0.4, 0, null].map(
    share => scoreOf({ sell_through: share }).factors.sell_through_points,
  )
  expect(points).toEqual([3, 3, 0, -3, -3, 0])
})

describe('condition', () => {
  it.each(['salvage', 'scrap', 'Scrap'])('%s caps the score at 40', condition_grade => {
    const scores = [50_000, 200_000].map(all_in_cost_cents =>
      scoreOf({ condition_grade, all_in_cost_cents }),
    )
    expect(scores.map(score => [score.flip_score, score.factors.condition_points])).toEqual([
      [40, -35],
      [25, 0],
    ])
  })

  it.each(['new', 'usable', 'repairable', 'unheard of', null])(
    '%s changes nothing',
    condition_grade => {
      expect(scoreOf({ condition_grade }).flip_score).toBe(75)
    },
  )
})

it('rounds what it tells beside the points', () => {
  const { factors } = scoreOf({ all_in_cost_cents: 33_333, confidence: 0.456_78 })
  const cents = { estimated_value_cents: 100_000, all_in_cost_cents: 33_333 }
  expect(factors).toMatchObject({
    price_score: 85.1,
    confidence: 0.46,
    comparables_count: 25,
    ...cents,
  })
})

it('there is no score without a price', () => {
  expect(flipScore({ ...lot, all_in_cost_cents: null })).toBeNull()
  expect(flipScore({ ...lot, all_in_cost_cents: 0 })).toBeNull()
  expect(flipScore({ ...lot, price_kind: null })).toBeNull()
})

describe('a score that nothing but time changes', () => {
  const MILLISECOND = 1 / 3_600_000

  it('holds until the hours left that it names, and no time points stand still for longer than they could change', () => {
    const random = seeded(11)
    for (let n = 0; n < 2000; n++) {
      const input = { ...anyInput(random), hours_left: random() * 200 }
      const next = hoursLeftAtNextScore(input.hours_left)
      expect(next).toBeLessThan(input.hours_left)
      for (const hours_left of [next + MILLISECOND, next + (input.hours_left - next) * random()])
        expect(flipScore({ ...input, hours_left })).toEqual(flipScore(input))
    }
  })

  it('is another from there on where it is free to move', () => {
    for (const hours of [170, 150, 100, 50, 20, 15]) {
      const next = hoursLeftAtNextScore(hours)
      const before = scoreOf({ hours_left: hours }).factors.time_points
      expect(scoreOf({ hours_left: next - MILLISECOND }).factors.time_points).toBe(before + 1)
    }
  })

  it('stays to the end when the last point of time is gone, and for ever without an end', () => {
    expect(hoursLeftAtNextScore(14)).toBe(0)
  })
})

it('few like sales pull the score three tenths of the way to 50, except before the first bid', () => {
  const pulled = (change: Partial<ScoreInput>) =>
    scoreOf({ grade: 'few', ...change }).factors.evidence_points
  expect(scoreOf().factors.evidence_points).toBe(0)
  expect(pulled({ all_in_cost_cents: 25_000 })).toBe(-12)
  expect(pulled({ all_in_cost_cents: 400_000 })).toBe(12)
  expect(pulled({ all_in_cost_cents: 25_000, price_kind: 'starting_bid' })).toBe(0)
})

describe('the chance that nobody bids', () => {
  const unbid = { price_kind: 'starting_bid', all_in_cost_cents: 25_000, hours_left: 2 } as const

  it('takes so much of what a score is above 50, and leaves one below', () => {
    const scores = [null, 0.1, 0.4, 0.97].map(no_bid_chance => scoreOf({ ...unbid, no_bid_chance }))
    expect(scores.map(({ flip_score, factors }) => [flip_score, factors.no_bid_points])).toEqual([
      [70, 0],
      [68, -2],
      [62, -8],
      [51, -19],
    ])
    expect(
      scoreOf({ ...unbid, all_in_cost_cents: 400_000, no_bid_chance: 0.4 }).factors.no_bid_points,
    ).toBe(0)
  })

  it('is the only pull of few like sales before the first bid, whatever is to be paid', () => {
    for (const price_kind of ['starting_bid', 'buy_now'] as const) {
      const { factors } = scoreOf({ ...unbid, price_kind, grade: 'few', no_bid_chance: 0.4 })
      expect(factors.evidence_points).toBe(0)
      expect(factors.no_bid_points).toBe(price_kind === 'buy_now' ? -16 : -8)
    }
  })

  it('never raises the score of any lot, nor takes it past 50, and moves none with a bid', () => {
    forAnyLot(12, (input, random) => {
      const without = flipScore({ ...input, no_bid_chance: null })!
      const known = flipScore(input)!
      const chance = input.no_bid_chance
      if (chance === null) return expect(known).toEqual(without)
      const least =
        input.condition_grade === 'salvage' || input.condition_grade === 'scrap' ? 40 : 50
      expect(known.flip_score).toBeLessThanOrEqual(without.flip_score)
      expect(known.flip_score).toBeGreaterThanOrEqual(Math.min(without.flip_score, least))
      const likelier = { ...input, no_bid_chance: chance + random() * (1 - chance) }
      expect(flipScore(likelier)!.flip_score).toBeLessThanOrEqual(known.flip_score)
    })
  })
})
