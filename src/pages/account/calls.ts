import type { Response } from 'express'
import { csvText } from '../../contract/csvText.ts'
import { count } from '../../domain/format.ts'
import { grouped } from '../../domain/grouped.ts'
import { queryOf } from '../../http/call.ts'
import { type CallOfKey, lastCalls } from '../../infra/accounts/callLog.ts'
import {
  callsByOperation,
  type OperationCalls,
} from '../../infra/accounts/usage.ts'
import { CALL_LOG_PATH } from '../../usecases/accounts/signIn.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { badge, notice } from '../kit/notice.ts'
import { table } from '../kit/table.ts'
import { keyLabel } from './keys.ts'
import type { AccountVisit } from './session.ts'

/** The calls of every month by key and operation. */
export async function callsPage({ deps, viewer }: AccountVisit): Promise<Page> {
  const rows = await deps.primary(context =>
    callsByOperation(context, viewer.accountId),
  )
  return {
    title: 'Calls by key and operation',
    content: html`<p>All months, by key and operation. Months begin and end at 00:00 UTC. The descriptions are in the <a href="/docs/reference">API reference</a>.</p>
${rows.length === 0 ? html`<p>There are no calls yet.</p>` : html`<p><a href="/account/calls.csv" download>Download as CSV</a></p>`}
${[...grouped(rows, ({ month }) => month)].map(([month, own]) => monthSection(month, own))}
<p><a href="/account">Back to your account</a></p>`,
  }
}

/** The same as CSV (RFC 4180). */
export async function callsCsv({
  deps,
  viewer,
  res,
}: AccountVisit): Promise<Response> {
  const rows = await deps.primary(context =>
    callsByOperation(context, viewer.accountId),
  )
  const lines = rows.map(({ month, key, hint, operation, calls }) => {
    return [month, keyLabel(key, hint), hint, operation, String(calls)]
  })
  return res
    .attachment('calls.csv')
    .send(
      await csvText([
        ['month', 'key', 'key_ends_with', 'operation', 'calls'],
        ...lines,
      ]),
    )
}

function monthSection(month: string, rows: OperationCalls[]) {
  const total = rows.reduce((sum, { calls }) => sum + calls, 0)
  return html`<section>
<h2>${month}: ${count(total, 'call')}</h2>
${table(
  [
    ['Key', ({ key, hint }) => keyLabel(key, hint), 'header'],
    ['Operation', ({ operation }) => html`<code>${operation}</code>`],
    ['Calls', ({ calls }) => calls, 'number'],
  ],
  rows,
  { style: 'records' },
)}</section>`
}

/**
 * The last 100 calls, or the one of them that an error of the API links to
 * (`?call=`).
 */
export async function callLogPage({
  deps,
  viewer,
  req,
}: AccountVisit): Promise<Page> {
  // Those of other processes come within seconds by themselves.
  await deps.primary(deps.callLog.store)
  const calls = await deps.primary(context =>
    lastCalls(context, viewer.accountId),
  )
  const id = queryOf(req).get('call')
  const shown = id === null ? calls : calls.filter(call => call.id === id)
  return {
    title: id === null ? 'Your last 100 calls' : `Call ${id.slice(0, 36)}`,
    content: html`${shown.length === 0 ? notice('plain', id === null ? 'There are no calls yet.' : NO_SUCH_CALL) : callTable(shown)}
<p>${id !== null && html`<a href="${CALL_LOG_PATH}">Your last 100 calls</a> · `}<a href="/account/calls">Calls by key and operation</a> · <a href="/account">Back to your account</a></p>`,
  }
}

const NO_SUCH_CALL =
  'This call is not among the last 100 of this account. If it is younger than 10 seconds, reload this page; else its key is of another account, or 100 calls came after it.'

function callTable(calls: CallOfKey[]) {
  return table(
    [
      ['Time (UTC)', timeOf, 'header'],
      [
        'Answer',
        ({ status, code }) => (code === null ? status : badge(status, 'poor')),
      ],
      ['Call', sentAndError],
      ['Key', ({ key, hint }) => keyLabel(key, hint)],
      ['Milliseconds', ({ milliseconds }) => milliseconds, 'number'],
    ],
    calls,
    { style: 'records' },
  )
}

function timeOf({ id, at }: CallOfKey) {
  return html`<a href="${CALL_LOG_PATH}?call=${id}"><time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time></a>`
}

function sentAndError({ method, url, code, error }: CallOfKey) {
  return html`<code>${method} ${url}</code>${code !== null && html`<br>${error} <a href="/docs/errors#${code}"><code>${code}</code></a>`}`
}
