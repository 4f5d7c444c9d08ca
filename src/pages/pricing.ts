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
export function pricingPage(publicUrl: string): string {
  const rows = PLAN_IDS.map(id => {
    const plan = PLANS[id]
    return html`<tr id="${id}"><th scope="row">${plan.name}</th><td>${plan.price}</td><td class="number">${count(plan.calls_per_month)}</td><td class="number">${count(plan.calls_per_minute)}</td><td>${INCLUDES[id]}</td></tr>
`
  })
  return layout(
    'Pricing',
    html`<p>Every plan reads the full catalog. A larger one makes more calls and sees more of what lots sell for.</p>
<table>
<thead><tr><th scope="col">Plan</th><th scope="col">Price</th><th scope="col" class="number">Calls a month</th><th scope="col" class="number">Calls a minute</th><th scope="col">Includes</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<p>The month is the calendar month in UTC, shared by the keys of one account. Enterprise limits are agreed by contract; the numbers are its defaults.
<a href="/docs/authentication#plans">Which operation needs which plan</a>, and <a href="/docs/authentication#limits">what counts</a>.</p>
<p>Ask the operator of this service for a key or a larger plan.</p>`,
    {
      section: '/pricing',
      description: 'Four plans: what each costs, how many calls it makes and what it includes.',
      canonical: `${publicUrl}/pricing`,
    },
  )
}

function count(calls: number): string {
  return calls.toLocaleString('en-US')
}
