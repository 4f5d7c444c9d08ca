import labels from '../../../data/labels.json' with { type: 'json' }
import { type Contract, planNeeded } from '../../contract/document.ts'
import { KEYLESS, PLAN_IDS, PLANS, type Plan } from '../../contract/plans.ts'
import { formatNumber } from '../../domain/format.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'
import { readTemplate } from './guides.ts'
import { renderMarkdown } from './markdown.ts'

/**
 * How plans are bought: through Stripe, or by a mail to the operator (null:
 * there is no address).
 */
interface Sales {
  isSold: boolean
  contactEmail: string | null
}

/**
 * The plans, from the table that enforces them and from the contract.
 * @param contact whom the questions name.
 */
export function pricingPage(
  contract: Contract,
  contact: string,
  sales: Sales,
): Page {
  const questions = readTemplate('docs/guides/plan-questions.md', {
    contact,
    keyless_calls_per_month: formatNumber(KEYLESS.calls_per_month),
    keyless_calls_per_minute: formatNumber(KEYLESS.calls_per_minute),
  })
  return {
    title: 'Plans and pricing',
    content: html`<p class="lead">Every plan sees every lot. Larger plans make more calls and show more of what lots sell for.</p>
${!sales.isSold && html`<p>${howToGet(sales.contactEmail)}</p>`}
<ul class="cards plans">
${PLAN_IDS.map(id => planCard(id, sales))}</ul>
<h2 id="compare">Compare plans</h2>
${comparison(contract)}
<p>Enterprise limits are agreed by contract; the numbers are the defaults. <a href="/docs/authentication#plans">Which plan each operation needs</a>.</p>
<div class="questions">${{ markup: renderMarkdown(questions) }}</div>`,
    section: '/pricing',
    description: 'Four plans: the price, the calls and the features of each.',
    canonical: '/pricing',
  }
}

/** Where no payment is set up. */
function howToGet(contactEmail: string | null) {
  if (contactEmail === null)
    return 'No paid plan is sold here; every account is on Free.'
  return html`To get a paid plan, email <a href="mailto:${contactEmail}">${contactEmail}</a>.`
}

function planCard(id: Plan, sales: Sales) {
  const { name, price, calls_per_month, calls_per_minute } = PLANS[id]
  const figure = (words: string, value: number) =>
    html`<div><dt>${words}</dt><dd>${formatNumber(value)}</dd></div>`
  const address = addressOf(id, sales)
  return html`<li id="${id}"><h2>${name}</h2>
<p class="price">${price}</p>
<p>${labels.plans[id]}</p>
<dl>${figure('Calls a month', calls_per_month)}${figure('Calls a minute', calls_per_minute)}</dl>
${address && html`<p><a class="action" href="${address}">${labels.plan_buttons[id]}</a></p>`}</li>`
}

/** Where the button of a plan leads; null for a plan that nobody sells here. */
function addressOf(id: Plan, { isSold, contactEmail }: Sales) {
  if (id === 'free') return '/account'
  if (id === 'enterprise') return contactEmail && `mailto:${contactEmail}`
  return isSold || contactEmail ? `/account?plan=${id}#plan` : null
}

type Comparison = [words: string, cell: (plan: (typeof PLANS)[Plan]) => string]

function comparison({ operations }: Contract) {
  const features = Object.entries(labels.plan_features).map(
    ([call, words]): Comparison => {
      const [operationId, parameter] = call.split('?')
      const operation = operations.find(one => one.operationId === operationId)
      const least = operation
        ? planNeeded(operation, parameter ? [parameter] : []).plan
        : null
      return [
        words,
        ({ rank }) => (rank >= PLANS[least ?? 'free'].rank ? 'Yes' : '–'),
      ]
    },
  )
  const rows: Comparison[] = [
    ['Calls a month', plan => formatNumber(plan.calls_per_month)],
    [
      'Calls a minute, for each key',
      plan => formatNumber(plan.calls_per_minute),
    ],
    ...features,
    [
      'Alerts: saved searches and watched lots',
      ({ alerts }) => formatNumber(alerts.searches),
    ],
    [
      'Alerts by email',
      ({ alerts }) => (alerts.isInstant ? 'Instantly' : 'Once a day'),
    ],
    [
      'Webhook endpoints',
      ({ alerts }) =>
        alerts.endpoints === 0 ? '–' : formatNumber(alerts.endpoints),
    ],
  ]
  const plans = PLAN_IDS.map(
    (id): Column<Comparison> => [PLANS[id].name, ([, cell]) => cell(PLANS[id])],
  )
  return table(
    [['What you get', ([words]) => words, 'header'], ...plans],
    rows,
    {
      style: 'compare',
    },
  )
}
