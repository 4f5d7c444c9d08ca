import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { MOST_KEYS, ROTATION_HOURS, SHOWN_MINUTES } from '../../domain/accounts/limits.ts'
import { count, formatNumber } from '../../domain/format.ts'
import type { AccountKey } from '../../infra/accounts/ownedKeys.ts'
import { makeKey, readOwnNewKey, revokeKey, rotateKey } from '../../usecases/accounts/ownKeys.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Sessions } from './session.ts'

const GONE = 410

export function makeNewKey(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, { name = '' }, _req, res) => {
    res.redirect(303, `/account/keys/${await makeKey(deps, visitor, name)}`)
  })
}

export function rotate(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, { hours = '' }, req, res) => {
    res.redirect(303, `/account/keys/${await rotateKey(deps, visitor, String(req.params.id), hours)}`)
  })
}

/** The only page that ever shows a key: for some minutes, in the browser that made it. */
export function showNewKey(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.page(async (visitor, req, res) => {
    const made = await readOwnNewKey(deps, visitor, String(req.params.id))
    if (made) await sendPage(req, res, newKeyPage(made, deps.publicUrl))
    else await sendPage(req, res.status(GONE), hiddenKeyPage())
  })
}

export function revoke(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async ({ accountId }, _fields, req, res) => {
    await revokeKey(deps, accountId, String(req.params.id))
    res.redirect(303, '/account?done=revoked')
  })
}

function newKeyPage({ name, key }: { name: string; key: string }, publicUrl: string): Page {
  return {
    title: 'Your new key',
    content: html`<p class="notice good" role="status">The key “${name}” was created. <strong>Copy it now: this page shows it for ${SHOWN_MINUTES} minutes, in this browser only.</strong></p>
<p><label for="key">Key</label><br>
<input id="key" type="text" readonly size="46" value="${key}" autocomplete="off" spellcheck="false"></p>
<p>Try it:</p>
<pre>curl -H "Authorization: Bearer ${key}" "${publicUrl}/api/v1/listings?category=vehicles"</pre>
<p><a href="/account">Back to your account</a></p>`,
  }
}

function hiddenKeyPage(): Page {
  return {
    title: 'This key is no longer shown',
    content: html`<p role="alert">A new key is shown for ${SHOWN_MINUTES} minutes, in the browser that made it. After that only its last four characters are known here.</p>
<p>If you did not copy it, rotate it: you get a new key with the same name and limits. <a href="/account#keys">Your keys</a></p>`,
  }
}

/** The keys of an account, the actions on each, and the form for a new one. */
export function keysSection(keys: AccountKey[], formToken: string): Html {
  const live = keys.filter(({ isLive }) => isLive)
  const revoked = keys.filter(({ isLive }) => !isLive)
  const form = html`<form method="post" action="/account/keys">
<input type="hidden" name="form_token" value="${formToken}">
<p><label for="name">Name of the new key</label><br>
<input id="name" name="name" type="text" maxlength="60" required autocomplete="off"></p>
<p><button type="submit">Create a key</button></p>
</form>`
  return html`<section id="keys">
<h2>Keys</h2>
${live.length === 0 ? html`<p>You have no keys yet.</p>` : liveTable(live, formToken)}
${live.filter(({ endsAt }) => endsAt === null).length < MOST_KEYS ? form : html`<p>An account has at most ${MOST_KEYS} keys. To create another one, revoke one first.</p>`}
${revoked.length === 0 ? null : revokedTable(revoked)}
</section>`
}

function liveTable(keys: AccountKey[], formToken: string): Html {
  return html`<table class="records">
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Plan and limits</th><th scope="col">Created</th><th scope="col">Last used (UTC)</th><th scope="col">Change</th></tr></thead>
<tbody>
${keys.map(key => liveRow(key, formToken))}</tbody>
</table>`
}

function liveRow(key: AccountKey, formToken: string): Html {
  const { id, hint, plan, isSpecial, createdOn, lastUsedAt, endsAt } = key
  const { calls_per_month, calls_per_minute } = PLANS[plan]
  const month = formatNumber(key.callsPerMonth ?? calls_per_month)
  const minute = formatNumber(key.callsPerMinute ?? calls_per_minute)
  const called = keyName(key.name, key.hint)
  const change = (path: string, label: string, style: string, about: Html) =>
    // Behind a second click, because neither change can be undone.
    html`<details><summary>${label}</summary>
<form method="post" action="/account/keys/${id}/${path}">
<input type="hidden" name="form_token" value="${formToken}">
${about}
<p><button type="submit" class="${style}">${label} “${called}”</button></p>
</form></details>`
  const rotation = html`<p>A new key replaces this one.</p>
<p><label>The old key stops working
<select name="hours">${ROTATION_HOURS.map(hours => html`<option value="${hours}">${hours === 0 ? 'at once' : `in ${count(hours, 'hour')}`}</option>`)}</select></label></p>`
  const warning = html`<p>The key stops working at once. This cannot be undone.</p>`
  return html`<tr><th scope="row">${called}${endsAt ? html`<br><span class="badge">Rotated</span> <span class="quiet">works until ${endsAt} UTC</span>` : null}</th><td data-label="Key"><code>bp_live_…${hint}</code></td><td data-label="Plan and limits">${PLANS[plan].name}${isSpecial ? ' (set by the operator)' : ''}<br><span class="quiet">${month} calls a month, ${minute} a minute</span></td><td data-label="Created">${createdOn}</td><td data-label="Last used (UTC)">${lastUsedAt ?? 'never'}</td><td>
${endsAt ? null : change('rotate', 'Rotate', 'secondary', rotation)}
${change('revoke', 'Revoke', 'danger', warning)}
</td></tr>
`
}

/** Revoked keys stay in the list, so that a key found in a log or a program can be recognized. */
function revokedTable(keys: AccountKey[]): Html {
  const rows = keys.map(
    key => html`<tr><th scope="row">${keyName(key.name, key.hint)}</th><td data-label="Key"><code>bp_live_…${key.hint}</code></td><td data-label="Created">${key.createdOn}</td><td data-label="Last used (UTC)">${key.lastUsedAt ?? 'never'}</td><td data-label="Revoked (UTC)">${key.endsAt}</td></tr>
`,
  )
  return html`<details><summary>Revoked keys (${keys.length})</summary>
<table class="records">
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Created</th><th scope="col">Last used (UTC)</th><th scope="col">Revoked (UTC)</th></tr></thead>
<tbody>
${rows}</tbody>
</table></details>`
}

/** The name of a key, or its last characters where it has none. */
export function keyName(name: string | null, hint: string): string {
  return name || `key …${hint}`
}
