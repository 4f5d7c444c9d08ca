import { PLAN_IDS, PLANS } from '../domain/plans.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const INCLUDES = {
  free: 'Live listings, sources, sold prices by category and state, the agent endpoint.',
  pro: 'Free, and comparables by item and by listing, resale margin, Flip Score factors.',
  pro_plus: 'Pro, and the CSV export.',
  enterprise: 'Pro+, and larger limits, historical archives, custom feeds, data licensing.',
}

/** The plans, from the table that enforces them. */
export function pricingPage(): string {
  const rows = PLAN_IDS.map(id => {
    const plan = PLANS[id]
    return html`<tr><th scope="row">${plan.name}</th><td>${plan.price}</td><td>${count(plan.calls_per_month)}</td><td>${count(plan.calls_per_minute)}</td><td>${INCLUDES[id]}</td></tr>
`
  })
  return layout(
    'Pricing',
    html`<table>
<thead><tr><th>Plan</th><th>Price</th><th>Calls a month</th><th>Calls a minute</th><th>Includes</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<p>The month is the calendar month in UTC, shared by the keys of one account. Enterprise limits are agreed by contract; the numbers are its defaults.
Keys and plans are on <a href="/account">your account</a>; an account is free and needs no card.</p>`,
  )
}

function count(calls: number): string {
  return calls.toLocaleString('en-US')
}
