import type { Schemas } from '../../contract/types.ts'
import type { ScorePriceKind } from '../price.ts'
import type { ValueBand } from '../valuation/calibratedValue.ts'
import { type ChanceCurve, chanceAt } from '../valuation/chance.ts'
import type { Grade } from '../valuation/grade.ts'
import { POOR_GRADE } from '../valuation/lotFacts.ts'
import { priceDistribution } from '../valuation/priceDistribution.ts'

/**
 * The version of the formula. Increase it with any change that can change a
 * score.
 */
export const SCORE_VERSION = '6'

/** What a score is made of. Amounts in US cents. */
export interface ScoreInput {
  /** From the appraisal. */
  value_cents: number
  band: ValueBand
  /**
   * From the appraisal, 0 to 1; it and the count are shown in the factors and
   * do not affect the score.
   */
  confidence: number
  comparables_count: number
  /** Null without a price. */
  all_in_cost_cents: number | null
  /** Null without a price. */
  price_kind: ScorePriceKind | null
  num_bids: number
  condition_grade: string | null
  /** Hours until the end, 0 or less after it; null when no end is known. */
  hours_left: number | null
  /**
   * Share of the category's closed lots that sold, 0 to 1; null when unknown.
   */
  sell_through: number | null
  /**
   * The chance that nobody will bid, 0 to 1; null with a bid, and where it is
   * not known.
   */
  no_bid_chance: number | null
  /** Learned from outcomes. */
  chance: ChanceCurve
  grade: Grade
}

const NEUTRAL = 50
const MOST_BIDDER_POINTS = 6
const MOST_SELL_THROUGH_POINTS = 3
/** 1,806 of 2,755 closed federal lots had a bid (May 2026). */
const USUAL_SELL_THROUGH = 0.65
/**
 * At this distance from the usual share a category earns or loses all its
 * points.
 */
const SELL_THROUGH_SPAN = 0.25
const MOST_TIME_POINTS = 10
/**
 * In the last 6 hours the bid counts fully; a week before the end it counts
 * least.
 */
const FINAL_HOURS = 6
const EARLY_HOURS = 168
const POOR_GRADE_CAP = 40
/**
 * So much of the way to 50: a third of the values of this grade lie more than
 * ×2 from the median of the sales named.
 */
const FEW_SHARE = 0.3

/**
 * The deal score of a lot, or null without a price: the chance, in percent,
 * that such a lot is worth more than this one costs now, and a few bounded
 * points.
 *
 * Bids and sell-through move it, time left pulls it towards 50, a poor
 * condition caps it. With everything else equal, a higher cost never raises it
 * and a higher value never lowers it. An uncertain value leaves the chance near
 * 50. The same input gives the same score.
 */
export function flipScore(input: ScoreInput) {
  const {
    value_cents,
    band,
    all_in_cost_cents,
    price_kind,
    comparables_count,
    chance,
  } = input
  if (
    all_in_cost_cents === null ||
    price_kind === null ||
    all_in_cost_cents <= 0
  )
    return null
  const step = priceDistribution(value_cents, band).stepAt(all_in_cost_cents)
  const price_score = Math.round(1000 * chanceAt(step, chance)) / 10
  const price_points = pricePoints(price_score, price_kind)
  const sell_through_points = sellThroughPoints(input.sell_through)
  const bidder_points = bidderPoints(input.num_bids)
  const earned = price_points + sell_through_points + bidder_points
  const time_points = timePoints(earned, input.hours_left)
  const evidence_points = evidencePoints(
    earned + time_points,
    input.grade,
    price_kind,
  )
  // Down towards 50: what nobody wants is no bargain.
  const no_bid_points =
    0 -
    Math.round(Math.max(0, earned + time_points) * (input.no_bid_chance ?? 0))
  const known = NEUTRAL + earned + time_points + evidence_points + no_bid_points
  const condition_points = conditionPoints(known, input.condition_grade)
  return {
    /** 0 (expensive) to 100 (cheap), a whole number. */
    flip_score: between(known + condition_points, 0, 100),
    price_kind,
    /**
     * Whole numbers: 50 plus the `*_points`, limited to 0 to 100, is the score.
     */
    factors: {
      price_points,
      time_points,
      bidder_points,
      evidence_points,
      no_bid_points,
      condition_points,
      sell_through_points,
      price_score,
      chance_offset: chance.offset,
      chance_slope: chance.slope,
      confidence: Math.round(between(input.confidence, 0, 1) * 100) / 100,
      comparables_count,
      estimated_value_cents: value_cents,
      all_in_cost_cents,
      ...band,
    } satisfies Schemas['FlipFactors'],
  }
}

/**
 * The chance less 50. No bidder has agreed to a starting bid, so it counts
 * half.
 */
function pricePoints(priceScore: number, kind: ScorePriceKind) {
  return (
    Math.round((priceScore - NEUTRAL) / (kind === 'starting_bid' ? 2 : 1)) || 0
  )
}

function sellThroughPoints(sellThrough: number | null) {
  if (sellThrough === null) return 0
  const unusual = between(
    (sellThrough - USUAL_SELL_THROUGH) / SELL_THROUGH_SPAN,
    -1,
    1,
  )
  return Math.round(MOST_SELL_THROUGH_POINTS * unusual) || 0
}

/**
 * Bidders raise the price before the end: −1.5 for the first bid and for every
 * doubling, −6 from 15 bids on.
 */
function bidderPoints(bids: number) {
  return (
    0 -
    Math.round(
      Math.min(MOST_BIDDER_POINTS, 1.5 * Math.log2(1 + Math.max(0, bids))),
    )
  )
}

/**
 * Towards 50 where few sales say what such a thing brings, once there is a bid.
 */
function evidencePoints(earned: number, grade: Grade, kind: ScorePriceKind) {
  const isRough =
    grade === 'few' && kind !== 'starting_bid' && kind !== 'buy_now'
  return isRough ? Math.round(-FEW_SHARE * earned) || 0 : 0
}

/**
 * Towards 50, by at most 10 points a week before the end or with no end known,
 * by none in the last six hours.
 */
function timePoints(earned: number, hoursLeft: number | null) {
  const pull = Math.min(Math.abs(earned), mostPull(hoursLeft))
  return earned > 0 ? 0 - pull : pull
}

function mostPull(hoursLeft: number | null) {
  const early =
    hoursLeft === null
      ? 1
      : between((hoursLeft - FINAL_HOURS) / (EARLY_HOURS - FINAL_HOURS), 0, 1)
  return Math.round(MOST_TIME_POINTS * early)
}

/**
 * How many hours before the end the time points change next, if only time
 * passes. 0 when they stay the same until the end.
 */
export function hoursLeftAtNextScore(hoursLeft: number) {
  const pull = mostPull(hoursLeft)
  if (pull === 0) return 0
  return (
    FINAL_HOURS +
    ((pull - 0.5) / MOST_TIME_POINTS) * (EARLY_HOURS - FINAL_HOURS)
  )
}

function conditionPoints(score: number, grade: string | null) {
  return POOR_GRADE.test(grade ?? '') ? Math.min(0, POOR_GRADE_CAP - score) : 0
}

function between(number: number, least: number, most: number) {
  return Math.min(most, Math.max(least, number))
}
