import type { Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import {
  type Prices,
  priceOf,
  resaleMargin,
  rounded,
  type ScorePriceKind,
  withPremium,
} from '../price.ts'
import type { BidPaths } from '../valuation/bidPaths.ts'
import type {
  CalibratedValue,
  ValueBand,
} from '../valuation/calibratedValue.ts'
import type { ChanceCurve } from '../valuation/chance.ts'
import { type Grade, gradeOf, likeCount } from '../valuation/grade.ts'
import type { LotToValue } from '../valuation/lotToValue.ts'
import type { Estimate } from '../valuation/model.ts'
import { hoursLeftAtNextStep } from '../valuation/projection.ts'
import { flipScore, hoursLeftAtNextScore, SCORE_VERSION } from './flipScore.ts'
import { movedBy } from './neighbors.ts'
import { isContradicted, type LotAhead, outlookOf } from './outlook.ts'
import type { Verdict } from './verdict.ts'

/** The columns of an open lot that its value and score depend on. */
export interface OpenLot
  extends Prices,
    LotToValue,
    Omit<LotAhead, 'hours_left'> {
  condition_grade: string | null
  /**
   * The middle of the hours in which it can close; null when the end is not
   * known.
   */
  ends_at_ms: number | null
  /** Whether its source says that nobody has bid. */
  is_unbid: boolean
  /** How its neighbors go, of `neighborFactors`; 1 where nothing is known. */
  neighbor_factor: number
}

/** The stored score of a lot, and when it is due again. */
export interface ScoreRow {
  lot_id: string
  /** Null without a value, and while the bids contradict it. */
  value_grade: Grade | null
  value_note: string | null
  /** Rounded to two digits; null while the bids are above it too. */
  approximate_value_cents: number | null
  /** Rounded to two digits, up where it would be below the price to pay. */
  approximate_close_cents: number | null
  verdict: Verdict | null
  limit_cents: number | null
  expected_profit_cents: number | null
  room_rank: number | null
  /** Also of a lot with bids, which can lose them again. */
  no_bid_chance: number | null
  /**
   * Where the lot will close, to the cent, and the band that holds half of the
   * closes.
   */
  projected_close_cents: number | null
  close_low_cents: number | null
  close_high_cents: number | null
  all_in_cost_cents: number | null
  /** Null where the grade is null or `words`; so is the score. */
  resale_margin_cents: number | null
  flip_score: number | null
  factors: Schemas['FlipFactors'] | null
  score_version: string
  price_kind: ScorePriceKind | null
  /** RFC 3339, or `infinity`. */
  due_at: string
}

/**
 * The stored appraisal of a lot; `estimated_value_cents` is null for a lot
 * without an estimate, which has no band.
 */
export interface AppraisalRow extends ScoreRow, Partial<ValueBand> {
  /** Null without an estimate. */
  estimated_value_cents: number | null
  confidence: number
  /** Its comparables, the most similar first, and how similar each is. */
  sale_ids: string[]
  similarities: number[]
  seen_factor: number | null
}

/** The part of an appraisal that a score is made from. */
export type StoredEstimate = Omit<CalibratedValue, 'grade'> &
  Pick<Estimate, 'no_bid_chance'> & { similarities: readonly number[] }

/** What the sales of a model say that every score uses. */
export interface ScoreBasis {
  /**
   * The share of a category's closed lots that sold, 0 to 1; absent where too
   * few closed.
   */
  sell_through: Readonly<Partial<Record<string, number>>>
  /** How the bids of ended lots rose; null while too few have ended. */
  bid_paths: BidPaths | null
  /** How often lots were worth more than their cost. */
  chance: ChanceCurve
}

/** The inputs of a score that are the same for all lots of a run. */
export interface ScoringMoment extends ScoreBasis {
  nowMs: number
}

/**
 * Makes the stored row of a lot's appraisal. Its value and bands are those
 * without the neighbors.
 */
export function appraisalRow(
  lot: OpenLot,
  appraisal: Estimate | null,
  moment: ScoringMoment,
): AppraisalRow {
  const similarities =
    appraisal?.comparables.map(comparable => comparable.similarity) ?? []
  return {
    ...scoreRow(lot, appraisal && { ...appraisal, similarities }, moment),
    estimated_value_cents: appraisal?.value_cents ?? null,
    ...appraisal?.band,
    confidence: appraisal?.confidence ?? 0,
    sale_ids: appraisal?.comparables.map(comparable => comparable.id) ?? [],
    similarities,
    seen_factor: appraisal ? seenFactorShown(appraisal.seenFactor) : null,
  }
}

/** With two decimals, as it is published; null where it is 1. */
export function seenFactorShown(factor: number): number | null {
  const shown = Math.round(100 * factor) / 100
  return shown === 1 ? null : shown
}

/**
 * Makes the stored row of a lot's score from its estimate, which its neighbors
 * move, and its current price.
 */
export function scoreRow(
  lot: OpenLot,
  estimate: StoredEstimate | null,
  { nowMs, sell_through, bid_paths, chance }: ScoringMoment,
): ScoreRow {
  const { id: lot_id, num_bids, condition_grade, ends_at_ms } = lot
  const price = priceToPay(lot)
  const cost =
    price && price.cents > 0
      ? withPremium(price.cents, lot.premium_percent)
      : null
  const price_kind = cost === null ? null : price!.kind
  const hours_left = ends_at_ms === null ? null : (ends_at_ms - nowMs) / HOUR_MS
  const grade =
    estimate && gradeOf(lot, estimate.similarities, estimate.confidence)
  const value = estimate &&
    grade && { ...estimate, ...movedBy(estimate, lot.neighbor_factor), grade }
  const isServed = value !== null && !isContradicted(lot, value)
  const judged = isServed && grade !== 'words' ? value : null
  const margin = resaleMargin(judged?.value_cents ?? null, cost)
  // Bidders have not decided about an asking price: it has a margin and a
  // profit, and no score.
  const auctioned = lot.offer_kind === 'fixed_price' ? null : judged
  const score =
    auctioned &&
    flipScore({
      ...auctioned,
      comparables_count: auctioned.similarities.length,
      all_in_cost_cents: cost,
      price_kind,
      num_bids,
      condition_grade,
      hours_left,
      sell_through: sell_through[lot.category] ?? null,
      no_bid_chance: lot.is_unbid ? auctioned.no_bid_chance : null,
      chance,
      grade: auctioned.grade,
    })
  const like_count = likeCount(estimate?.similarities ?? [])
  const outlook = outlookOf(
    { ...lot, hours_left },
    value,
    like_count,
    bid_paths?.moments ?? null,
  )
  const {
    value_note,
    close,
    verdict,
    expected_profit_cents,
    limit_cents,
    room_rank,
  } = outlook
  return {
    lot_id,
    // The columns of a lot that its outlook gives, see 0001_lots.sql and
    // 0021_outlook.sql. All but the note are null with the grade.
    value_grade: isServed ? grade : null,
    value_note,
    approximate_value_cents:
      value && value_note === null ? rounded(value.value_cents) : null,
    approximate_close_cents:
      close &&
      rounded(
        close.cents,
        rounded(close.cents) < (price?.cents ?? 0) ? Math.ceil : Math.round,
      ),
    verdict,
    limit_cents,
    expected_profit_cents,
    room_rank,
    no_bid_chance: estimate?.no_bid_chance ?? null,
    projected_close_cents: close?.cents ?? null,
    close_low_cents: close?.likely_low_cents ?? null,
    close_high_cents: close?.likely_high_cents ?? null,
    all_in_cost_cents: cost,
    resale_margin_cents: margin?.margin_cents ?? null,
    flip_score: score?.flip_score ?? null,
    factors: score?.factors ?? null,
    score_version: SCORE_VERSION,
    price_kind,
    due_at: dueAt(ends_at_ms, hours_left),
  }
}

/**
 * What a buyer has to pay now: the next bid where the source publishes it, else
 * the price. Amounts in US cents.
 */
export function priceToPay(
  lot: Prices & Pick<OpenLot, 'next_bid_cents'>,
): { cents: number; kind: ScorePriceKind } | null {
  const price = priceOf(lot)
  if (price?.kind !== 'current_bid' || lot.next_bid_cents === null) return price
  return { cents: lot.next_bid_cents, kind: 'next_bid' }
}

/**
 * The first millisecond at which time alone can change the score or the
 * outlook; at the latest the end of the lot.
 */
function dueAt(endsAtMs: number | null, hoursLeft: number | null) {
  // A lot of a day is still open when the middle of the hours in which it can
  // close has passed.
  if (endsAtMs === null || hoursLeft === null || hoursLeft <= 0)
    return 'infinity'
  const [score, step] = [
    hoursLeftAtNextScore(hoursLeft),
    hoursLeftAtNextStep(hoursLeft),
  ]
  // An outlook changes at its step, a score behind its moment.
  const due =
    step >= score
      ? Math.ceil(endsAtMs - step * HOUR_MS)
      : Math.floor(endsAtMs - score * HOUR_MS) + 1
  return new Date(due).toISOString()
}
