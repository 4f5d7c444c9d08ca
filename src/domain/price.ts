import type { Listing } from '../contract/types.ts'
import { roundedDollars } from './format.ts'
import { isOver } from './listingState.ts'

/**
 * The prices of a lot in US cents, null where there is none. Feeds may write a
 * bid of 0 for no bid; it is stored as null.
 */
export type Prices = Pick<
  Listing,
  'current_bid_cents' | 'starting_bid_cents' | 'buy_now_cents'
>

/** Which of its prices counts: the values of `price_kind` in the contract. */
type PriceKind = keyof typeof LABELS

/**
 * What a score judges: one of the prices, or the bid that has to be made next.
 */
export type ScorePriceKind = PriceKind | 'next_bid'

const LABELS = {
  current_bid: 'Current bid',
  starting_bid: 'Starting bid',
  buy_now: 'Buy now',
}
const KINDS = Object.keys(LABELS) as PriceKind[]

/** A price in US cents, which of the three it is, and its name for people. */
export interface Price {
  cents: number
  kind: PriceKind
  label: string
}

/**
 * The price of a lot: its bid, without one its starting bid, without both its
 * fixed price; null without any. In SQL it is `lots.price_cents`, which
 * searches sort and filter by.
 */
export function priceOf({
  offer_kind,
  status = 'live',
  ...prices
}: Prices & { offer_kind?: string; status?: Listing['status'] }): Price | null {
  const kind = KINDS.find(each => prices[`${each}_cents`] !== null)
  if (!kind) return null
  const known =
    kind === 'current_bid' && isOver({ status })
      ? 'Last bid seen'
      : LABELS[kind]
  return {
    cents: prices[`${kind}_cents`]!,
    kind,
    label: offer_kind === 'fixed_price' ? 'Asking price' : known,
  }
}

/**
 * The least that one has to bid in US cents: the next bid, or where that is not
 * known more than the current one; null without either.
 */
export function leastBid({
  next_bid_cents,
  current_bid_cents,
}: Pick<Listing, 'next_bid_cents' | 'current_bid_cents'>): number | null {
  return next_bid_cents ?? (current_bid_cents ? current_bid_cents + 1 : null)
}

/**
 * A price with the buyer's premium, in whole cents.
 * @param premium_percent of the price.
 */
export function withPremium(cents: number, premium_percent: number): number {
  return Math.round(cents + (cents * premium_percent) / 100)
}

/**
 * To two digits, for amounts that promise no more: 6,437.85 becomes 6,400.
 * @param way up or down, where the other one would be wrong.
 */
export function rounded(cents: number, way = Math.round): number {
  const step = 10 ** Math.max(0, cents.toFixed().length - 2)
  return way(cents / step) * step
}

/** The same as words: 6,437.85 dollars are "$6,400". */
export function aboutDollars(cents: number): string {
  return roundedDollars(rounded(cents))
}

/**
 * The cost of reselling as a share of the resale price: marketplace fees,
 * cleaning, listing, delivery.
 */
export const RESALE_COST_SHARE = 0.12

/**
 * What is left of a price at which a lot may sell again. Amounts in US cents.
 */
export interface ResaleMargin {
  estimated_value_cents: number
  /** The bid with the buyer's premium. */
  all_in_cost_cents: number
  margin_cents: number
  /** Of the cost. */
  margin_percent: number
}

/**
 * The estimated value less the all-in cost and the cost of reselling (a share
 * of the value). Null when the value or the cost is unknown.
 */
export function resaleMargin(
  estimated_value_cents: number | null,
  all_in_cost_cents: number | null,
): ResaleMargin | null {
  if (
    estimated_value_cents === null ||
    all_in_cost_cents === null ||
    all_in_cost_cents <= 0
  )
    return null
  const resaleCostCents = Math.round(estimated_value_cents * RESALE_COST_SHARE)
  const margin_cents =
    estimated_value_cents - resaleCostCents - all_in_cost_cents
  const margin_percent =
    Math.round((margin_cents / all_in_cost_cents) * 1000) / 10
  return {
    estimated_value_cents,
    all_in_cost_cents,
    margin_cents,
    margin_percent: margin_percent || 0,
  }
}
