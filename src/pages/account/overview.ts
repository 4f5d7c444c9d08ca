import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { PLANS, type Plan } from '../../contract/plans.ts'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { formatNumber } from '../../domain/format.ts'
import { keysOf } from '../../infra/accounts/ownedKeys.ts'
import { readPlan } from '../../infra/accounts/subscriptions.ts'
import { type MonthOfCalls, usageThisMonth } from '../../infra/accounts/usage.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../kit/html.ts'
import { noticeOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import { keysSection } from './keys.ts'
import { planSection } from './plan.ts'
import type { Sessions } from './session.ts'

/** The page of an account: its keys, its calls of the month, its plan. */
export function overview(deps: Deps, sessions: Sessions): RequestHandler {
  return async (req, res) => {
    const visitor = await sessions.visitor(req)
    if (!visitor) return res.redirect(303, '/account/sign-in')
    const message = noticeOf(req, labels.account_messages)
    const { accountId } = visitor
    const [held, keys, usage] = await deps.primary(sql =>
      Promise.all([
        readPlan(sql, accountId),
        keysOf(sql, accountId, deps.now()),
        usageThisMonth(sql, accountId, deps.now()),
      ]),
    )
    const token = formToken(visitor.token)
    await sendPage(req, res, {
      title: 'Your account',
      content: html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>Signed in as <strong>${visitor.emailAddress}</strong>.</p>
<p><a href="/account/alerts">Your alerts</a>: saved searches and lots that you watch. <a href="/account/settings">Settings</a>: your sessions and your data.</p>
${keysSection(keys, token)}
${usageSection(usage, PLANS[held.plan])}
${planSection(deps, held, token, randomUUID())}`,
    })
  }
}

const SLOT = 10
const BAR = 7
const HEIGHT = 80

/** The calls of the month, in words, as a picture and as a table. */
function usageSection(usage: MonthOfCalls, plan: (typeof PLANS)[Plan]): Html {
  const { name, calls_per_month, calls_per_minute } = plan
  return html`<section id="usage">
<h2>Calls this month</h2>
<p><strong>${formatNumber(usage.used)}</strong> of ${formatNumber(calls_per_month)} (${name}), for all keys together. Each key may make ${formatNumber(calls_per_minute)} calls a minute. The count starts again on the first of the month (UTC).</p>
<p><progress max="${calls_per_month}" value="${Math.min(usage.used, calls_per_month)}" aria-label="Calls used this month"></progress></p>
${usageChart(usage)}
<details><summary>Calls per day</summary>
${usageTable(usage)}
</details>
<p><a href="/account/calls">Calls by key and operation, also of former months</a></p>
</section>`
}

/** A bar for each day of the month, as inline SVG; the caption and the table say the same in words. */
function usageChart({ days, today, used, month }: MonthOfCalls): Html {
  const most = Math.max(...days, 1)
  const bars = days.map((calls, index) => {
    const height = calls === 0 ? 0 : Math.max(1, Math.round((calls / most) * HEIGHT))
    return html`<rect x="${index * SLOT}" y="${HEIGHT - height}" width="${BAR}" height="${height}" fill="currentColor"><title>${dayOf(month, index)}: ${formatNumber(calls)}</title></rect>
`
  })
  const busiest = days.indexOf(Math.max(...days))
  const summary =
    used === 0
      ? `No calls from ${dayOf(month, 0)} to ${dayOf(month, today - 1)}.`
      : `Calls a day from ${dayOf(month, 0)} to ${dayOf(month, today - 1)}: the most, ${formatNumber(days[busiest] ?? 0)}, on ${dayOf(month, busiest)}.`
  const width = days.length * SLOT
  return html`<figure>
<svg role="img" aria-label="${summary}" viewBox="0 0 ${width} ${HEIGHT + 2}">
${bars}<line x1="0" y1="${HEIGHT + 1}" x2="${width}" y2="${HEIGHT + 1}" stroke="currentColor"></line>
</svg>
<figcaption>${summary}</figcaption>
</figure>`
}

/** The days of the month until today, the latest first. */
function usageTable({ days, today, month }: MonthOfCalls): Html {
  const rows = days
    .slice(0, today)
    .map(
      (
        calls,
        index,
      ) => html`<tr><th scope="row">${dayOf(month, index)}</th><td>${formatNumber(calls)}</td></tr>
`,
    )
    .reverse()
  return html`<table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col">Calls</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`
}

/** @param index of the day in its month, from 0. */
function dayOf(month: string, index: number): string {
  return `${month.slice(0, 8)}${String(index + 1).padStart(2, '0')}`
}
