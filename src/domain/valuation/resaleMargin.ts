import type { Schemas } from '../../contract/types.ts'

/** The cost of reselling as a share of the resale price: marketplace fees, cleaning, listing, delivery. */
export const RESALE_COST_SHARE = 0.12

/** The price of a lot. Amounts in US cents; a bid of 0 means no bid. */
export interface Asking {
  current_bid_cents: number | null
  starting_bid_cents: number | null
  num_bids: number
  /** The source's buyer's premium, in percent of the bid. */
  premium_percent: number
}

export type ResaleMargin = NonNullable<Schemas['ResaleMargin']>

/** (bid, or starting bid without one) × (1 + premium), in cents; null without either. */
export function allInCostCents({
  current_bid_cents,
  starting_bid_cents,
  premium_percent,
}: Asking): number | null {
  const price = current_bid_cents || starting_bid_cents
  if (price === null || price <= 0) return null
  return Math.round(price + (price * premium_percent) / 100)
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
