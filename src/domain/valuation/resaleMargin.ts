import type { Schemas } from '../../contract/types.ts'

/** The cost of reselling as a share of the resale price: marketplace fees, cleaning, listing, delivery. */
export const RESALE_COST_SHARE = 0.12

/** The prices of a lot. Amounts in US cents; a bid of 0 means no bid. */
export interface Asking {
  current_bid_cents: number | null
  starting_bid_cents: number | null
  buy_now_cents: number | null
  /** The source's buyer's premium, in percent of the bid. */
  premium_percent: number
}

/** Which of its prices a lot can be had for now: the values of `price_kind` in the contract. */
export type PriceKind = 'current_bid' | 'starting_bid' | 'buy_now'

export type ResaleMargin = NonNullable<Schemas['ResaleMargin']>

/** The price of a lot in cents: its bid, without one the starting bid, without both the fixed price; null without any. */
export function askedPrice(asking: Asking): { cents: number; kind: PriceKind } | null {
  for (const kind of ['current_bid', 'starting_bid', 'buy_now'] as const) {
    const cents = asking[`${kind}_cents`]
    if (cents !== null && cents > 0) return { cents, kind }
  }
  return null
}

/** A price with the buyer's premium, in whole cents. */
export function withPremium(cents: number, premium_percent: number): number {
  return Math.round(cents + (cents * premium_percent) / 100)
}

/** The price of a lot (`askedPrice`) with the buyer's premium, in cents; null without a price. */
export function allInCostCents(asking: Asking): number | null {
  const price = askedPrice(asking)
  return price && withPremium(price.cents, asking.premium_percent)
}

/**
 * The estimated value less the all-in cost and the cost of reselling (a share of the value). Null when the value or the cost is
 * unknown.
 */
export function resaleMargin(
  estimated_value_cents: number | null,
  all_in_cost_cents: number | null,
  resaleCostShare = RESALE_COST_SHARE,
): ResaleMargin | null {
  if (estimated_value_cents === null || all_in_cost_cents === null || all_in_cost_cents <= 0) return null
  const resaleCostCents = Math.round(estimated_value_cents * resaleCostShare)
  const margin_cents = estimated_value_cents - resaleCostCents - all_in_cost_cents
  const margin_percent = Math.round((margin_cents / all_in_cost_cents) * 1000) / 10
  return { estimated_value_cents, all_in_cost_cents, margin_cents, margin_percent: margin_percent || 0 }
}
