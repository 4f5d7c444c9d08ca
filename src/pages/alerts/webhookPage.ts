import labels from '../../../data/webhook-labels.json' with { type: 'json' }
import type { Plan } from '../../contract/plans.ts'
import { ENDPOINT_FORMATS, KIND_TITLES } from '../../domain/alerts/webhooks.ts'
import { count, formatNumber } from '../../domain/format.ts'
import { type Endpoint, includedEndpoints, type LoggedDelivery } from '../../usecases/alerts/endpoints.ts'
import { moment } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'

const HOME = '/account/alerts/endpoints'
const DAY_MS = 86_400_000

interface ListShown {
  plan: Plan
  most: number
  endpoints: Endpoint[]
  formToken: string
  message: string | null
  /** The form that was refused, and why. */
  refused?: { url?: string; format?: string } | undefined
  problem?: string | undefined
}

/** The webhook endpoints of an account, and the form for a new one. */
export function endpointsPage(shown: ListShown): Page {
  const { endpoints, plan, most, message } = shown
  const rows = endpoints.map(
    endpoint => html`<li><a href="${HOME}/${endpoint.id}">${endpoint.url}</a> ${badgeOf(endpoint)}</li>
`,
  )
  return {
    title: 'Webhook endpoints',
    content: html`${notice(message)}
<p>An endpoint is an address of yours that receives each match of your alerts as soon as it is found. <a href="/account/alerts">Your alerts</a> choose which endpoints they send to.</p>
<p>${includedEndpoints(plan)} <a href="/pricing">Compare plans</a></p>
${
  endpoints.length > 0
    ? html`<ul>
${rows}</ul>`
    : null
}
${endpoints.length < most ? newEndpointForm(shown) : shown.problem ? html`<p role="alert">${shown.problem}</p>` : null}`,
    section: '/account',
    unlisted: true,
  }
}

function newEndpointForm({ formToken, refused, problem }: ListShown): Html {
  const described = problem ? html` aria-invalid="true" aria-describedby="problem"` : null
  const options = ENDPOINT_FORMATS.map(
    format =>
      html`<option value="${format}"${format === refused?.format ? html` selected` : null}>${labels.formats[format]}</option>
`,
  )
  return html`<h2>New endpoint</h2>
${problem ? html`<p role="alert" id="problem">${problem}</p>` : null}
<form method="post" action="${HOME}">
<input type="hidden" name="form_token" value="${formToken}">
<p><label for="url">Address (https)</label><br>
<input id="url" name="url" type="url" maxlength="2000" required autocomplete="off" value="${refused?.url ?? ''}"${described}></p>
<p><label for="format">Format</label><br>
<select id="format" name="format">
${options}</select></p>
<p><button type="submit">Create the endpoint</button></p>
</form>`
}

interface EndpointShown {
  endpoint: Endpoint
  log: Pick<DeliveryLog, 'deliveries' | 'next'>
  now: Date
  formToken: string
  message: string | null
}

/** One endpoint: its state, its secret, its actions and its delivery log. */
export function webhookPage({ endpoint, log, now, formToken, message }: EndpointShown): Page {
  const { id, url, format, disabled_at, disabled_reason, failing_since, is_included } = endpoint
  const isSending = is_included && disabled_at === null
  const form = (path: string, button: Html, inner: Html | null = null) =>
    html`<form method="post" action="${HOME}/${id}/${path}"><input type="hidden" name="form_token" value="${formToken}">${inner}<p>${button}</p></form>
`
  const since = failing_since ?? new Date(now.getTime() - DAY_MS).toISOString()
  const recover = html`<details><summary>Recover failed messages</summary>
${form(
  'recover',
  html`<button type="submit" class="secondary">Send the failed messages again</button>`,
  html`<p><label for="since">Failed since (UTC)</label><br>
<input id="since" name="since" type="datetime-local" required value="${since.slice(0, 16)}"></p>
<p>All messages made since then that failed, or wait for their next attempt, are sent now, the oldest first. Each keeps its <code>webhook-id</code>.</p>`,
)}</details>`
  return {
    title: 'Webhook endpoint',
    content: html`${notice(message)}
<p><code>${url}</code> ${badgeOf(endpoint)}</p>
<p>${labels.formats[format]}. <a href="${HOME}">All endpoints</a></p>
${failing_since && !disabled_at ? html`<p class="notice bad">Every attempt since ${moment(failing_since)} failed. After 5 days the endpoint is disabled.</p>` : null}
${disabled_at ? html`<p class="notice bad">Disabled since ${moment(disabled_at)}: ${disabled_reason} Fix the receiver, then enable the endpoint.</p>` : null}
${is_included ? null : html`<p class="notice bad">Your plan does not include this endpoint, so nothing is sent to it. <a href="/pricing">Compare plans</a></p>`}
${disabled_at ? form('enable', html`<button type="submit">Enable again</button>`) : null}
${isSending ? form('test', html`<button type="submit" class="secondary">Send a test message</button>`) : null}
${format === 'standard' ? secretSection(endpoint, form) : null}
${isSending ? recover : null}
<details><summary>Delete</summary>
${form('delete', html`<button type="submit" class="danger">Delete this endpoint</button>`, html`<p>The endpoint and its log are deleted, and nothing more is sent to it. This cannot be undone.</p>`)}</details>
${deliveryLog({ ...log, address: `${HOME}/${id}`, formToken: isSending ? formToken : null })}`,
    section: '/account',
    unlisted: true,
  }
}

