import type { Operation } from '../../contract/document.ts'
import { PLAN_IDS, PLANS } from '../../contract/plans.ts'
import { formatNumber } from '../../domain/format.ts'
import { type Html, html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** Keys, plans and limits, from the tables that enforce them. */
export function authenticationPage(operations: Operation[], publicUrl: string): string {
  return guidePage(
    '/docs/authentication',
    html`<h2 id="key">The key</h2>
<p>Send it with every call. Create, rotate and revoke keys on <a href="/account">your account page</a>. A key is shown once, when you create it; the service
stores only a keyed hash.</p>
<pre><code>Authorization: Bearer bp_live_…</code></pre>
<p>Keep keys on a server or in a secret store, never in a page or a repository. A call without a key is <a href="/docs/errors#missing_api_key">missing_api_key</a>,
a call with an unknown or revoked key is <a href="/docs/errors#invalid_api_key">invalid_api_key</a>; a revoked key is refused from the next call on.</p>
<h2 id="plans">What each plan may call</h2>
<table><thead><tr><th scope="col">Operation</th><th scope="col">From plan</th></tr></thead><tbody>
${operations.flatMap(gatesOf)}</tbody></table>
<p>Without the plan a call is <a href="/docs/errors#forbidden">forbidden</a>. <a href="/pricing">Plans and prices</a>.</p>
<h2 id="limits">Limits</h2>
<table><thead><tr><th scope="col">Plan</th><th scope="col" class="number">Calls a month</th><th scope="col" class="number">Calls a minute</th></tr></thead><tbody>
${PLAN_IDS.map(limitsOf)}</tbody></table>
<p>Enterprise limits are agreed by contract; the numbers are the defaults.</p>
<ul>
<li>The month is the calendar month in UTC. The keys of one account share it.</li>
<li>The minute begins with a key's first call. Each key has its own.</li>
<li>Every admitted call counts, including those that end in 400, 403 or 404, <code>HEAD</code> calls and 304 answers. Answers 401, 429 and 5xx do not count, with one exception: a 503 for a call that was not answered in time counts toward the minute.</li>
</ul>
<h2 id="headers">Response headers</h2>
<table><thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead><tbody>
<tr><td><code>RateLimit-Limit</code></td><td>calls allowed in the current month</td></tr>
<tr><td><code>RateLimit-Remaining</code></td><td>calls left in the month, after this one</td></tr>
<tr><td><code>RateLimit-Reset</code></td><td>seconds until the next month begins</td></tr>
<tr><td><code>Retry-After</code></td><td>on every 429 and 503: seconds to wait for the limit that was hit</td></tr>
<tr><td><code>X-Request-Id</code></td><td>identifies the call; quote it when you ask for help</td></tr>
</tbody></table>
<p>The same values are in <code>X-RateLimit-Limit</code>, <code>-Remaining</code> and <code>-Reset</code>. When both limits are exceeded, the answer reports the month.</p>
<h2 id="cache">Conditional requests</h2>
<p>JSON answers have an <code>ETag</code>; send it as <code>If-None-Match</code>, and an unchanged answer is a 304 without a body.</p>`,
    publicUrl,
  )
}

/** The plan of an operation, and of each parameter that needs a larger one. */
function gatesOf({ method, path, plan, parameters }: Operation): Html[] {
  const name = `${method.toUpperCase()} ${path}`
  const own = html`<tr><td><code>${name}</code></td><td>${plan ? PLANS[plan].name : 'no key needed'}</td></tr>
`
  const gated = parameters.flatMap(parameter =>
    parameter.plan
      ? html`<tr><td><code>${name}?${parameter.name}=…</code></td><td>${PLANS[parameter.plan].name}</td></tr>
`
      : [],
  )
  return [own, ...gated]
}

function limitsOf(id: (typeof PLAN_IDS)[number]): Html {
  const { name, calls_per_month, calls_per_minute } = PLANS[id]
  return html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(calls_per_month)}</td><td class="number">${calls_per_minute}</td></tr>
`
}
