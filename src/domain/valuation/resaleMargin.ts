import type { Schemas } from '../../contract/types.ts'

/** The cost of reselling as a share of the resale price: marketplace fees, cleaning, listing, delivery. */
export const RESALE_COST_SHARE = 0.12

export type ResaleMargin = NonNullable<Schemas['ResaleMargin']>

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
