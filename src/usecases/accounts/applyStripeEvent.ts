import { type Entitlement, entitlementOf } from '../../domain/accounts/subscription.ts'
import { ApiError } from '../../domain/errors.ts'
import { applyLook, findEvent, nextLook } from '../../infra/accounts/subscriptions.ts'
import type { Billing, BillingEvent } from '../../infra/stripe/billing.ts'
import type { Deps } from '../deps.ts'

/** What came of an event. */
export interface Outcome {
  event: BillingEvent
  outcome: 'applied' | 'known already' | 'not ours'
  /** What was seen at Stripe; null where nobody looked, or the customer is gone. */
  seen: Entitlement | null
}

const TELLING = /^(customer\.subscription\.|checkout\.session\.|invoice\.|customer\.deleted$)/

/**
 * Takes an event for no more than the news that something about a customer has changed, and asks Stripe how the subscriptions
 * stand now. So it does not matter how old it is, whether it comes twice, or before its elders.
 * @throws ApiError 400 for a wrong signature; 503 when Stripe or the database cannot be asked: Stripe sends it again.
 */
export async function applyStripeEvent(deps: Deps, body: Buffer, signature: string): Promise<Outcome> {
  const { billing, primary, now } = deps
  if (!billing) throw new ApiError('not_found', 'This service does not sell plans by itself.')
  const event = billing.readEvent(body, signature)
  const { customer } = event
  if (!customer || !TELLING.test(event.type)) return { event, outcome: 'not ours', seen: null }

  const { isKnown, hasAccount } = await primary(sql => findEvent(sql, event.id, customer))
  if (isKnown) return { event, outcome: 'known already', seen: null }
  if (!hasAccount) return { event, outcome: 'not ours', seen: null }
  const look = await primary(sql => nextLook(sql))
  const seen = event.type === 'customer.deleted' ? null : await entitlementNow(billing, customer)
  await primary(sql => applyLook(sql, { id: event.id, customer, look }, seen, now()))
  return { event, outcome: 'applied', seen }
}

async function entitlementNow(billing: Billing, customer: string): Promise<Entitlement> {
  return entitlementOf(await billing.subscriptionsOf(customer), billing.prices)
}
