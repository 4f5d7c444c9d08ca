import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, Schemas } from '../../contract/types.ts'
import type { ValueBand } from './calibratedValue.ts'

/** What a verdict says: in a sentence after a score, on a badge, and in its color. */
export interface Verdict {
  words: string
  label: string
  color: 'good' | 'neutral' | 'poor'
}

/** The closed list of verdicts: the known values of `verdict` in the contract. */
export type VerdictKey = keyof typeof labels.verdicts

/** The least scores of a green verdict and of a bargain. */
export const LEAST_GOOD = 60
export const LEAST_BARGAIN = 80

const VERDICTS = labels.verdicts as Record<string, Verdict>

/** A verdict for people; null without one, and for one of a newer version. */
export function verdictWords(verdict: string | null): Verdict | null {
  return VERDICTS[verdict ?? ''] ?? null
}

/** The Flip Score and the verdict: "Flip Score 64 of 100, a good deal"; empty without a score. */
export function scoreWords({ flip_score, verdict }: Listing) {
  const words = verdictWords(verdict)?.words
  return flip_score === null ? '' : `Flip Score ${flip_score} of 100${words ? `, ${words}` : ''}`
}

const MANY_BIDDER_POINTS = -4
const MANY_TIME_POINTS = 3

type Amounts = 'all_in_cost_cents' | keyof ValueBand

/**
 * What a score rests on, in one sentence: "Now far below similar sales; salvage, so capped at 40."
 * @param judged `price_kind` of the score, and `condition_grade` of the lot.
 */
export function scoreReason(
  factors: Pick<Schemas['FlipFactors'], Amounts | 'condition_points' | 'time_points' | 'bidder_points'>,
  { price_kind, condition_grade }: { price_kind: string; condition_grade: string | null },
) {
  const { condition_points, time_points, bidder_points } = factors
  const isPoor = condition_grade === 'salvage' || condition_grade === 'scrap'
  const reasons = [
    `Now ${placeOf(factors)} similar sales`,
    condition_points < 0 && `${isPoor ? condition_grade : 'salvage or scrap'}, so capped at 40`,
    price_kind === 'starting_bid' && 'nobody has bid, so the price counts half',
    Math.abs(time_points) >= MANY_TIME_POINTS && 'still early, so the score stays near 50',
    bidder_points <= MANY_BIDDER_POINTS && 'bidding is active',
  ]
  return `${reasons.filter(Boolean).join('; ')}.`
}

/** Where a price stands among what similar lots sold for. */
function placeOf(factors: Pick<Schemas['FlipFactors'], Amounts>) {
  const { all_in_cost_cents: cost } = factors
  if (cost < factors.range_low_cents) return 'far below'
  if (cost < factors.likely_low_cents) return 'below'
  if (cost <= factors.likely_high_cents) return 'about the price of'
  return cost <= factors.range_high_cents ? 'above' : 'far above'
}
