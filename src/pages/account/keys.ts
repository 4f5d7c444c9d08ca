import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { MOST_KEYS } from '../../domain/accounts/limits.ts'
import { formatNumber } from '../../domain/format.ts'
import type { AccountKey } from '../../infra/accounts/ownedKeys.ts'
import { makeKey, revokeKey, rotateKey } from '../../usecases/accounts/ownKeys.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import type { Sessions } from './session.ts'

export function makeNewKey(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async ({ accountId }, { name = '' }, _req, res) => {
    res.send(newKeyPage(await makeKey(deps, accountId, name), deps.publicUrl))
  })
}

export function rotate(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async ({ accountId }, _fields, req, res) => {
    res.send(newKeyPage(await rotateKey(deps, accountId, String(req.params.id)), deps.publicUrl))
  })
}

export function revoke(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async ({ accountId }, _fields, req, res) => {
    await revokeKey(deps, accountId, String(req.params.id))
    res.redirect(303, '/account?done=revoked')
  })
}

/** The only page that ever shows a key. */
function newKeyPage({ name, key }: { name: string; key: string }, publicUrl: string): string {
  return layout(
    'Your new key',
    html`<p class="notice good" role="status">The key “${name}” was created. <strong>Copy it now: it is not shown again.</strong></p>
<p><label for="key">Key</label><br>
<input id="key" type="text" readonly size="46" value="${key}" autocomplete="off" spellcheck="false"></p>
<p>Try it:</p>
<pre>curl -H "Authorization: Bearer ${key}" "${publicUrl}/api/v1/listings?category=vehicles"</pre>
<p><a href="/account">Back to your account</a></p>`,
  )
}

/** The keys of an account, the actions on each, and the form for a new one. */
export function keysSection(keys: AccountKey[], formToken: string): Html {
  const table = html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Plan and limits</th><th scope="col">Created</th><th scope="col">Last used (UTC)</th><th scope="col">Change</th></tr></thead>
<tbody>
${keys.map(key => keyRow(key, formToken))}</tbody>
</table>`
  const form = html`<form method="post" action="/account/keys">
<input type="hidden" name="form_token" value="${formToken}">
<p><label for="name">Name of the new key</label><br>
<input id="name" name="name" type="text" maxlength="60" required autocomplete="off"></p>
<p><button type="submit">Create a key</button></p>
</form>`
  return html`<section id="keys">
<h2>Keys</h2>
${keys.length === 0 ? html`<p>You have no keys yet.</p>` : table}
${keys.length < MOST_KEYS ? form : html`<p>An account has at most ${MOST_KEYS} keys. To create another one, revoke one first.</p>`}
</section>`
}

function keyRow(
  { id, name, hint, plan, isSpecial, createdOn, lastUsedAt, ...own }: AccountKey,
  formToken: string,
): Html {
  const { calls_per_month, calls_per_minute } = PLANS[plan]
  const month = formatNumber(own.callsPerMonth ?? calls_per_month)
  const minute = formatNumber(own.callsPerMinute ?? calls_per_minute)
  const called = name || `key …${hint}`
  const change = (path: string, label: string, style: string, warning: string) =>
    // Behind a second click, because neither change can be undone.
    html`<details><summary>${label}</summary>
<form method="post" action="/account/keys/${id}/${path}">
<input type="hidden" name="form_token" value="${formToken}">
<p>${warning}</p>
<p><button type="submit" class="${style}">${label} “${called}”</button></p>
</form></details>`
  return html`<tr><th scope="row">${called}</th><td><code>bp_live_…${hint}</code></td><td>${PLANS[plan].name}${isSpecial ? ' (set by the operator)' : ''}<br><span class="quiet">${month} calls a month, ${minute} a minute</span></td><td>${createdOn}</td><td>${lastUsedAt ?? 'never'}</td><td>
${change('rotate', 'Rotate', 'secondary', 'A new key replaces this one. The old key stops working at once.')}
${change('revoke', 'Revoke', 'danger', 'The key stops working at once. This cannot be undone.')}
</td></tr>
`
}
