import { PLANS } from '../../contract/plans.ts'
import type { AccountView } from '../../usecases/accounts/readAccount.ts'
import { type Html, html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { keysSection } from './keysSection.ts'
import { planSection, type Selling } from './planSection.ts'
import { count, usageChart, usageTable } from './usageChart.ts'

interface Overview extends AccountView {
  address: string
  formToken: string
  /** Names the try to pay that the forms of this page begin. */
  attempt: string
  selling: Selling
  /** What has just happened. */
  message: string | null
}

/** The page of an account: its keys, its calls of the month, its plan, its sessions. */
export function overviewPage({ address, formToken, attempt, selling, message, ...view }: Overview): string {
  return layout(
    'Your account',
    html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>Signed in as <strong>${address}</strong>.</p>
${keysSection(view.keys, formToken)}
${usageSection(view)}
${planSection(view.plan, selling, formToken, attempt)}
<section id="sessions">
<h2>Sessions</h2>
<form method="post" action="/account/sign-out"><input type="hidden" name="form_token" value="${formToken}"><p><button type="submit" class="secondary">Sign out</button></p></form>
<form method="post" action="/account/sign-out-everywhere"><input type="hidden" name="form_token" value="${formToken}"><p><button type="submit" class="secondary">Sign out everywhere</button></p></form>
</section>`,
  )
}

function usageSection({ usage, plan }: AccountView): Html {
  const { name, calls_per_month, calls_per_minute } = PLANS[plan.plan]
  return html`<section id="usage">
<h2>Calls this month</h2>
<p><strong>${count(usage.used)}</strong> of ${count(calls_per_month)} (${name}), all keys together. Each key may make ${count(calls_per_minute)} a minute. The count begins anew on the first of the month (UTC).</p>
<p><progress max="${calls_per_month}" value="${Math.min(usage.used, calls_per_month)}" aria-label="Calls used this month"></progress></p>
${usageChart(usage)}
<details><summary>Calls per day</summary>
${usageTable(usage)}
</details>
</section>`
}
