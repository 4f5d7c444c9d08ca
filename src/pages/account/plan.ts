import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { SOLD_PLANS } from '../../domain/accounts/subscription.ts'
import type { AccountPlan } from '../../infra/accounts/subscriptions.ts'
import { openPortal, startUpgrade } from '../../usecases/accounts/payments.ts'
import type { Deps } from '../../usecases/deps.ts'
import { hidden, postForm, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import { notice } from '../kit/notice.ts'
import type { Sessions } from './session.ts'

export function upgrade(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, { plan = '', attempt = '' }, _req, res) => {
    res.redirect(303, await startUpgrade(deps, visitor, plan, attempt))
  })
}

export function payments(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, _fields, _req, res) => {
    res.redirect(303, await openPortal(deps, visitor))
  })
}

/**
 * The plan of an account, and how to change it.
 * @param attempt the idempotency key of the payment forms.
 */
export function planSection(
  { billing, contactEmail }: Deps,
  held: AccountPlan,
  formToken: string,
  attempt: string,
): Html {
  const { name, price } = PLANS[held.plan]
  return html`<section id="plan">
<h2>Plan</h2>
<p>This account is on <strong>${name}</strong> (${price}). <a href="/pricing">Compare plans</a></p>
${notice('plain', standing(held))}
${billing ? paymentForms(held, formToken, attempt) : null}
<p>${billing ? 'For Enterprise' : 'For another plan'}, ${salesContact(contactEmail)}.</p>
</section>`
}

/** The state of the subscription, when it needs attention. */
function standing({ status, endsOn, isSet }: AccountPlan): string | null {
  if (isSet) {
    const end = endsOn ? `, until ${endsOn}; then the account is on Free` : ''
    return `The operator of this service set this plan${end}.`
  }
  if (status === 'past_due')
    return 'The last payment failed. Stripe will retry it, and your plan stays until then. Please check your card.'
  if (status === 'unpaid' || status === 'incomplete' || status === 'paused')
    return 'The subscription is not paid. Your account is on Free until it is.'
  return endsOn && `The subscription ends on ${endsOn}; then the account is on Free.`
}

function paymentForms(held: AccountPlan, formToken: string, attempt: string): Html {
  const larger = SOLD_PLANS.filter(plan => PLANS[plan].rank > PLANS[held.plan].rank)
  const upgrades = larger.map(plan => {
    const button = submit(`Upgrade to ${PLANS[plan].name}, ${PLANS[plan].price}`)
    const fields = html`${hidden('attempt', attempt)}${hidden('plan', plan)}<p>${button}</p>`
    return postForm('/account/plan', formToken, fields)
  })
  const manage = submit('Change plan or card, cancel, see invoices', 'secondary')
  return html`${held.status === null ? upgrades : null}
${held.customer ? postForm('/account/payments', formToken, html`<p>${manage}</p>`) : null}`
}

function salesContact(contactEmail: string | null): Html {
  if (!contactEmail) return html`ask the operator of this service`
  return html`write to <a href="mailto:${contactEmail}">${contactEmail}</a>`
}
