import { csvText } from '../../contract/csvText.ts'
import { count } from '../../domain/format.ts'
import { grouped } from '../../domain/grouped.ts'
import { callsByOperation, type OperationCalls } from '../../infra/accounts/usage.ts'
import { type Html, html } from '../kit/html.ts'
import { sendPage } from '../kit/sendPage.ts'
import { table } from '../kit/table.ts'
import { keyLabel } from './keys.ts'
import type { AccountVisit } from './session.ts'

/** The calls of every month by key and operation. */
export async function callsPage({ deps, viewer, req, res }: AccountVisit) {
  const rows = await deps.primary(sql => callsByOperation(sql, viewer.accountId))
  const months = [...grouped(rows, ({ month }) => month)]
  const content = html`<p>All months, by key and operation. Months begin and end at 00:00 UTC. The descriptions are in the <a href="/docs/reference">API reference</a>.</p>
${rows.length === 0 ? html`<p>There are no calls yet.</p>` : html`<p><a href="/account/calls.csv" download>Download as CSV</a></p>`}
${months.map(([month, own]) => monthSection(month, own))}
<p><a href="/account">Back to your account</a></p>`
  await sendPage(req, res, { title: 'Calls by key and operation', content })
}

/** The same as CSV (RFC 4180). */
export async function callsCsv({ deps, viewer, res }: AccountVisit) {
  const rows = await deps.primary(sql => callsByOperation(sql, viewer.accountId))
  const lines = rows.map(({ month, key, hint, operation, calls }) => {
    return [month, keyLabel(key, hint), hint, operation, String(calls)]
  })
  const text = await csvText([['month', 'key', 'key_ends_with', 'operation', 'calls'], ...lines])
  res.attachment('calls.csv').send(text)
}

function monthSection(month: string, rows: OperationCalls[]): Html {
  const total = rows.reduce((sum, { calls }) => sum + calls, 0)
  return html`<section>
<h2>${month}: ${count(total, 'call')}</h2>
${table<OperationCalls>(
  [
    ['Key', ({ key, hint }) => keyLabel(key, hint), 'header'],
    ['Operation', ({ operation }) => html`<code>${operation}</code>`],
    ['Calls', ({ calls }) => calls, 'number'],
  ],
  rows,
  { style: 'records' },
)}</section>`
}
