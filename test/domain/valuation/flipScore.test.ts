import { describe, expect, it } from 'vitest'
import {
  type FlipScore,
  flipScore,
  hoursLeftAtNextScore,
  priceScoreOf,
  type ScoreInput,
} from '../../../src/domain/valuation/flipScore.ts'

const BAND = { likely_low_cents: 60_000, likely_high_cents: 160_000 }
const lot: ScoreInput = {
  value_cents: 100_000,
  band: BAND,
  confidence: 1,
  comparables_count: 25,
  all_in_cost_cents: 50_000,
  num_bids: 0,
  condition_grade: 'usable',
  hours_left: 2,
  sell_through: null,
}

function scoreOf(change: Partial<ScoreInput> = {}): FlipScore {
  const score = flipScore({ ...lot, ...change })
  if (!score) throw new Error('There should be a score.')
  return score
}

/** Park and Miller's generator: the same numbers on every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function anyInput(random: () => number): ScoreInput {
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!
  return {
    value_cents: Math.ceil(10 ** (random() * 8)),
    band: BAND,
    confidence: one([0, 1, random(), random(), random()]),
    comparables_count: Math.floor(random() * 26),
    all_in_cost_cents: Math.ceil(10 ** (random() * 8)),
    num_bids: one([0, 1, 3, 15, Math.floor(random() * 100)]),
    condition_grade: one([null, 'new', 'usable', 'repairable', 'salvage', 'scrap']),
    hours_left: one([null, -1, 6, random() * 300]),
    sell_through: one([null, 0, 1, random()]),
  }
}

const RUNS = 20_000

describe('a higher price', () => {
  it('never raises the score: every bid of a lot worth $100', () => {
    for (const confidence of [0.03, 0.31, 0.77, 1]) {
      let last = 100
      for (let all_in_cost_cents = 1; all_in_cost_cents <= 40_000; all_in_cost_cents++) {
        const { flip_score } = scoreOf({ value_cents: 10_000, confidence, all_in_cost_cents, num_bids: 5 })
        if (flip_score > last) expect.fail(`${flip_score} after ${last} at ${all_in_cost_cents} cents`)
        last = flip_score
      }
      expect(last).toBeLessThan(50)
    }
  })

  it('never raises the score of any lot', () => {
    const random = seeded(1)
    for (let run = 0; run < RUNS; run++) {
      const input = anyInput(random)
      const costlier = {
        ...input,
        all_in_cost_cents: Math.ceil(input.all_in_cost_cents! * (1 + random() * 3)),
      }
      expect(flipScore(costlier)!.flip_score).toBeLessThanOrEqual(flipScore(input)!.flip_score)
    }
  })
})

it('a higher value never lowers the score of any lot', () => {
  const random = seeded(2)
  for (let run = 0; run < RUNS; run++) {
    const input = anyInput(random)
    const better = { ...input, value_cents: Math.ceil(input.value_cents! * (1 + random() * 3)) }
    expect(flipScore(better)!.flip_score).toBeGreaterThanOrEqual(flipScore(input)!.flip_score)
  }
})

it('less confidence moves the score of any lot towards 50 and never away', () => {
  const random = seeded(3)
  for (let run = 0; run < RUNS; run++) {
    const input = { ...anyInput(random), condition_grade: null }
    const doubted = { ...input, confidence: input.confidence * random() }
    const far = Math.abs(flipScore(input)!.flip_score - 50)
    expect(Math.abs(flipScore(doubted)!.flip_score - 50)).toBeLessThanOrEqual(far)
  }
})

it('no confidence at all is 50', () =>
  expect(scoreOf({ confidence: 0, num_bids: 9, sell_through: 1 }).flip_score).toBe(50))

it('the points of any lot add up to its score, within their bounds', () => {
  const random = seeded(4)
  for (let run = 0; run < RUNS; run++) {
    const { flip_score, factors } = flipScore(anyInput(random))!
    const { price_points, time_points, bidder_points, condition_points, sell_through_points } = factors
    const sum = 50 + price_points + time_points + bidder_points + condition_points + sell_through_points
    expect(flip_score).toBe(Math.min(100, Math.max(0, sum)))
    expect(Math.abs(price_points)).toBeLessThanOrEqual(50)
    expect(Math.abs(time_points)).toBeLessThanOrEqual(10)
    expect(Math.abs(bidder_points + 3)).toBeLessThanOrEqual(3)
    expect(Math.abs(sell_through_points)).toBeLessThanOrEqual(3)
    expect(condition_points).toBeLessThanOrEqual(0)
    expect(
      Object.values(factors)
        .slice(0, 5)
        .every(points => Number.isInteger(points) && !Object.is(points, -0)),
    ).toBe(true)
  }
})

it('the same input gives the same score', () => {
  const random = seeded(5)
  for (let run = 0; run < 1_000; run++) {
    const input = anyInput(random)
    expect(flipScore(structuredClone(input))).toEqual(flipScore(input))
  }
})

describe('the price score', () => {
  it('is 80 at half the value, 50 at the value, 20 at twice the value', () => {
    expect([priceScoreOf(50, 100), priceScoreOf(100, 100), priceScoreOf(200, 100)]).toEqual([80, 50, 20])
    expect(scoreOf().flip_score).toBe(80)
  })
})

describe('time left', () => {
  it('takes nothing in the last six hours, nor after the end', () => {
    expect([6, 1, 0, -5].map(hours_left => scoreOf({ hours_left }).factors.time_points)).toEqual([0, 0, 0, 0])
  })

  it('pulls towards 50 from both sides, by 10 points from a week on', () => {
    expect(scoreOf({ hours_left: 87 }).factors.time_points).toBe(-5)
    expect(scoreOf({ hours_left: 168 }).factors.time_points).toBe(-10)
    expect(scoreOf({ hours_left: 5_000 }).flip_score).toBe(70)
    expect(scoreOf({ hours_left: 168, all_in_cost_cents: 200_000 }).factors.time_points).toBe(10)
  })

  it('counts an unknown end as far away', () =>
    expect(scoreOf({ hours_left: null }).factors.time_points).toBe(-10))

  it('never pulls past 50', () => {
    expect(scoreOf({ hours_left: null, all_in_cost_cents: 95_000 })).toMatchObject({ flip_score: 50 })
  })
})

it('bids take up to 6 points', () => {
  const points = [0, 1, 3, 7, 15, 400].map(num_bids => scoreOf({ num_bids }).factors.bidder_points)
  expect(points).toEqual([0, -1, -3, -4, -6, -6])
})

it('a category that sells well adds up to 3 points, one that does not takes up to 3', () => {
  const points = [1, 0.9, 0.65, 0.4, 0, null].map(
    share => scoreOf({ sell_through: share }).factors.sell_through_points,
  )
  expect(points).toEqual([3, 3, 0, -3, -3, 0])
})

describe('condition', () => {
  it.each(['salvage', 'scrap', 'Scrap'])('%s caps the score at 40', condition_grade => {
    expect(scoreOf({ condition_grade })).toMatchObject({ flip_score: 40, factors: { condition_points: -40 } })
    expect(scoreOf({ condition_grade, all_in_cost_cents: 200_000 })).toMatchObject({
      flip_score: 20,
      factors: { condition_points: 0 },
    })
  })

  it.each(['new', 'usable', 'repairable', 'unheard of', null])('%s changes nothing', condition_grade => {
    expect(scoreOf({ condition_grade }).flip_score).toBe(80)
  })
})

it('rounds what it tells beside the points', () => {
  const { factors } = scoreOf({ all_in_cost_cents: 33_333, confidence: 0.456_78 })
  expect(factors).toMatchObject({
    price_score: 90,
    confidence: 0.46,
    comparables_count: 25,
    estimated_value_cents: 100_000,
    all_in_cost_cents: 33_333,
  })
})

it('there is no score without an estimate or without a price', () => {
  expect(flipScore({ ...lot, value_cents: null })).toBeNull()
  expect(flipScore({ ...lot, all_in_cost_cents: null })).toBeNull()
  expect(flipScore({ ...lot, all_in_cost_cents: 0 })).toBeNull()
})

describe('a score that nothing but time changes', () => {
  const MILLISECOND = 1 / 3_600_000

  it('holds until the hours left that it names, and no time points stand still for longer than they could change', () => {
    const random = seeded(11)
    for (let n = 0; n < 2000; n++) {
      const input = { ...anyInput(random), hours_left: random() * 200 }
      const next = hoursLeftAtNextScore(input.hours_left)!
      expect(next).toBeLessThan(input.hours_left)
      for (const hours_left of [next + MILLISECOND, next + (input.hours_left - next) * random()])
        expect(flipScore({ ...input, hours_left })).toEqual(flipScore(input))
    }
  })

  it('is another from there on where it is free to move', () => {
    for (const hours of [170, 150, 100, 50, 20, 15]) {
      const next = hoursLeftAtNextScore(hours)!
      const before = scoreOf({ hours_left: hours }).factors.time_points
      expect(scoreOf({ hours_left: next - MILLISECOND }).factors.time_points).toBe(before + 1)
    }
  })

  it('stays to the end when the last point of time is gone, and for ever without an end', () => {
    expect(hoursLeftAtNextScore(14)).toBe(0)
    expect(hoursLeftAtNextScore(null)).toBeNull()
  })
})
