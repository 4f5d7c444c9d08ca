/** What reselling takes of the value: fees, cleaning, listing. Transport and taxes are not in it. */
export const RESALE_COST_SHARE = 0.12

/** What a bidder sees: prices in US cents, null where there is none. */
export interface Asking {
  current_bid_cents: number | null
  starting_bid_cents: number | null
  buy_now_cents: number | null
  /** The buyer's premium of the source, in percent of the price. */
  premium_percent: number
}

export interface ResaleMargin {
  estimated_value_cents: number
  all_in_cost_cents: number
  margin_cents: number
  /** Of the all-in cost, to one decimal. */
  margin_percent: number
}

/**
 * What a lot costs at its price of the moment, the buyer's premium included: the current bid, or while there is none the
 * starting bid, or else the buy-now price. Null when it has no price above 0.
 */
export function allInCostCents({ current_bid_cents, starting_bid_cents, buy_now_cents, premium_percent }: Asking): number | null {
  const price = current_bid_cents || starting_bid_cents || buy_now_cents
  return price ? Math.round(price * (1 + premium_percent / 100)) : null
}

/** Estimated value, less the all-in cost, less 12 % of the value for reselling. Null while the lot has no price. */
export function resaleMargin(valueCents: number, costCents: number | null): ResaleMargin | null {
  if (costCents === null) return null
  const margin = Math.round(valueCents * (1 - RESALE_COST_SHARE)) - costCents
  return {
    estimated_value_cents: valueCents,
    all_in_cost_cents: costCents,
    margin_cents: margin,
    margin_percent: Math.round((margin / costCents) * 1000) / 10,
  }
}
