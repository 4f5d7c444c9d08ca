import { entitlementOf } from '../../domain/accounts/subscription.ts'
import { ApiError } from '../../domain/errors.ts'
import { applyLook, findEvent, nextLook } from '../../infra/accounts/subscriptions.ts'
import type { Deps } from '../deps.ts'

const RELEVANT = /^(customer\.subscription\.|checkout\.session\.|invoice\.|customer\.deleted$)/

/**
 * Reads from an event only that a customer has changed, and requests the current subscriptions from Stripe. So events may be
 * old, repeated or out of order.
 * @returns the event, its outcome, and what Stripe reported (null when it was not requested or the customer is deleted).
 * @throws ApiError 400 for a wrong signature; 503 when Stripe or the database cannot be reached: then Stripe repeats the event.
 */
export async function applyStripeEvent(deps: Deps, body: Buffer, signature: string) {
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
