import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, Operation } from '../../contract/document.ts'
import { PLAN_IDS, PLANS } from '../../contract/plans.ts'
import { ERRORS } from '../../domain/errors.ts'
import { formatNumber } from '../../domain/format.ts'
import { type Html, html } from '../layout/html.ts'

/** The placeholders of the guides: this service's addresses, and tables from the contract and from the code that enforces them. */
export function placeholders(
  { operations, document }: Contract,
  publicUrl: string,
  contact: string,
): Record<string, string> {
  const { calls_per_month, calls_per_minute } = PLANS.free
  return {
    base_url: publicUrl,
    contact,
    free_calls_per_month: formatNumber(calls_per_month),
    free_calls_per_minute: formatNumber(calls_per_minute),
    operation_table: table(
      html`<th scope="col">Operation</th><th scope="col">From plan</th>`,
      operations.flatMap(plansOf),
    ),
    plan_table: table(
      html`<th scope="col">Plan</th><th scope="col" class="number">Calls a month</th><th scope="col" class="number">Calls a minute</th>`,
      PLAN_IDS.map(limitsOf),
    ),
    error_sections: Object.entries(ERRORS).map(errorSection).join('\n'),
    deprecation_table: deprecationTable(operations),
    alert_plan_table: table(
      html`<th scope="col">Plan</th><th scope="col" class="number">Alerts</th><th scope="col">Mail</th><th scope="col" class="number">Webhook endpoints</th>`,
      PLAN_IDS.map(alertLimitsOf),
    ),
    alert_example: JSON.stringify(exampleOfWebhook(document, 'lotMatched'), null, 2),
  }
}

function table(head: Html, rows: Html[]): string {
  return html`<table><thead><tr>${head}</tr></thead><tbody>
${rows}</tbody></table>`.markup
}

/** The plan of an operation, and of each parameter that needs a larger one. */
function plansOf({ method, path, plan, parameters }: Operation): Html[] {
  const name = `${method.toUpperCase()} ${path}`
  const row = (
    call: string,
    planName: string,
  ) => html`<tr><td><code>${call}</code></td><td>${planName}</td></tr>
`
  const gated = parameters.flatMap(parameter =>
    parameter.plan ? row(`${name}?${parameter.name}=…`, PLANS[parameter.plan].name) : [],
  )
  return [row(name, plan ? PLANS[plan].name : 'no key needed'), ...gated]
}

function limitsOf(id: (typeof PLAN_IDS)[number]): Html {
  const { name, calls_per_month, calls_per_minute } = PLANS[id]
  return html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(calls_per_month)}</td><td class="number">${calls_per_minute}</td></tr>
`
}

function alertLimitsOf(id: (typeof PLAN_IDS)[number]): Html {
  const { name, alerts } = PLANS[id]
  return html`<tr><th scope="row">${name}</th><td class="number">${alerts.searches}</td><td>${alerts.isInstant ? 'at once, daily or weekly' : 'daily or weekly'}</td><td class="number">${alerts.endpoints}</td></tr>
`
}

function exampleOfWebhook({ webhooks }: Contract['document'], name: string): unknown {
  const item = webhooks?.[name] as OpenAPIV3_1.PathItemObject | undefined
  const body = item?.post?.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  return body?.content['application/json']?.example
}

/** An error answer's `docs` leads to the section of its code. */
function errorSection([code, { status, condition, remedy }]: [
  string,
  (typeof ERRORS)[keyof typeof ERRORS],
]): string {
  return html`<section id="${code}"><h2><code>${code}</code> <span class="badge neutral">${status}</span></h2><p>${condition}</p><p>${remedy}</p></section>`
    .markup
}

function deprecationTable(operations: Operation[]): string {
  const rows = operations.flatMap(({ method, path, deprecation }) =>
    deprecation
      ? html`<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${day(deprecation.deprecatedAt)}</td><td>${day(deprecation.sunsetAt)}</td></tr>
`
      : [],
  )
  if (rows.length === 0) return 'No operation is deprecated.'
  return table(
    html`<th scope="col">Operation</th><th scope="col">Deprecated</th><th scope="col">Stops answering</th>`,
    rows,
  )
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
