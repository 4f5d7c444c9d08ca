import { createHash } from 'node:crypto'
import { invalidRequest, notFound } from '../../contract/errors.ts'
import { PLANS } from '../../contract/plans.ts'
import { accountAttempts } from '../../domain/accounts/limits.ts'
import type { Entitlement } from '../../domain/accounts/subscription.ts'
import {
  entitlementOf,
  isEnded,
  SOLD_PLANS,
} from '../../domain/accounts/subscription.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import {
  applyLook,
  findEvent,
  readPlan,
  storeCustomer,
} from '../../infra/accounts/subscriptions.ts'
import type { Billing } from '../../infra/stripe/billing.ts'
import type { Deps } from '../deps.ts'
import { ACCOUNT_PATH } from './signIn.ts'

/**
 * Starts a change to a larger plan: Stripe's checkout, or its portal where the
 * customer already has a subscription, so that no customer pays twice. The plan
 * itself changes only by Stripe's events.
 * @param attempt the form's idempotency key: the same form sent twice leads to
 * one checkout.
 * @returns the address of a page at Stripe.
 * @throws ApiError 400 for a plan that is not sold, 404 without Stripe, 429,
 * 503 when Stripe cannot be reached.
 */
export async function startUpgrade(
  deps: Deps,
  account: SignedIn,
  wanted: string,
  attempt: string,
): Promise<string> {
  const billing = billingOf(deps)
  const plan = soldPlan(wanted)
  await assertAttempt(deps, accountAttempts('payments', account.accountId))
  const { customer: known } = await deps.primary(context =>
    readPlan(context, account.accountId),
  )
  const returnUrl = deps.publicUrl + ACCOUNT_PATH
  const subscriptions = known ? await billing.subscriptionsOf(known) : []
  if (known && !subscriptions.every(isEnded))
    return billing.openPortal(known, returnUrl)
  const name = attemptName(account, attempt)
  const customer = known ?? (await newCustomer(deps, billing, account, name))
  return billing.openCheckout(
    { accountId: account.accountId, customer, plan, returnUrl },
    `${name}-${plan}`,
  )
}

/**
 * Mails the operator which plan an account wants, where plans are not sold
 * through Stripe.
 * @throws ApiError 400 for a plan that is not sold, 404 where it cannot be
 * mailed, 429, 503.
 */
export async function askForPlan(
  deps: Deps,
  account: SignedIn,
  wanted: string,
): Promise<void> {
  const to = planContact(deps)
  if (!to) throw noSale()
  const { name, price } = PLANS[soldPlan(wanted)]
  await assertAttempt(deps, accountAttempts('payments', account.accountId))
  await deps.mailer.send({
    to,
    subject: `${account.emailAddress} asks for ${name}`,
    text: `The account ${account.emailAddress} asks for the plan ${name}, ${price}. Reply to this email to answer.\n`,
    headers: { 'Reply-To': account.emailAddress },
  })
}

/**
 * Whom requests for a plan are mailed to; null where there is no address or no
 * mail.
 */
export function planContact({
  contactEmail,
  mailer,
  data,
}: Deps): string | null {
  return mailer.hasServer || data.kind === 'demo' ? contactEmail : null
}

/** @throws ApiError 400 for a plan that is not sold. */
function soldPlan(wanted: string) {
  const plan = SOLD_PLANS.find(sold => sold === wanted)
  if (!plan)
    throw invalidRequest(
      `The plans that can be bought are ${SOLD_PLANS.join(', ')}.`,
    )
  return plan
}

/**
 * Stripe's portal, where a customer changes plan and card, cancels, and finds
 * the invoices.
 * @throws ApiError 404, 429, 503.
 */
export async function openPortal(
  deps: Deps,
  account: SignedIn,
): Promise<string> {
  const billing = billingOf(deps)
  await assertAttempt(deps, accountAttempts('payments', account.accountId))
  const { customer } = await deps.primary(context =>
    readPlan(context, account.accountId),
  )
  if (!customer) throw notFound('This account has no subscription yet.')
  return billing.openPortal(customer, deps.publicUrl + ACCOUNT_PATH)
}

function billingOf({ billing }: Deps) {
  if (!billing) throw noSale()
  return billing
}

function noSale() {
  return notFound('This service does not sell plans.')
}

async function newCustomer(
  deps: Deps,
  billing: Billing,
  account: SignedIn,
  attempt: string,
) {
  const { accountId: id, emailAddress: address } = account
  const made = await billing.createCustomer({ id, address }, attempt)
  return deps.primary(context => storeCustomer(context, id, made))
}

/**
 * The idempotency key at Stripe. It includes the account, so that a forged form
 * cannot name the attempt of another one.
 */
function attemptName({ accountId, emailAddress }: SignedIn, attempt: string) {
  return createHash('sha256')
    .update(`${accountId} ${emailAddress} ${attempt}`)
    .digest('hex')
}

const RELEVANT =
  /^(customer\.subscription\.|checkout\.session\.|invoice\.|customer\.deleted$)/

/** What became of an event of Stripe. */
interface AppliedEvent {
  event: ReturnType<Billing['readEvent']>
  outcome: string
  /**
   * What Stripe reported; null when it was not requested, or the customer is
   * deleted.
   */
  seen: Entitlement | null
}

/**
 * Reads from an event only that a customer has changed, and requests the
 * current subscriptions from Stripe. So events may be old, repeated or out of
 * order.
 * @returns the event, its outcome, and what Stripe reported (null when it was
 * not requested or the customer is deleted).
 * @throws ApiError 400 for a wrong signature; 503 when Stripe or the database
 * cannot be reached: then Stripe repeats the event.
 */
export async function applyStripeEvent(
  deps: Deps,
  body: Buffer,
  signature: string,
): Promise<AppliedEvent> {
  const { primary } = deps
  const billing = billingOf(deps)
  const event = billing.readEvent(body, signature)
  const { customer } = event
  if (!customer || !RELEVANT.test(event.type))
    return { event, outcome: 'not ours', seen: null }

  const { isKnown, hasAccount, look } = await primary(context =>
    findEvent(context, event.id, customer),
  )
  if (isKnown) return { event, outcome: 'known already', seen: null }
  if (!hasAccount) return { event, outcome: 'not ours', seen: null }
  const isDeleted = event.type === 'customer.deleted'
  const seen = isDeleted
    ? null
    : entitlementOf(await billing.subscriptionsOf(customer), billing.prices)
  await primary(context =>
    applyLook(context, { id: event.id, customer, look }, seen),
  )
  return { event, outcome: 'applied', seen }
}
