import { KEYLESS, PLAN_IDS, PLANS, type Plan } from '../contract/plans.ts'
import { type Html, html } from './layout/html.ts'
import { layout } from './layout/layout.ts'

const INCLUDES = {
  free: 'Live listings, sources, sold prices by category and state, the agent endpoint.',
  pro: 'Free, and comparables by item and by listing, resale margin, Flip Score factors.',
  pro_plus: 'Pro, and the CSV export.',
  enterprise: 'Pro+, and larger limits, historical archives, custom feeds, data licensing.',
}

/** The plans, from the table that enforces them. */
export function pricingPage(publicUrl: string): string {
  return layout(
    'Pricing',
    html`<p class="lead">Every plan reads the full catalog. A larger one makes more calls and sees more of what lots sell for.</p>
<ul class="cards plans">
${PLAN_IDS.map(planCard)}</ul>
<p>The month is the calendar month in UTC, shared by the keys of one account. Enterprise limits are agreed by contract; the numbers are its defaults.
<a href="/docs/authentication#plans">Which operation needs which plan</a>, and <a href="/docs/authentication#limits">what counts</a>.</p>
<p>Agents may call without a key: ${count(KEYLESS.calls_per_month)} tool calls a month and ${count(KEYLESS.calls_per_minute)} a minute from one address
(<a href="/docs/mcp">the agent endpoint</a>).</p>
<p><a class="action" href="/account">Get a key</a></p>`,
    {
      section: '/pricing',
      description: 'Four plans: what each costs, how many calls it makes and what it includes.',
      canonical: `${publicUrl}/pricing`,
    },
  )
}

function planCard(id: Plan): Html {
  const { name, price, calls_per_month, calls_per_minute } = PLANS[id]
  return html`<li id="${id}"><h2>${name}</h2>
<p class="price">${price}</p>
<p>${INCLUDES[id]}</p>
<dl><div><dt>Calls a month</dt><dd>${count(calls_per_month)}</dd></div><div><dt>Calls a minute</dt><dd>${count(calls_per_minute)}</dd></div></dl></li>
`
}

function count(calls: number): string {
  return calls.toLocaleString('en-US')
}
