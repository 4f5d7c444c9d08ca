import { PLANS } from '../../contract/plans.ts'
import { MOST_KEYS } from '../../domain/accounts/limits.ts'
import type { AccountKey } from '../../infra/accounts/accountKeys.ts'
import { type Html, html } from '../layout/html.ts'

/** The keys of an account, what can be done with each, and the form for another. */
export function keysSection(keys: AccountKey[], formToken: string): Html {
  const table = html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Plan</th><th scope="col">Made</th><th scope="col">Last used (UTC)</th><th scope="col">Change</th></tr></thead>
<tbody>
${keys.map(key => keyRow(key, formToken))}</tbody>
</table>`
  const form = html`<form method="post" action="/account/keys">
<input type="hidden" name="form_token" value="${formToken}">
<p><label for="name">Name of the new key</label><br>
<input id="name" name="name" type="text" maxlength="60" required autocomplete="off"></p>
<p><button type="submit">Make a key</button></p>
</form>`
  return html`<section id="keys">
<h2>Keys</h2>
${keys.length === 0 ? html`<p>You have no key yet.</p>` : table}
${keys.length < MOST_KEYS ? form : html`<p>An account has at most ${MOST_KEYS} keys.</p>`}
</section>`
}

function keyRow(
  { id, name, hint, plan, isSpecial, createdOn, lastUsedAt }: AccountKey,
  formToken: string,
): Html {
  const called = name || `key …${hint}`
  return html`<tr><th scope="row">${called}</th><td><code>bp_live_…${hint}</code></td><td>${PLANS[plan].name}${isSpecial ? ' (set by the operator)' : ''}</td><td>${createdOn}</td><td>${lastUsedAt ?? 'never'}</td><td>
${change(id, 'rotate', formToken, `Rotate “${called}”`, 'A new key takes its place. The old one is refused at once.')}
${change(id, 'revoke', formToken, `Revoke “${called}”`, 'It is refused from its next call on. This cannot be taken back.')}
</td></tr>
`
}

/** Behind a second click, since neither can be taken back. */
function change(
  id: string,
  what: 'rotate' | 'revoke',
  formToken: string,
  button: string,
  warning: string,
): Html {
  return html`<details><summary>${what === 'rotate' ? 'Rotate' : 'Revoke'}</summary>
<form method="post" action="/account/keys/${id}/${what}">
<input type="hidden" name="form_token" value="${formToken}">
<p>${warning}</p>
<p><button type="submit" class="${what === 'rotate' ? 'secondary' : 'danger'}">${button}</button></p>
</form></details>`
}