/** The secret stays readable, because receivers verify with it what this service sends. */
function secretSection(
  { secret, old_secret_until }: Endpoint,
  form: (path: string, button: Html, inner: Html) => Html,
): Html {
  return html`<details><summary>Show the signing secret</summary>
<p><code>${secret}</code></p>
<p>Verify each message with it, by <a href="https://www.standardwebhooks.com/" rel="noopener">Standard Webhooks</a>.</p></details>
${old_secret_until ? html`<p>The secret before this one also signs until ${moment(old_secret_until)}.</p>` : null}
<details><summary>Rotate the secret</summary>
${form('rotate', html`<button type="submit" class="secondary">Rotate the secret</button>`, html`<p>Messages are signed with the new secret at once, and with the current one for 24 hours more. A secret that was rotated out before stops signing now.</p>`)}</details>`
}

function badgeOf({ is_included, disabled_at, failing_since }: Endpoint): Html {
  if (!is_included) return html`<span class="badge poor">Not in your plan</span>`
  if (disabled_at) return html`<span class="badge poor">Disabled</span>`
  return failing_since
    ? html`<span class="badge poor">Failing</span>`
    : html`<span class="badge good">Working</span>`
}

function notice(message: string | null): Html | null {
  return message ? html`<p class="notice good" role="status">${message}</p>` : null
}

export interface DeliveryLog {
  deliveries: LoggedDelivery[]
  /** The id to continue with; null on the last page. */
  next: string | null
  /** Of the endpoint. */
  address: string
  /** Null: nothing can be sent now. */
  formToken: string | null
}

/** A page of the messages to an endpoint, with every attempt. */
export function deliveryLog(log: DeliveryLog): Html {
  const { deliveries, next, address } = log
  const list = html`<ul>
${deliveries.map(delivery => logEntry(delivery, log))}</ul>`
  return html`<section id="log">
<h2>Messages of the last 30 days</h2>
${deliveries.length === 0 ? html`<p>No messages.</p>` : list}
${next ? html`<p><a href="${address}?before=${next}#log">Older messages</a></p>` : null}
</section>`
}

function logEntry(delivery: LoggedDelivery, { address, formToken }: DeliveryLog): Html {
  const { id, kind, lot, search, created_at, attempts, is_being_sent } = delivery
  const title = kind === null ? 'Test' : KIND_TITLES[kind]
  const resend = html`<form method="post" action="${address}/messages/${id}/resend"><input type="hidden" name="form_token" value="${formToken}"><p><button type="submit" class="secondary" aria-label="Resend ${title}: ${lot?.title}">Resend</button></p></form>
`
  return html`<li><p><strong>${title}</strong>${lot ? html`: <a href="/listings/${lot.slug}">${lot.title}</a>` : null}${search === null ? null : ` for “${search}”`}, ${moment(created_at)}<br>
${stateOf(delivery)}</p>
${
  attempts.length === 0
    ? null
    : html`<details><summary>${count(attempts.length, 'attempt')}, the latest: ${statusOf(attempts[0]!)}</summary>
${attempts.map(attemptEntry)}</details>`
}
${formToken === null || is_being_sent ? null : resend}</li>
`
}

/** A delivered message that is sent again is due again. */
function stateOf({ delivered_at, due_at, is_being_sent }: LoggedDelivery): Html {
  if (is_being_sent) return html`<span class="badge">Being sent</span>`
  if (due_at) return html`<span class="badge">Waiting</span> next attempt: ${moment(due_at)}`
  return delivered_at
    ? html`<span class="badge good">Delivered</span>`
    : html`<span class="badge poor">Failed</span> no more attempts`
}

function attemptEntry(attempt: LoggedDelivery['attempts'][number]): Html {
  const { attempted_at, milliseconds, answer } = attempt
  return html`<p>${moment(attempted_at)}: ${statusOf(attempt)}, ${formatNumber(milliseconds)} ms</p>
<pre>${answer === '' ? '(an empty answer)' : answer}</pre>
`
}

function statusOf({ status }: { status: number | null }): string {
  return status === null ? 'no answer' : `status ${status}`
}
