import { RESALE_COST_SHARE, rounded, withPremium } from '../price.ts'
import type { Grade } from './grade.ts'
import {
  type BidMoment,
  type Close,
  type KnownValue,
  maxBidCents,
  projectedClose,
  resaleValueCents,
  stepBefore,
} from './projection.ts'
import { LEAST_BARGAIN, LEAST_GOOD, type VerdictKey } from './verdict.ts'

/** What an outlook is made from. Amounts in US cents. */
export interface LotAhead {
  offer_kind: string
  /** 0 or null: no bid. */
  current_bid_cents: number | null
  starting_bid_cents: number | null
  buy_now_cents: number | null
  /** What has to be bid next; null where that is not known. */
  next_bid_cents: number | null
  num_bids: number
  premium_percent: number
  /** Sealed bids are opened at the end: nobody sees the price before. */
  is_sealed: boolean
  /** Until the middle of the time in which it can close, 0 or less after it; null when no end is known. */
  hours_left: number | null
}

/** The share of a value that counts, by how it is known. */
const WEIGHTS: Record<Grade, number> = { comparables: 1, few: 0.7, words: 0 }
/** The largest amount of the contract; it keeps the three groups of `profit_rank` apart. */
const MOST_CENTS = 1_000_000_000_000
/** Before it, a lot is too early to tell while nothing was learned of how bids rise. */
const LAST_HOURS = 24

/**
 * What a lot will cost and what is to be won, and the one verdict that follows. Pages, emails, feeds, tools and answers of the API read
 * it; nothing else decides a color or a word. Amounts in US cents.
 * @param value null without one.
 * @param flip_score 0 to 100; null without one.
 * @param moments how the bids of ended lots rose here; null while that is not learned.
 */
export function outlookOf(
  lot: LotAhead,
  value: KnownValue | null,
  flip_score: number | null,
  moments: readonly BidMoment[] | null,
) {
  const note = value && noteOf(lot, value)
  const known = note !== null || value?.grade === 'words' ? null : value
  const close = known && closeOf(lot, known, moments)
  const profit = known && profitOf(lot, known, close)
  const judged = known ? verdictOf(lot, known, close, profit, flip_score) : value && 'no_verdict'
  return {
    /** Why a value is not shown: the bids have passed it, or contradict it. */
    value_note: note,
    /** Where it will close; null for sealed bids, fixed prices, guesses from words, and while it is too early to tell. */
    close,
    /** At the upper end of the likely close, after the premium and the cost of reselling; null without a bid or a fixed price. */
    expected_profit_cents: profit,
    /** Orders lots by profit, highest first; null without a value. */
    profit_rank: known && rankOf(lot, known, profit),
    verdict: note === 'contradicted' ? null : (note ?? judged),
  }
}

/**
 * Whether the bids contradict a value, so that it says nothing: one bid above the range, two above the likely band, or three that have not
 * led to a thirtieth of it.
 */
export function isContradicted(
  { current_bid_cents, num_bids }: Pick<LotAhead, 'current_bid_cents' | 'num_bids'>,
  { value_cents, band }: Pick<KnownValue, 'value_cents' | 'band'>,
) {
  const bid = current_bid_cents ?? 0
  const most = num_bids < 2 ? band.range_high_cents : band.likely_high_cents
  return bid > most || (bid > 0 && num_bids >= 3 && bid < value_cents / 30)
}

/** The exact value is not below the bid, nor is the rounded one that everybody sees. */
function noteOf(lot: LotAhead, value: KnownValue) {
  if (isContradicted(lot, value)) return 'contradicted'
  const least = Math.min(value.value_cents, rounded(value.value_cents))
  return (lot.current_bid_cents ?? 0) > least ? 'bids_above' : null
}

function closeOf(lot: LotAhead, value: KnownValue, moments: readonly BidMoment[] | null): Close | null {
  const { current_bid_cents: bid_cents, hours_left } = lot
  const isEarly = moments === null && (hours_left ?? Number.POSITIVE_INFINITY) > LAST_HOURS
  if (lot.is_sealed || lot.offer_kind === 'fixed_price' || isEarly) return null
  const close = projectedClose({ ...value, bid_cents, hours_left: stepBefore(hours_left) }, moments)
  const reached = (cents: number) => Math.max(lot.next_bid_cents ?? bid_cents ?? 0, cents)
  return {
    cents: reached(close.cents),
    likely_low_cents: reached(close.likely_low_cents),
    likely_high_cents: reached(close.likely_high_cents),
  }
}

/** What is left of a weighted value after reselling, when the lot is bought at a price. */
function profitAt(price_cents: number, lot: LotAhead, { value_cents, grade }: KnownValue) {
  const proceeds = Math.round(value_cents * (1 - RESALE_COST_SHARE) * WEIGHTS[grade])
  return proceeds - withPremium(price_cents, lot.premium_percent)
}

function profitOf(lot: LotAhead, value: KnownValue, close: Close | null) {
  const { buy_now_cents: fixed, current_bid_cents: bid, offer_kind } = lot
  if (offer_kind === 'fixed_price') return fixed && profitAt(fixed, lot, value)
  if (!close || !bid) return null
  return profitAt(Math.min(close.likely_high_cents, fixed ?? MOST_CENTS), lot, value)
}

/** Gains first; then lots without a bid by the gain at the price that only a quarter of such lots close below, or the start above it; then losses. */
function rankOf(lot: LotAhead, value: KnownValue, profit: number | null) {
  if (profit !== null) return profit > 0 ? profit + MOST_CENTS : profit - MOST_CENTS
  return lot.current_bid_cents || lot.is_sealed
    ? -MOST_CENTS
    : profitAt(Math.max(lot.next_bid_cents ?? 0, value.band.likely_low_cents), lot, value)
}

/**
 * Only comparables give a color: green where all of the likely close is below most similar sales, leaves a profit, and the price the usual
 * margin; red for a price above most of them.
 */
function verdictOf(
  lot: LotAhead,
  value: KnownValue,
  close: Close | null,
  profit: number | null,
  flip_score: number | null,
): VerdictKey | null {
  const price = lot.next_bid_cents ?? lot.current_bid_cents ?? lot.starting_bid_cents
  if (flip_score === null || price === null || lot.is_sealed) return null
  const { band, grade } = value
  const isRough = grade === 'few'
  const cost = withPremium(price, lot.premium_percent)
  // Few sales have wide bands, whose upper ends say nothing.
  const end = close && withPremium(isRough ? close.cents : close.likely_high_cents, lot.premium_percent)
  if (isRough && Math.max(cost, end ?? 0) > band.likely_high_cents) return 'rough_above'
  if (cost > band.range_high_cents) return 'overpriced'
  if (cost > band.likely_high_cents) return 'expensive'
  if (end === null) return 'too_early'
  const isBelow = end < band.likely_low_cents
  if (isRough && isBelow) return 'rough_below'
  // As pages show it.
  const most = rounded(maxBidCents(resaleValueCents(value), lot.premium_percent), Math.floor)
  if (isBelow && (profit ?? 1) > 0 && price <= most && flip_score >= LEAST_GOOD)
    return flip_score >= LEAST_BARGAIN ? 'bargain' : 'good_deal'
  if (cost < band.likely_low_cents) return 'low_now'
  return isRough ? 'rough_usual' : 'usual_price'
}
