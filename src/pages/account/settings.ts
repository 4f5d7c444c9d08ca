import type { RequestHandler } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { formToken, hashToken } from '../../domain/accounts/secretToken.ts'
import { personalData } from '../../infra/accounts/personalData.ts'
import { endOwnSession, type OpenSession, sessionsOf } from '../../infra/accounts/sessions.ts'
import { callsByOperation } from '../../infra/accounts/usage.ts'
import { deleteAccount } from '../../usecases/accounts/deleteAccount.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../kit/html.ts'
import { idOf, noticeOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import { addressSection } from './address.ts'
import type { Sessions } from './session.ts'

/** The page for the address, the sessions and the data of an account, and for its end. */
export function settings(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.page(async ({ accountId, emailAddress: address, token }, req, res) => {
    const here = hashToken(deps.pepper, 'session', token)
    const open = await deps.primary(sql => sessionsOf(sql, accountId, here, deps.now()))
    const message = noticeOf(req, labels.account_messages)
    const field = html`<input type="hidden" name="form_token" value="${formToken(token)}">`
    await sendPage(req, res, {
      title: 'Settings',
      content: html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>Signed in as <strong>${address}</strong>. <a href="/account">Keys, calls and plan</a></p>
${addressSection(field)}
${sessionsSection(open, field)}
<section id="data">
<h2>Your data</h2>
<p><a href="/account/data.json" download>Download all that is kept about this account</a> (JSON), or only <a href="/account/calls.csv" download>your calls</a> (CSV). <a href="/privacy">What is kept, and for how long</a></p>
</section>
${deletionSection(address, field)}`,
    })
  })
}

/** All that is kept about an account, as a file. */
export function ownData({ primary }: Deps, sessions: Sessions): RequestHandler {
  return sessions.page(async ({ accountId }, _req, res) => {
    const [data, operations] = await primary(sql =>
      Promise.all([personalData(sql, accountId), callsByOperation(sql, accountId)]),
    )
    const text = JSON.stringify({ ...data, calls_by_operation: operations }, null, 2)
    res.attachment('account.json').send(`${text}\n`)
  })
}

/** Ends another session of the account. */
export function endOneSession({ primary }: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async ({ accountId }, _fields, req, res) => {
    await primary(sql => endOwnSession(sql, { accountId, id: idOf(req) }))
    res.redirect(303, '/account/settings?done=ended')
  })
}

export function removeAccount(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, { confirmation = '' }, _req, res) => {
    await deleteAccount(deps, visitor, confirmation)
    sessions.cookie.clear(res)
    res.redirect(303, '/account/deleted')
  })
}

export const showDeleted: RequestHandler = async (req, res) => {
  await sendPage(req, res, {
    title: 'Your account is deleted',
    content: html`<p role="status">Your keys no longer work, and your sessions, saved searches and webhook endpoints are gone.</p>
<p>You can <a href="/account/sign-in">sign in again</a> at any time: that makes a new, empty account.</p>`,
  })
}

function sessionsSection(open: OpenSession[], field: Html): Html {
  const rows = open.map(
    ({
      id,
      browser,
      startedAt,
      endsOn,
      isHere,
    }) => html`<tr><th scope="row">${browser || 'Unknown browser'}</th><td data-label="Signed in (UTC)">${startedAt}</td><td data-label="Ends">${endsOn}</td><td>${
      isHere
        ? html`<span class="badge good">This browser</span>`
        : html`<form method="post" action="/account/sessions/${id}/end">${field}<button type="submit" class="secondary">End</button></form>`
    }</td></tr>
`,
  )
  return html`<section id="sessions">
<h2>Sessions</h2>
<p>Where this account is signed in. If you do not know one of them, end it.</p>
<table class="records">
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in (UTC)</th><th scope="col">Ends</th><th scope="col">Change</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<form method="post" action="/account/sign-out-everywhere">${field}<p><button type="submit" class="secondary">Sign out everywhere</button></p></form>
</section>`
}

function deletionSection(address: string, field: Html): Html {
  return html`<section id="delete">
<h2>Delete this account</h2>
<details><summary>Delete account and data</summary>
<form method="post" action="/account/delete">
${field}
<p>All keys stop working at once and all sessions end. Saved searches, watched lots, webhook endpoints and their messages are deleted. The number of calls stays, without your address and the names of keys. This cannot be undone.</p>
<p>Cancel a subscription first (“Change plan or card, cancel” on your <a href="/account#plan">account page</a>): an account whose subscription renews is not deleted. What is left of a canceled one is lost.</p>
<p><label for="confirmation">To confirm, enter ${address}</label><br>
<input id="confirmation" name="confirmation" type="text" required autocomplete="off" autocapitalize="none" spellcheck="false"></p>
<p><button type="submit" class="danger">Delete my account</button></p>
</form></details>
</section>`
}
