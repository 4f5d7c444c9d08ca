import type { Schemas } from '../../contract/types.ts'
import type { ValueBand } from './appraise.ts'

/** The version of the formula. Increase it with any change that can change a score. */
export const SCORE_VERSION = '2'

/** What a score is made of. Amounts in US cents. */
export interface ScoreInput {
  /** From the appraisal; null without one. */
  value_cents: number | null
  /** From the appraisal; it is shown in the factors and does not affect the score. Null without one. */
  band: ValueBand | null
  /** From the appraisal, 0 to 1. */
  confidence: number
  comparables_count: number
  /** Null without a price. */
  all_in_cost_cents: number | null
  num_bids: number
  condition_grade: string | null
  /** Hours until the end, 0 or less after it; null when no end is known. */
  hours_left: number | null
  /** Share of the category's closed lots that sold, 0 to 1; null when unknown. */
  sell_through: number | null
}

export type FlipScore = NonNullable<ReturnType<typeof flipScore>>

const NEUTRAL = 50
const MOST_BIDDER_POINTS = 6
const MOST_SELL_THROUGH_POINTS = 3
/** 1,806 of 2,755 closed federal lots had a bid (May 2026). */
const USUAL_SELL_THROUGH = 0.65
/** At this distance from the usual share a category earns or loses all its points. */
const SELL_THROUGH_SPAN = 0.25
const MOST_TIME_POINTS = 10
/** In the last 6 hours the bid counts fully; a week before the end it counts least. */
const FINAL_HOURS = 6
const EARLY_HOURS = 168
const POOR_GRADES = ['salvage', 'scrap']
const POOR_GRADE_CAP = 40

/**
 * The deal score of a lot, or null without an estimate or without a price.
 *
 * Price, bids and sell-through move it from 50, scaled by the confidence of the estimate; time left pulls it back; a poor
 * condition caps it. With everything else equal, a higher cost never raises it, a higher value never lowers it, and less
 * confidence never moves it away from 50. The same input gives the same score.
 */
export function flipScore(input: ScoreInput) {
  const { value_cents, band, all_in_cost_cents, comparables_count } = input
  if (value_cents === null || band === null || all_in_cost_cents === null) return null
  if (value_cents <= 0 || all_in_cost_cents <= 0) return null
  const confidence = between(input.confidence, 0, 1)
  const priceScore = priceScoreOf(all_in_cost_cents, value_cents)
  const [price_points, sell_through_points, bidder_points] = wholePoints(confidence, [
    priceScore - NEUTRAL,
    sellThroughPoints(input.sell_through),
    bidderPoints(input.num_bids),
  ])
  const earned = price_points + sell_through_points + bidder_points
  const time_points = timePoints(earned, input.hours_left)
  const condition_points = conditionPoints(NEUTRAL + earned + time_points, input.condition_grade)
  return {
    /** 0 (expensive) to 100 (cheap), a whole number. */
    flip_score: between(NEUTRAL + earned + time_points + condition_points, 0, 100),
    /** Whole numbers: 50 plus the five `*_points`, limited to 0 to 100, is the score. */
    factors: {
      price_points,
      time_points,
      bidder_points,
      condition_points,
      sell_through_points,
      price_score: Math.round(priceScore * 10) / 10,
      confidence: Math.round(confidence * 100) / 100,
      comparables_count,
      estimated_value_cents: value_cents,
      all_in_cost_cents,
      ...band,
    } satisfies Schemas['FlipFactors'],
  }
}

/** 100 / (1 + (cost / value)²): 50 when they are equal, 80 at half the value, 20 at twice. GovAuctions publishes this form. */
export function priceScoreOf(costCents: number, valueCents: number): number {
  const ratio = costCents / valueCents
  return 100 / (1 + ratio * ratio)
}

/**
 * Rounds confidence × each part so that the numbers add up: each running total is the rounded exact running total, so the sum
 * is off by at most half a point.
 */
function wholePoints(confidence: number, parts: [number, number, number]): [number, number, number] {
  let exact = 0
  let whole = 0
  return parts.map(part => {
    exact += part
    const points = Math.round(confidence * exact) - whole || 0
    whole += points
    return points
  }) as [number, number, number]
}

function sellThroughPoints(sellThrough: number | null): number {
  if (sellThrough === null) return 0
  return MOST_SELL_THROUGH_POINTS * between((sellThrough - USUAL_SELL_THROUGH) / SELL_THROUGH_SPAN, -1, 1)
}

/** Bidders raise the price before the end: −1.5 for the first bid and for every doubling, −6 from 15 bids on. */
function bidderPoints(bids: number): number {
  return -Math.min(MOST_BIDDER_POINTS, 1.5 * Math.log2(1 + Math.max(0, bids)))
}

/** Towards 50, by at most 10 points a week before the end or with no end known, by none in the last six hours. */
function timePoints(earned: number, hoursLeft: number | null): number {
  const pull = Math.min(Math.abs(earned), mostPull(hoursLeft))
  return earned > 0 ? 0 - pull : pull
}

function mostPull(hoursLeft: number | null): number {
  const early =
    hoursLeft === null ? 1 : between((hoursLeft - FINAL_HOURS) / (EARLY_HOURS - FINAL_HOURS), 0, 1)
  return Math.round(MOST_TIME_POINTS * early)
}

/**
 * How many hours before the end the time points change next, if only time passes. 0 when they stay the same until the end, null
 * when no end is known.
 */
export function hoursLeftAtNextScore(hoursLeft: number | null): number | null {
  if (hoursLeft === null) return null
  const pull = mostPull(hoursLeft)
  if (pull === 0) return 0
  return FINAL_HOURS + ((pull - 0.5) / MOST_TIME_POINTS) * (EARLY_HOURS - FINAL_HOURS)
}

function conditionPoints(score: number, grade: string | null): number {
  return POOR_GRADES.includes(grade?.trim().toLowerCase() ?? '') ? Math.min(0, POOR_GRADE_CAP - score) : 0
}

function between(number: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, number))
}
