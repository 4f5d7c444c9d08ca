import { PLANS, type Plan } from '../../contract/plans.ts'

/** A subscription as Stripe tells it now. */
export interface Subscription {
  /** In Stripe's words: active, past_due, unpaid, … */
  status: string
  priceIds: string[]
  /** When it is set to end; null while it renews. */
  endsAt: Date | null
}

/** What the subscriptions of one customer come to. */
export interface Entitlement {
  plan: Plan
  /** The status of the subscription that decides; null without one. */
  status: string | null
  endsAt: Date | null
  /** Prices that are none of ours: they entitle to nothing. */
  unknownPrices: string[]
}

/** The plans that are sold through Stripe. */
export const SOLD_PLANS = ['pro', 'pro_plus'] as const satisfies Plan[]
export type SoldPlan = (typeof SOLD_PLANS)[number]

/**
 * Stripe's states in which the customer has what was bought. `past_due` is the time in which Stripe tries the payment again; it
 * ends in `active`, `unpaid` or `canceled`, as the operator set Stripe up. A subscription that is cancelled stays `active` to the
 * end of its period.
 */
const ENTITLING = ['active', 'trialing', 'past_due']
const OVER = ['canceled', 'incomplete_expired']

/** The best plan that a customer's subscriptions entitle to; Free without one. */
export function entitlementOf(subscriptions: Subscription[], prices: Record<SoldPlan, string>): Entitlement {
  const standing = subscriptions
    .filter(({ status }) => !OVER.includes(status))
    .map(subscription => ({ ...subscription, plan: planOf(subscription, prices) }))
    .sort((a, b) => PLANS[b.plan].rank - PLANS[a.plan].rank)
  const known: string[] = Object.values(prices)
  const unknownPrices = standing.flatMap(({ priceIds }) => priceIds).filter(id => !known.includes(id))
  const [best] = standing
  if (!best) return { plan: 'free', status: null, endsAt: null, unknownPrices }
  return { plan: best.plan, status: best.status, endsAt: best.endsAt, unknownPrices }
}

function planOf({ status, priceIds }: Subscription, prices: Record<SoldPlan, string>): Plan {
  if (!ENTITLING.includes(status)) return 'free'
  return SOLD_PLANS.findLast(plan => priceIds.includes(prices[plan])) ?? 'free'
}
