import labels from '../../../data/labels.json' with { type: 'json' }
import webhookLabels from '../../../data/webhook-labels.json' with {
  type: 'json',
}
import { KIND_TITLES } from '../../domain/alerts/webhooks.ts'
import { count, formatNumber } from '../../domain/format.ts'
import { queryOf } from '../../http/call.ts'
import {
  type Endpoint,
  includedEndpoints,
  type LoggedDelivery,
  listEndpoints,
  readDeliveryLog,
  readEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import { type AccountVisit, ownedBy } from '../account/session.ts'
import { moment } from '../kit/format.ts'
import { inputLine, postForm, secondClick, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import { badge, notice, problemNotice } from '../kit/notice.ts'
import { noticeOf } from '../kit/requests.ts'

export const ENDPOINTS_PATH = '/account/alerts/endpoints'

/**
 * The webhook endpoints of an account, and the form for a new one.
 * @param problem why that was refused.
 */
export async function endpointsPage(
  visit: AccountVisit,
  problem: string | null,
) {
  const { endpoints, plan, most } = await listEndpoints(
    visit.deps,
    visit.viewer.accountId,
  )
  const rows = endpoints.map(
    endpoint =>
      html`<li><a href="${ENDPOINTS_PATH}/${endpoint.id}">${endpoint.url}</a> ${badgeOf(endpoint)}</li>`,
  )
  return {
    title: 'Webhook endpoints',
    status: problem === null ? 200 : 400,
    content: html`${notice('good', noticeOf(visit.req, webhookLabels.messages))}
<p>An endpoint is a URL of yours that receives each match of your alerts as soon as it is found. <a href="/account/alerts">Your alerts</a> choose which endpoints they send to.</p>
<p>${includedEndpoints(plan)} <a href="/pricing">Compare plans</a></p>
${rows.length > 0 && html`<ul>\n${rows}</ul>`}
${endpoints.length < most ? newEndpointForm(visit, problem) : problemNotice(problem)}`,
  }
}

function newEndpointForm(
  { viewer, fields }: AccountVisit,
  problem: string | null,
) {
  const url = {
    name: 'url',
    type: 'url',
    maxlength: 2000,
    required: true,
    autocomplete: 'off',
    value: fields.url,
  }
  const content = html`
${inputLine('URL (https)', url, problem !== null)}
<p>${submit('Create the endpoint')}</p>`
  return html`<h2>New endpoint</h2>
${problemNotice(problem)}${postForm(ENDPOINTS_PATH, viewer.formToken, content)}`
}

type EndpointForm = (path: string, button: Html, more?: Html) => Html

/** One endpoint: its state, its secret, its actions and its delivery log. */
export async function webhookPage(visit: AccountVisit) {
  const { deps, viewer, req } = visit
  const endpoint = await readEndpoint(deps, ownedBy(visit))
  const log = await readDeliveryLog(
    deps,
    ownedBy(visit),
    queryOf(req).get('before'),
  )
  const { id, url, disabled_at, disabled_reason, failing_since, is_included } =
    endpoint
  const form: EndpointForm = (path, button, more) =>
    postForm(
      `${ENDPOINTS_PATH}/${id}/${path}`,
      viewer.formToken,
      html`${more}<p>${button}</p>`,
    )
  return {
    title: 'Webhook endpoint',
    content: html`${notice('good', noticeOf(req, webhookLabels.messages))}
<p><code>${url}</code> ${badgeOf(endpoint)}</p>
<p><a href="${ENDPOINTS_PATH}">All endpoints</a></p>
${failing_since && !disabled_at && notice('bad', html`Every attempt since ${moment(failing_since)} failed. After 5 days the endpoint is disabled.`)}
${disabled_at && notice('bad', html`Disabled since ${moment(disabled_at)}: ${disabled_reason} Fix the receiver, then enable the endpoint.`)}
${!is_included && notice('bad', html`Your plan does not include this endpoint, so nothing is sent to it. <a href="/pricing">Compare plans</a>`)}
<div class="buttons">${is_included && form('resume', submit(disabled_at ? 'Enable, and send what failed' : 'Send what failed', disabled_at ? null : 'secondary'))}
${is_included && disabled_at === null && form('test', submit('Send a test message', 'secondary'))}</div>
${secretSection(endpoint, form)}
${secondClick('Delete', form('delete', submit('Delete this endpoint', 'danger'), html`<p>${labels.notes.delete_endpoint}</p>`))}
<section id="log">
<h2>Messages of the last 30 days</h2>
${log.deliveries.length === 0 ? html`<p>No messages.</p>` : html`<ul>\n${log.deliveries.map(logEntry)}</ul>`}
${log.next && html`<p><a href="${ENDPOINTS_PATH}/${id}?before=${log.next}#log">Older messages</a></p>`}
</section>`,
  }
}

/**
 * The secret stays readable, because receivers verify with it what this service
 * sends.
 */
function secretSection(
  { secret, old_secret_until }: Endpoint,
  form: EndpointForm,
) {
  return html`<details><summary>Show the signing secret</summary>
<p><code>${secret}</code></p>
<p>Verify each message with it, by <a href="https://www.standardwebhooks.com/" rel="noopener">Standard Webhooks</a>.</p></details>
${old_secret_until && html`<p>The previous secret also signs until ${moment(old_secret_until)}.</p>`}
${secondClick('Rotate the secret', form('rotate', submit('Rotate the secret', 'secondary'), html`<p>${labels.notes.rotate_secret}</p>`))}`
}

/** A message with every attempt. */
function logEntry(delivery: LoggedDelivery) {
  const { kind, lot, search, created_at, attempts } = delivery
  return html`<li><p><strong>${kind === null ? 'Test' : KIND_TITLES[kind]}</strong>${lot && html`: <a href="/listings/${lot.slug}">${lot.title}</a>`}${search !== null && ` for “${search}”`}, ${moment(created_at)}<br>
${stateOf(delivery)}</p>
${attempts[0] && html`<details><summary>${count(attempts.length, 'attempt')}, the latest: ${statusOf(attempts[0])}</summary>\n${attempts.map(attemptEntry)}</details>`}</li>`
}

function stateOf({ delivered_at, due_at, is_being_sent }: LoggedDelivery) {
  if (is_being_sent) return badge('Being sent')
  if (due_at) return html`${badge('Waiting')} next attempt: ${moment(due_at)}`
  return delivered_at
    ? badge('Delivered', 'good')
    : html`${badge('Failed', 'poor')} no more attempts`
}

function attemptEntry(attempt: LoggedDelivery['attempts'][number]) {
  const { attempted_at, milliseconds, answer } = attempt
  return html`<p>${moment(attempted_at)}: ${statusOf(attempt)}, ${formatNumber(milliseconds)} ms</p>
<pre>${answer === '' ? '(an empty answer)' : answer}</pre>`
}

function statusOf({ status }: { status: number | null }) {
  return status === null ? 'no answer' : `status ${status}`
}

function badgeOf({ is_included, disabled_at, failing_since }: Endpoint) {
  if (!is_included) return badge('Not in your plan', 'poor')
  if (disabled_at) return badge('Disabled', 'poor')
  return failing_since ? badge('Failing', 'poor') : badge('Working', 'good')
}
