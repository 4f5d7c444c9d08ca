import { createHash } from 'node:crypto'
import { PAYMENTS_OF_AN_ACCOUNT } from '../../domain/accounts/limits.ts'
import { SOLD_PLANS, type SoldPlan } from '../../domain/accounts/subscription.ts'
import { ApiError } from '../../domain/errors.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import { readPlan, storeCustomer } from '../../infra/accounts/subscriptions.ts'
import type { Billing } from '../../infra/stripe/billing.ts'
import type { Deps } from '../deps.ts'
import { ACCOUNT_PATH } from './requestLink.ts'
import { takeTry } from './takeTry.ts'

/**
 * The way to a larger plan: Stripe's checkout, or its portal where the customer has a subscription already, so that nobody pays
 * two. Nothing of the plan changes here: it follows Stripe's events alone.
 * @param attempt what the form was rendered with: sent twice, it leads to one checkout.
 * @returns an address at Stripe.
 */
export async function startUpgrade(
  deps: Deps,
  account: SignedIn,
  wanted: string,
  attempt: string,
): Promise<string> {
  const billing = billingOf(deps)
  const plan = SOLD_PLANS.find(sold => sold === wanted)
  if (!plan)
    throw new ApiError('invalid_request', `The plans that can be bought are ${SOLD_PLANS.join(', ')}.`)
  await takeTryToPay(deps, account)
  const { customer: known } = await deps.primary(sql => readPlan(sql, account.accountId))
  const name = attemptName(account, attempt)
  const customer = known ?? (await newCustomer(deps, billing, account, name))
  if (known && (await hasSubscription(billing, known))) {
    return billing.openPortal(known, deps.publicUrl + ACCOUNT_PATH)
  }
  return billing.openCheckout(orderOf(deps, account, customer, plan), `${name}-${plan}`)
}

/** Stripe's portal, where a customer changes plan and card, cancels, and finds the invoices. @throws ApiError 404. */
export async function openPortal(deps: Deps, account: SignedIn): Promise<string> {
  const billing = billingOf(deps)
  await takeTryToPay(deps, account)
  const { customer } = await deps.primary(sql => readPlan(sql, account.accountId))
  if (!customer) throw new ApiError('not_found', 'This account has no subscription yet.')
  return billing.openPortal(customer, deps.publicUrl + ACCOUNT_PATH)
}

function billingOf({ billing }: Deps): Billing {
  if (!billing) throw new ApiError('not_found', 'This service does not sell plans by itself.')
  return billing
}

async function takeTryToPay(deps: Deps, { accountId }: SignedIn): Promise<void> {
  await takeTry(deps, 'The payment pages were opened too often.', [
    { allowances: PAYMENTS_OF_AN_ACCOUNT, of: String(accountId) },
  ])
}

async function newCustomer(
  { primary }: Deps,
  billing: Billing,
  { accountId, address }: SignedIn,
  attempt: string,
): Promise<string> {
  const made = await billing.createCustomer({ id: accountId, address }, attempt)
  return primary(sql => storeCustomer(sql, accountId, made))
}

async function hasSubscription(billing: Billing, customer: string): Promise<boolean> {
  const subscriptions = await billing.subscriptionsOf(customer)
  return subscriptions.some(({ status }) => status !== 'canceled' && status !== 'incomplete_expired')
}

function orderOf({ publicUrl }: Deps, { accountId }: SignedIn, customer: string, plan: SoldPlan) {
  return {
    accountId,
    customer,
    plan,
    successUrl: `${publicUrl}${ACCOUNT_PATH}?checkout=done`,
    cancelUrl: `${publicUrl}${ACCOUNT_PATH}?checkout=left`,
  }
}

/** Of one account alone, whatever its form holds. */
function attemptName({ accountId, address }: SignedIn, attempt: string): string {
  return createHash('sha256').update(`${accountId} ${address} ${attempt}`).digest('hex')
}
