import { rounded, withPremium } from '../price.ts'
import type { Category } from '../titles/categories.ts'
import type { Grade } from '../valuation/grade.ts'
import {
  type BidMoment,
  type Close,
  type KnownValue,
  LAST_HOURS,
  projectedClose,
  stepBefore,
} from '../valuation/projection.ts'
import { limitOf } from './limit.ts'
import type { Verdict } from './verdict.ts'

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
  category: Category
  source: string
  premium_percent: number
  /** Sealed bids are opened at the end: nobody sees the price before. */
  is_sealed: boolean
  /**
   * Until the middle of the time in which it can close, 0 or less after it;
   * null when no end is known.
   */
  hours_left: number | null
}

/** The share of a value that counts, by how it is known. */
const WEIGHTS: Record<Grade, number> = { comparables: 1, few: 0.7, words: 0 }

/**
 * What a lot will cost, how much to bid on it, and the one verdict that
 * follows. Pages, emails, feeds, tools and answers of the API read it; nothing
 * else decides a color or a word. Amounts in US cents.
 * @param value null without one.
 * @param like_count how many of its comparables are of such a thing.
 * @param moments how the bids of ended lots rose here; null while that is not
 * learned.
 */
export function outlookOf(
  lot: LotAhead,
  value: KnownValue | null,
  like_count: number,
  moments: readonly BidMoment[] | null,
) {
  const note = value && noteOf(lot, value)
  const known = note !== null || value?.grade === 'words' ? null : value
  const bound = known && limitOf({ ...lot, like_count }, known)
  /** As people see it: rounded down to two digits. */
  const limit_cents = bound && rounded(bound.max_bid_cents, Math.floor)
  const next = nextPrice(lot)
  const verdict =
    limit_cents === null
      ? passed(lot, value, note)
      : verdictOf(lot, next, limit_cents)
  return {
    /** Why a value is not shown: the bids have passed it, or contradict it. */
    value_note: note,
    /**
     * Where it will close; null for sealed bids, fixed prices, rough guesses
     * from the title, and while it is too early to tell.
     */
    close: known && closeOf(lot, known, moments),
    /**
     * What is left at the projected close or the fixed price, with the premium;
     * null without a value, and for sealed bids.
     */
    expected_profit_cents: known && profitOf(lot, known, moments),
    limit_cents,
    verdict,
    /**
     * Orders lots by `room`, highest first; null for those that are past the
     * limit or have none.
     */
    room_rank: roomRank(verdict, (limit_cents ?? 0) - next),
  }
}

function roomRank(verdict: string | null, left_cents: number): number | null {
  if (verdict === 'room') return left_cents
  return verdict === 'at_limit' ? -1 : null
}

/** What one has to pay or bid next; 0 where nobody has named a price. */
function nextPrice(lot: LotAhead) {
  if (lot.offer_kind === 'fixed_price') return lot.buy_now_cents ?? 0
  return (
    lot.next_bid_cents ?? lot.current_bid_cents ?? lot.starting_bid_cents ?? 0
  )
}

function verdictOf(lot: LotAhead, next: number, limit_cents: number): Verdict {
  if (next <= limit_cents) return 'room'
  return (lot.current_bid_cents ?? next) <= limit_cents ? 'at_limit' : 'past'
}

/** Without a limit: whether the bids have passed the value. */
function passed(
  lot: LotAhead,
  value: KnownValue | null,
  note: 'contradicted' | 'bids_above' | null,
): Verdict | null {
  // What contradicts a value can also be far too low.
  return note === 'bids_above' ||
    (note && (lot.current_bid_cents ?? 0) > value!.value_cents)
    ? 'past'
    : null
}

/**
 * Whether the bids contradict a value, so that it says nothing: one bid above
 * the range, two above the likely band, or three that have not led to a
 * thirtieth of it.
 */
export function isContradicted(
  {
    current_bid_cents,
    num_bids,
  }: Pick<LotAhead, 'current_bid_cents' | 'num_bids'>,
  { value_cents, band }: Pick<KnownValue, 'value_cents' | 'band'>,
) {
  const bid = current_bid_cents ?? 0
  const most = num_bids < 2 ? band.range_high_cents : band.likely_high_cents
  return bid > most || (bid > 0 && num_bids >= 3 && bid < value_cents / 30)
}

/**
 * The exact value is not below the bid, nor is the rounded one that everybody
 * sees.
 */
function noteOf(lot: LotAhead, value: KnownValue) {
  if (isContradicted(lot, value)) return 'contradicted'
  const least = Math.min(value.value_cents, rounded(value.value_cents))
  return (lot.current_bid_cents ?? 0) > least ? 'bids_above' : null
}

function closeOf(
  lot: LotAhead,
  value: KnownValue,
  moments: readonly BidMoment[] | null,
): Close | null {
  const isEarly =
    moments === null &&
    (lot.hours_left ?? Number.POSITIVE_INFINITY) > LAST_HOURS
  return isEarly ? null : projected(lot, value, moments)
}

/** Null for sealed bids and fixed prices. */
function projected(
  lot: LotAhead,
  value: KnownValue,
  moments: readonly BidMoment[] | null,
): Close | null {
  const { current_bid_cents: bid_cents, hours_left } = lot
  if (lot.is_sealed || lot.offer_kind === 'fixed_price') return null
  const close = projectedClose(
    { ...value, bid_cents, hours_left: stepBefore(hours_left) },
    moments,
  )
  const reached = (cents: number) =>
    Math.max(lot.next_bid_cents ?? bid_cents ?? 0, cents)
  return {
    cents: reached(close.cents),
    likely_low_cents: reached(close.likely_low_cents),
    likely_high_cents: reached(close.likely_high_cents),
  }
}

function profitOf(
  lot: LotAhead,
  value: KnownValue,
  moments: readonly BidMoment[] | null,
) {
  const price =
    lot.offer_kind === 'fixed_price'
      ? lot.buy_now_cents
      : projected(lot, value, moments)?.cents
  return price
    ? Math.round(value.value_cents * WEIGHTS[value.grade]) -
        withPremium(price, lot.premium_percent)
    : null
}
