import { changeInWords } from '../../domain/feeds/publisherChange.ts'
import { count, span } from '../../domain/format.ts'
import type { ServiceStatus } from '../../site/serviceStatus.ts'
import { moment } from '../kit/format.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { badge } from '../kit/notice.ts'
import { table } from '../kit/table.ts'

/**
 * Whether the service works, how old the data of each source is, whether alerts
 * are sent, and what does not work.
 */
export function statusPage(status: ServiceStatus, now: Date): Page {
  const { sources, upSince } = status
  const problems = problemsOf(status, now)
  return {
    title: 'Status',
    content: html`${problems.length === 0 ? html`<p role="status">All systems operational.</p>` : html`<div class="notice bad" role="alert"><p>Some things do not work as they should:</p><ul>${problems.map(problem => html`<li>${problem}</li>`)}</ul></div>`}
<h2>Service</h2>
<dl class="facts">
<div><dt>Site and API</dt><dd>Up since ${moment(secondsOf(upSince))}</dd></div>
<div><dt>Database</dt><dd>${sources ? 'Answers' : 'Does not answer'}</dd></div>
<div><dt>Alerts</dt><dd>${alertWords(status.alerts, now)}</dd></div>
</dl>
<h2>Data</h2>
${sources ? sourceTable(sources, now) : html`<p>Not known while the database does not answer.</p>`}
<p><a href="/sources">All sources, how often they are fetched, and their terms</a>. For monitors: <a href="/healthz"><code>/healthz</code></a> and <a href="/readyz"><code>/readyz</code></a>.</p>`,
    description:
      'Whether the site and the API work, how old the data of each source is, and whether alerts are sent.',
    canonical: '/status',
  }
}

function problemsOf({ sources, alerts, prices }: ServiceStatus, now: Date) {
  const problems = []
  if (!sources)
    problems.push(
      html`The database does not answer. Searches, lots and the API are unavailable; guides work.`,
    )
  for (const { name, last_success_at, sweep, isOld } of sources ?? []) {
    const reason = sweep?.fault ? ` Last try: ${sweep.fault}` : ''
    if (last_success_at === null) {
      problems.push(
        html`${name} has not answered yet.${reason}${sweep?.next_due_at && html` Next try: ${moment(sweep.next_due_at)}.`}`,
      )
    } else if (isOld) {
      problems.push(
        html`${name} was last read ${ago(Date.parse(last_success_at), now)}. Its lots may have changed since.${reason}`,
      )
    }
  }
  if (prices?.failures)
    problems.push(
      html`Sold prices could not be loaded. Last try: ${prices.fault}`,
    )
  if (alerts?.hasStopped) {
    problems.push(
      html`Alerts have not been sent since ${moment(secondsOf(alerts.matchedAt!))}. They follow when sending goes on.`,
    )
  }
  if (alerts?.isLate)
    problems.push(
      html`Alerts are late: the oldest has waited for ${span(alerts.waitsMs)}.`,
    )
  return problems
}

function alertWords(alerts: ServiceStatus['alerts'], now: Date) {
  if (!alerts) return 'Not known'
  if (!alerts.matchedAt) return 'Not turned on'
  if (alerts.hasStopped)
    return `Not sent since ${ago(alerts.matchedAt.getTime(), now)}`
  return `Sent: ${count(alerts.deliveredInHour, 'message')} in the last hour${alerts.waitsMs > 0 ? `, the oldest waits for ${span(alerts.waitsMs)}` : ''}`
}

function sourceTable(
  sources: NonNullable<ServiceStatus['sources']>,
  now: Date,
) {
  if (sources.length === 0) return html`<p>No source has been read yet.</p>`
  return table(
    [
      ['Source', ({ name }) => name],
      ['Live lots', ({ live_count }) => live_count, 'number'],
      [
        'Last read',
        ({ last_success_at: read }) =>
          read ? ago(Date.parse(read), now) : 'never',
      ],
      [
        'State',
        ({ isOld, last_success_at, publisher_changed_at }) => {
          if (isOld || !last_success_at) return badge('Out of date', 'poor')
          if (changeInWords(publisher_changed_at, now)?.isOld)
            return badge('Old at its publisher', 'poor')
          return badge('Current', 'good')
        },
      ],
    ],
    sources,
  )
}

function ago(ms: number, now: Date) {
  return `${span(Math.max(0, now.getTime() - ms))} ago`
}

/** RFC 3339 in whole seconds. */
function secondsOf(date: Date) {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}
