import labels from '../../../data/labels.json' with { type: 'json' }
import type { Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import type { ValueBand } from './calibratedValue.ts'

/** What a score says: in a sentence, and on a badge. */
export interface Verdict {
  words: string
  label: string
}

/** What a verdict depends on: fields of the contract's Listing. */
export interface JudgedLot {
  flip_score: number | null
  value_grade: string | null
  num_bids: number
  /** RFC 3339; null when no end is known. */
  end_date: string | null
}

const { none: NO_VERDICT, early: EARLY, bargain, from_score: BY_SCORE } = labels.verdicts
export const BARGAIN: Verdict = bargain
const LEAST_GOOD = 60
/** The least score of a bargain. */
export const LEAST_BARGAIN = 80
const LAST_HOURS = 24
const ENOUGH_BIDS = 3

/**
 * What the score of a lot says; null without a score, unless the value is a guess from words, which gives no verdict. A high score
 * says little before the last 24 hours and with fewer than three bids.
 * @param closesLow whether the projected close is below the low end of the likely band; false where that is not known.
 */
export function verdictOf(
  { flip_score, value_grade, num_bids, end_date }: JudgedLot,
  now: Date,
  closesLow: boolean,
): Verdict | null {
  if (value_grade === 'words') return NO_VERDICT
  if (flip_score === null) return null
  const isLate = end_date !== null && Date.parse(end_date) - now.getTime() <= LAST_HOURS * HOUR_MS
  if (flip_score >= LEAST_GOOD && !isLate && num_bids < ENOUGH_BIDS) return EARLY
  if (flip_score >= LEAST_BARGAIN && value_grade === 'comparables' && closesLow) return BARGAIN
  return BY_SCORE.find(({ least }) => flip_score >= least)!
}

const MANY_BIDDER_POINTS = -4
const MANY_TIME_POINTS = 3

type Amounts = 'all_in_cost_cents' | keyof ValueBand
type Points = 'condition_points' | 'time_points' | 'bidder_points'

/**
 * What a score rests on, in one sentence: "Far below similar sales; salvage, so capped at 40."
 * @param judged `price_kind` of the score, and `condition_grade` of the lot.
 */
export function scoreReason(
  factors: Pick<Schemas['FlipFactors'], Amounts | Points>,
  { price_kind, condition_grade }: { price_kind: string; condition_grade: string | null },
) {
  const { condition_points, time_points, bidder_points } = factors
  const isPoor = condition_grade === 'salvage' || condition_grade === 'scrap'
  const reasons = [
    condition_points < 0 ? `${isPoor ? condition_grade : 'salvage or scrap'}, so capped at 40` : '',
    price_kind === 'starting_bid' ? 'nobody has bid, so the price counts half' : '',
    Math.abs(time_points) >= MANY_TIME_POINTS ? 'early, so held nearer to 50' : '',
    bidder_points <= MANY_BIDDER_POINTS ? 'many bids, which usually go on' : '',
  ]
  return `${[priceWords(factors), ...reasons.filter(Boolean)].join('; ')}.`
}

function priceWords(factors: Pick<Schemas['FlipFactors'], Amounts>): string {
  const { all_in_cost_cents: cost } = factors
  if (cost < factors.range_low_cents) return 'Far below similar sales'
  if (cost < factors.likely_low_cents) return 'Below similar sales'
  if (cost <= factors.likely_high_cents) return 'About the price of similar sales'
  return cost <= factors.range_high_cents ? 'Above similar sales' : 'Far above similar sales'
}
