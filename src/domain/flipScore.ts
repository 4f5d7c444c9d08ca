/** Names the formula: a change of any number below gives it another. */
export const SCORE_VERSION = '1'

export interface ScoreInput {
  estimated_value_cents: number
  /** 0 to 1. */
  confidence: number
  comparables_count: number
  all_in_cost_cents: number
  num_bids: number
  condition_grade: string | null
  /** Null when the end is not known. */
  hours_left: number | null
  /** The share of closed lots of the category that sold, 0 to 1; null when too few closed to say. */
  sell_through: number | null
}

/** The numbers behind a score: 50 and the five `_points`, all integers, add up to it before it is held in 0 to 100. */
export interface ScoreFactors {
  price_points: number
  time_points: number
  bidder_points: number
  condition_points: number
  sell_through_points: number
  price_score: number
  confidence: number
  comparables_count: number
  estimated_value_cents: number
  all_in_cost_cents: number
}

const MIDDLE = 50
const SETTLED_HOURS = 6
const FAR_HOURS = 72
const LARGEST_PULL = 10
const PULL_SHARE = 0.4
const BIDS_PER_POINT = 4
const MOST_BIDDER_POINTS = 6
const WRECK_CAP = 40
const USUAL_SELL_THROUGH = 0.65
const SELL_THROUGH_SCALE = 12
const MOST_SELL_THROUGH_POINTS = 3

/**
 * The deal score of a lot, 0 (dear) to 100 (cheap). A higher price never raises it and a higher value never lowers it:
 * each step below is monotone in the price points, rounding included.
 */
export function flipScore(input: ScoreInput): { flip_score: number; factors: ScoreFactors } {
  const { estimated_value_cents, all_in_cost_cents, confidence, comparables_count } = input
  const priceScore = 100 / (1 + (all_in_cost_cents / estimated_value_cents) ** 2)
  const price_points = Math.round(confidence * (priceScore - MIDDLE)) + 0
  const time_points = timePoints(price_points, input.hours_left)
  const bidder_points = 0 - Math.min(MOST_BIDDER_POINTS, Math.floor(input.num_bids / BIDS_PER_POINT))
  const sell_through_points = sellThroughPoints(input.sell_through)
  const sum = MIDDLE + price_points + time_points + bidder_points + sell_through_points
  const condition_points = isWreck(input.condition_grade) ? Math.min(0, WRECK_CAP - sum) : 0
  return {
    flip_score: Math.min(100, Math.max(0, sum + condition_points)),
    factors: {
      price_points,
      time_points,
      bidder_points,
      condition_points,
      sell_through_points,
      price_score: Math.round(priceScore * 10) / 10,
      confidence: Math.round(confidence * 100) / 100,
      comparables_count,
      estimated_value_cents,
      all_in_cost_cents,
    },
  }
}

/** The farther the end, the more bids may come: the price points are pulled towards 0, by at most 10 and at most 40 %. */
function timePoints(pricePoints: number, hoursLeft: number | null): number {
  const far = hoursLeft === null ? 1 : clamp((hoursLeft - SETTLED_HOURS) / (FAR_HOURS - SETTLED_HOURS), 0, 1)
  const pull = Math.min(LARGEST_PULL, Math.round(Math.abs(pricePoints) * PULL_SHARE * far))
  return pricePoints > 0 ? 0 - pull : pull
}

function sellThroughPoints(sellThrough: number | null): number {
  if (sellThrough === null) return 0
  const points = Math.round((sellThrough - USUAL_SELL_THROUGH) * SELL_THROUGH_SCALE)
  return clamp(points, -MOST_SELL_THROUGH_POINTS, MOST_SELL_THROUGH_POINTS) + 0
}

function isWreck(conditionGrade: string | null): boolean {
  return conditionGrade === 'salvage' || conditionGrade === 'scrap'
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
