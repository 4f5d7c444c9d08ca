import { type Entitlement, entitlementOf } from '../../domain/accounts/subscription.ts'
import { ApiError } from '../../domain/errors.ts'
import { applyLook, findEvent, nextLook } from '../../infra/accounts/subscriptions.ts'
import type { BillingEvent } from '../../infra/stripe/billing.ts'
import type { Deps } from '../deps.ts'

/** The result of an event. */
export interface Outcome {
  event: BillingEvent
  outcome: 'applied' | 'known already' | 'not ours'
  /** What Stripe reported; null when it was not requested or the customer is deleted. */
  seen: Entitlement | null
}

const RELEVANT = /^(customer\.subscription\.|checkout\.session\.|invoice\.|customer\.deleted$)/

/**
 * Reads from an event only that a customer has changed, and requests the current subscriptions from Stripe. So events may be
 * old, repeated or out of order.
 * @throws ApiError 400 for a wrong signature; 503 when Stripe or the database cannot be reached: then Stripe repeats the event.
 */
export async function applyStripeEvent(deps: Deps, body: Buffer, signature: string): Promise<Outcome> {
  const { billing, primary, now } = deps
  if (!billing) throw new ApiError('not_found', 'This service does not sell plans.')
  const event = billing.readEvent(body, signature)
  const { customer } = event
  if (!customer || !RELEVANT.test(event.type)) return { event, outcome: 'not ours', seen: null }

  const { isKnown, hasAccount } = await primary(sql => findEvent(sql, event.id, customer))
  if (isKnown) return { event, outcome: 'known already', seen: null }
  if (!hasAccount) return { event, outcome: 'not ours', seen: null }
  const look = await primary(sql => nextLook(sql))
  const isDeleted = event.type === 'customer.deleted'
  const seen = isDeleted ? null : entitlementOf(await billing.subscriptionsOf(customer), billing.prices)
  await primary(sql => applyLook(sql, { id: event.id, customer, look }, seen, now()))
  return { event, outcome: 'applied', seen }
}
