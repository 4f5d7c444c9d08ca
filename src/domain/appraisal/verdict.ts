import type { Listing, Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import { roundedDollars } from '../format.ts'
import { isOver } from '../listingState.ts'
import { type Prices, priceOf } from '../price.ts'
import type { ValueBand } from '../valuation/calibratedValue.ts'
import { LAST_HOURS } from '../valuation/projection.ts'

/** The known values of `verdict` in the contract. */
export type Verdict = 'room' | 'at_limit' | 'past'

/** What decides the words and the color of a verdict. */
type Judged = Pick<
  Listing,
  | 'verdict'
  | 'limit_cents'
  | 'value_note'
  | 'value_grade'
  | 'approximate_close_cents'
  | 'offer_kind'
  | 'end_date'
  | 'condition_grade'
  | 'runs'
>

/**
 * How a badge looks: good and poor decide something, room is outlined, limit is
 * amber.
 */
export type VerdictColor = 'good' | 'room' | 'limit' | 'poor' | 'neutral'

type Said = Pick<Listing, 'verdict' | 'limit_cents' | 'status'>

/**
 * A verdict for people: "Room up to $9,000"; null without one, for one of a
 * newer version, and after the end.
 */
export function verdictWords({
  verdict,
  limit_cents,
  status,
}: Said): string | null {
  if (isOver({ status })) return null
  if (verdict === 'room')
    return `Room up to ${roundedDollars(limit_cents ?? 0)}`
  if (verdict === 'at_limit') return 'At the limit'
  return verdict === 'past'
    ? `Past our limit${limit_cents ? ` of ${roundedDollars(limit_cents)}` : ''}`
    : null
}

/** Why a lot has no limit, in five words at most. */
export function whyUnpriced({
  value_note,
  value_grade,
  condition_grade,
  runs,
}: Judged): string {
  if (value_note !== null) return 'bids contradict our value'
  if (value_grade === null) return 'no similar sales yet'
  const isPoor =
    condition_grade === 'salvage' ||
    condition_grade === 'scrap' ||
    runs === false
  return isPoor ? 'no sales in such condition' : 'too few similar sales'
}

/**
 * Green only where it decides something: known from comparables, and in the
 * last hours, at a fixed price, or where the close that was learned here is
 * under the limit.
 * @param likely_high_cents the upper end of the likely band; null where it is
 * not read.
 */
export function verdictColor(
  lot: Judged & Prices,
  likely_high_cents: number | null,
  now: Date,
): VerdictColor {
  const {
    verdict,
    limit_cents,
    value_note,
    approximate_close_cents: close,
  } = lot
  if (verdict === 'room') {
    const left_ms =
      lot.end_date === null
        ? Number.POSITIVE_INFINITY
        : Date.parse(lot.end_date) - now.getTime()
    const isLast =
      left_ms <= LAST_HOURS * HOUR_MS || lot.offer_kind === 'fixed_price'
    const isDecided = isLast || (close !== null && close <= limit_cents!)
    return isDecided && lot.value_grade === 'comparables' ? 'good' : 'room'
  }
  if (verdict === 'at_limit') return 'limit'
  const isFar =
    likely_high_cents !== null && (priceOf(lot)?.cents ?? 0) > likely_high_cents
  return verdict === 'past' && (value_note === 'contradicted' || isFar)
    ? 'poor'
    : 'neutral'
}

/**
 * The verdict and the Flip Score: "Room up to $9,000; Flip Score 64 of 100";
 * empty without either.
 */
export function scoreWords(lot: Said & Pick<Listing, 'flip_score'>): string {
  const score =
    lot.flip_score === null ? null : `Flip Score ${lot.flip_score} of 100`
  return [verdictWords(lot), score].filter(Boolean).join('; ')
}

const MANY_BIDDER_POINTS = -4
const MANY_TIME_POINTS = 3

type Amounts = 'all_in_cost_cents' | keyof ValueBand

/**
 * What a score rests on, in one sentence: "Now far below similar sales; salvage
 * or scrap, so capped at 40."
 */
export function scoreReason(
  factors: Pick<
    Schemas['FlipFactors'],
    Amounts | 'condition_points' | 'time_points' | 'bidder_points'
  >,
  price_kind: string,
): string {
  const { condition_points, time_points, bidder_points } = factors
  const reasons = [
    `Now ${placeOf(factors)} similar sales`,
    condition_points < 0 && 'salvage or scrap, so capped at 40',
    price_kind === 'starting_bid' && 'nobody has bid, so the price counts half',
    Math.abs(time_points) >= MANY_TIME_POINTS &&
      'still early, so the score stays near 50',
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
