import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { formatNumber } from '../../domain/format.ts'
import { type AccountView, readAccount } from '../../usecases/accounts/readAccount.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { queryOf } from './forms.ts'
import { keysSection } from './keys.ts'
import { planSection } from './plan.ts'
import type { Sessions } from './session.ts'
import { usageChart, usageTable } from './usage.ts'

/** The notice after a change, by the query of the address. */
const MESSAGES: Record<string, string> = {
  'done=revoked': 'The key is revoked.',
  'checkout=done':
    'Thank you. The plan changes as soon as Stripe confirms the payment; reload this page in a moment.',
  'checkout=left': 'You did not pay, and your plan has not changed.',
}

/** The page of an account: its keys, its calls of the month, its plan, its sessions. */
export function overview(deps: Deps, sessions: Sessions): RequestHandler {
  return async (req, res) => {
    const visitor = await sessions.visitor(req)
    if (!visitor) return res.redirect(303, '/account/sign-in')
    const query = queryOf(req).toString()
    const message = Object.hasOwn(MESSAGES, query) ? MESSAGES[query] : null
    const account = await readAccount(deps, visitor.accountId)
    const selling = { byStripe: deps.billing !== null, contactEmail: deps.contactEmail }
    const token = formToken(visitor.token)
    res.send(
      layout(
        'Your account',
        html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>Signed in as <strong>${visitor.address}</strong>.</p>
${keysSection(account.keys, token)}
${usageSection(account)}
${planSection(account.plan, selling, token, randomUUID())}
${sessionsSection(token)}`,
      ),
    )
  }
}

function usageSection({ usage, plan }: AccountView): Html {
  const { name, calls_per_month, calls_per_minute } = PLANS[plan.plan]
  return html`<section id="usage">
<h2>Calls this month</h2>
<p><strong>${formatNumber(usage.used)}</strong> of ${formatNumber(calls_per_month)} (${name}), for all keys together. Each key may make ${formatNumber(calls_per_minute)} calls a minute. The count starts again on the first of the month (UTC).</p>
<p><progress max="${calls_per_month}" value="${Math.min(usage.used, calls_per_month)}" aria-label="Calls used this month"></progress></p>
${usageChart(usage)}
<details><summary>Calls per day</summary>
${usageTable(usage)}
</details>
</section>`
}

function sessionsSection(formToken: string): Html {
  const button = (action: string, label: string) =>
    html`<form method="post" action="/account/${action}"><input type="hidden" name="form_token" value="${formToken}"><p><button type="submit" class="secondary">${label}</button></p></form>
`
  return html`<section id="sessions">
<h2>Sessions</h2>
${button('sign-out', 'Sign out')}${button('sign-out-everywhere', 'Sign out everywhere')}</section>`
}
