import { KIND_TITLES } from '../../domain/alerts/messageFormats.ts'
import { count, formatNumber } from '../../domain/format.ts'
import type { LoggedDelivery } from '../../usecases/alerts/endpoints.ts'
import { moment } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'

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
  const { id, kind, lot, search, created_at, attempts, is_under_way } = delivery
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
${formToken === null || is_under_way ? null : resend}</li>
`
}

/** A delivered message that is sent again is due again. */
function stateOf({ delivered_at, due_at, is_under_way }: LoggedDelivery): Html {
  if (is_under_way) return html`<span class="badge">Being sent</span>`
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
