import { PLANS } from '../../contract/plans.ts'
import { SOLD_PLANS, type SoldPlan } from '../../domain/accounts/subscription.ts'
import type { AccountPlan } from '../../infra/accounts/subscriptions.ts'
import { type Html, html } from '../layout/html.ts'

/** How plans are sold here. */
export interface Selling {
  /** Whether Stripe is set up. */
  byStripe: boolean
  /** Whom to ask for a plan; null: the operator, unnamed. */
  contactEmail: string | null
}

/** The plan of an account, and the way to another. */
export function planSection(held: AccountPlan, selling: Selling, formToken: string, attempt: string): Html {
  const { name, price } = PLANS[held.plan]
  return html`<section id="plan">
<h2>Plan</h2>
<p>This account is on <strong>${name}</strong> (${price}). <a href="/pricing">What the plans include</a></p>
${standing(held)}
${selling.byStripe ? payments(held, formToken, attempt) : null}
<p>${selling.byStripe ? 'For Enterprise' : 'For another plan'}, ${ask(selling.contactEmail)}.</p>
</section>`
}

/** How the subscription stands, where that is not a matter of course. */
function standing({ status, endsOn }: AccountPlan): Html | null {
  if (status === 'past_due') {
    return html`<p class="notice" role="status">The last payment failed, and is tried again. Please look after your card; until then the plan stays.</p>`
  }
  if (status === 'unpaid' || status === 'incomplete' || status === 'paused') {
    return html`<p class="notice" role="status">The subscription is not paid, so the account is on Free until it is.</p>`
  }
  return endsOn
    ? html`<p class="notice" role="status">The subscription ends on ${endsOn}; then the account is on Free.</p>`
    : null
}

function payments(held: AccountPlan, formToken: string, attempt: string): Html {
  const larger = SOLD_PLANS.filter(plan => PLANS[plan].rank > PLANS[held.plan].rank)
  const upgrades = held.status === null ? larger.map(plan => upgrade(plan, formToken, attempt)) : []
  const manage = html`<form method="post" action="/account/payments">
<input type="hidden" name="form_token" value="${formToken}">
<p><button type="submit" class="secondary">Change plan or card, cancel, see invoices</button></p>
</form>`
  return html`${upgrades}${held.customer ? manage : null}`
}

function upgrade(plan: SoldPlan, formToken: string, attempt: string): Html {
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
