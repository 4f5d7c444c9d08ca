import { PLANS, type Plan } from '../../contract/plans.ts'

/** A subscription as Stripe reports it now. */
export interface Subscription {
  /** In Stripe's words: active, past_due, unpaid, … */
  status: string
  priceIds: string[]
  /** When it is set to end; null while it renews. */
  endsAt: Date | null
}

/** What the subscriptions of one customer entitle to. */
export interface Entitlement {
  plan: Plan
  /** The status of the subscription that decides; null without one. */
  status: string | null
  endsAt: Date | null
  /** Prices that are not in the settings: they entitle to nothing. */
  unknownPrices: string[]
}

/** The plans that are sold through Stripe. */
export const SOLD_PLANS = ['pro', 'pro_plus'] as const satisfies Plan[]
export type SoldPlan = (typeof SOLD_PLANS)[number]

/**
 * The states at Stripe in which the customer keeps the plan. `past_due` is the
 * time in which Stripe retries a failed payment; it ends in `active`, `unpaid`
 * or `canceled`, by the operator's settings at Stripe. A cancelled subscription
 * stays `active` until its period ends.
 */
const ENTITLING = ['active', 'trialing', 'past_due']
const ENDED = ['canceled', 'incomplete_expired']

/** Whether a subscription is over for good. */
export function isEnded({ status }: Subscription): boolean {
  return ENDED.includes(status)
}

/**
 * The best plan that a customer's subscriptions entitle to; Free without one.
 */
export function entitlementOf(
  subscriptions: Subscription[],
  prices: Record<SoldPlan, string>,
): Entitlement {
  const standing = subscriptions
    .filter(one => !isEnded(one))
    .map(subscription => ({
      ...subscription,
      plan: planOf(subscription, prices),
    }))
    .sort((a, b) => PLANS[b.plan].rank - PLANS[a.plan].rank)
  const known = Object.values(prices)
  const unknownPrices = standing
    .flatMap(({ priceIds }) => priceIds)
    .filter(id => !known.includes(id))
  const [best] = standing
  if (!best) return { plan: 'free', status: null, endsAt: null, unknownPrices }
  return {
    plan: best.plan,
    status: best.status,
    endsAt: best.endsAt,
    unknownPrices,
  }
}

function planOf(
  { status, priceIds }: Subscription,
  prices: Record<SoldPlan, string>,
): Plan {
  if (!ENTITLING.includes(status)) return 'free'
  return SOLD_PLANS.findLast(plan => priceIds.includes(prices[plan])) ?? 'free'
}
