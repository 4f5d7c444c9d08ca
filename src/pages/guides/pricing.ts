import labels from '../../../data/labels.json' with { type: 'json' }
import { KEYLESS, PLAN_IDS, PLANS, type Plan } from '../../contract/plans.ts'
import { formatNumber } from '../../domain/format.ts'
import { type Html, html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

/** The plans, from the table that enforces them. */
export function pricingPage(publicUrl: string): string {
  return layout(
    'Pricing',
    html`<p class="lead">Every plan reads the full catalog. Larger plans make more calls and show more of what lots sell for.</p>
<ul class="cards plans">
${PLAN_IDS.map(planCard)}</ul>
<p>The month is the calendar month in UTC, shared by all keys of an account. Enterprise limits are agreed by contract; the numbers are the defaults.
<a href="/docs/authentication#plans">Which plan each operation needs</a>, and <a href="/docs/authentication#limits">which calls count</a>.</p>
<p>An <a href="/account/alerts">alert</a> is a saved search or a lot that you watch.</p>
<p>Agents may call without a key: ${formatNumber(KEYLESS.calls_per_month)} tool calls a month and ${formatNumber(KEYLESS.calls_per_minute)} a minute from one address
(<a href="/docs/mcp">the agent endpoint</a>).</p>
<p><a class="action" href="/account">Get a key</a></p>`,
    {
      section: '/pricing',
      description: 'Four plans: the price, the calls and the features of each.',
      canonical: `${publicUrl}/pricing`,
    },
  )
}

function planCard(id: Plan): Html {
  const { name, price, calls_per_month, calls_per_minute, alerts } = PLANS[id]
  const figure = (words: string, value: string) => html`<div><dt>${words}</dt><dd>${value}</dd></div>`
  return html`<li id="${id}"><h2>${name}</h2>
<p class="price">${price}</p>
<p>${labels.plans[id]}</p>
<dl>${figure('Calls a month', formatNumber(calls_per_month))}${figure('Calls a minute', formatNumber(calls_per_minute))}${figure('Alerts', formatNumber(alerts.searches))}${figure('Alerts by mail', alerts.isInstant ? 'At once' : 'Once a day')}${figure('Webhook endpoints', alerts.endpoints === 0 ? 'None' : formatNumber(alerts.endpoints))}</dl></li>
`
}
