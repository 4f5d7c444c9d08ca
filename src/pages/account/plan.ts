import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { SOLD_PLANS, type SoldPlan } from '../../domain/accounts/subscription.ts'
import type { AccountPlan } from '../../infra/accounts/subscriptions.ts'
import { openPortal, startUpgrade } from '../../usecases/accounts/payments.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../kit/html.ts'
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
${standing(held)}
${billing ? paymentForms(held, formToken, attempt) : null}
<p>${billing ? 'For Enterprise' : 'For another plan'}, ${ask(contactEmail)}.</p>
</section>`
}

/** The state of the subscription, when it needs attention. */
function standing({ status, endsOn, isSet }: AccountPlan): Html | null {
  if (isSet) {
    const end = endsOn ? `, until ${endsOn}; then the account is on Free` : ''
    return html`<p class="notice" role="status">The operator of this service set this plan${end}.</p>`
  }
  if (status === 'past_due') {
    return html`<p class="notice" role="status">The last payment failed. Stripe will retry it, and your plan stays until then. Please check your card.</p>`
  }
  if (status === 'unpaid' || status === 'incomplete' || status === 'paused') {
    return html`<p class="notice" role="status">The subscription is not paid. Your account is on Free until it is.</p>`
  }
  return endsOn
    ? html`<p class="notice" role="status">The subscription ends on ${endsOn}; then the account is on Free.</p>`
    : null
}

function paymentForms(held: AccountPlan, formToken: string, attempt: string): Html {
  const larger = SOLD_PLANS.filter(plan => PLANS[plan].rank > PLANS[held.plan].rank)
  const upgrades = held.status === null ? larger.map(plan => upgradeForm(plan, formToken, attempt)) : []
  const manage = html`<form method="post" action="/account/payments">
<input type="hidden" name="form_token" value="${formToken}">
<p><button type="submit" class="secondary">Change plan or card, cancel, see invoices</button></p>
</form>`
  return html`${upgrades}${held.customer ? manage : null}`
}

function upgradeForm(plan: SoldPlan, formToken: string, attempt: string): Html {
  return html`<form method="post" action="/account/plan">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="attempt" value="${attempt}">
<input type="hidden" name="plan" value="${plan}">
<p><button type="submit">Upgrade to ${PLANS[plan].name}, ${PLANS[plan].price}</button></p>
</form>
`
}

function ask(contactEmail: string | null): Html {
  if (!contactEmail) return html`ask the operator of this service`
  return html`write to <a href="mailto:${contactEmail}">${contactEmail}</a>`
}
