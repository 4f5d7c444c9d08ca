import type { Response } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { hashToken } from '../../domain/accounts/secretToken.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import { queryOf } from '../../http/call.ts'
import { personalData } from '../../infra/accounts/personalData.ts'
import {
  endOwnSession,
  type OpenSession,
  sessionsOf,
} from '../../infra/accounts/sessions.ts'
import { callsByOperation } from '../../infra/accounts/usage.ts'
import {
  confirmChange,
  readChange,
  requestChange,
} from '../../usecases/accounts/changeAddress.ts'
import { deleteAccount } from '../../usecases/accounts/deleteAccount.ts'
import { date, moment } from '../kit/format.ts'
import {
  EMAIL_INPUT,
  hidden,
  inputLine,
  postForm,
  secondClick,
  submit,
} from '../kit/forms.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { badge, notice } from '../kit/notice.ts'
import { noticeOf } from '../kit/requests.ts'
import { table } from '../kit/table.ts'
import { type AccountVisit, ownedBy, type Visit } from './session.ts'

/**
 * The page for the address, the sessions and the data of an account, and for
 * its end.
 */
export async function settings({
  deps,
  viewer,
  req,
}: AccountVisit): Promise<Page> {
  const { accountId, emailAddress, token, formToken } = viewer
  const open = await deps.primary(context =>
    sessionsOf(context, accountId, hashToken(deps.pepper, 'session', token)),
  )
  return {
    title: 'Settings',
    content: html`${notice('good', noticeOf(req, labels.account_messages))}
<p>Signed in as <strong>${emailAddress}</strong>. <a href="/account">Keys, calls and plan</a></p>
${addressSection(formToken)}
${sessionsSection(open, formToken)}
<section id="data">
<h2>Your data</h2>
<p><a href="/account/data.json" download>Download your data (JSON)</a>, or only <a href="/account/calls.csv" download>your calls</a> (CSV). <a href="/privacy">What is kept, and for how long</a></p>
</section>
${deletionSection(emailAddress, formToken)}`,
  }
}

/** All that is kept about an account, as a file. */
export async function ownData({
  deps,
  viewer,
  res,
}: AccountVisit): Promise<Response> {
  const [data, operations] = await deps.primary(context =>
    Promise.all([
      personalData(context, viewer.accountId),
      callsByOperation(context, viewer.accountId),
    ]),
  )
  return res
    .attachment('account.json')
    .send(
      `${JSON.stringify({ ...data, calls_by_operation: operations }, null, 2)}\n`,
    )
}

/** Ends another session of the account. */
export async function endOneSession(visit: AccountVisit): Promise<string> {
  await visit.deps.primary(context => endOwnSession(context, ownedBy(visit)))
  return '/account/settings?done=ended'
}

export async function removeAccount({
  deps,
  sessions,
  viewer,
  fields,
  res,
}: AccountVisit): Promise<string> {
  await deleteAccount(deps, viewer, fields.confirmation ?? '')
  sessions.cookie.clear(res)
  return '/account/deleted'
}

export async function showDeleted(): Promise<Page> {
  return {
    title: 'Your account is deleted',
    content: html`<p role="status">${labels.notes.account_deleted}</p>
<p>You can <a href="/account/sign-in">sign in again</a> at any time: that makes a new, empty account.</p>`,
  }
}

function sessionsSection(open: OpenSession[], formToken: string) {
  const state = ({ id, isHere }: OpenSession) =>
    isHere
      ? badge('This browser', 'good')
      : postForm(
          `/account/sessions/${id}/end`,
          formToken,
          submit('Sign out', 'secondary'),
        )
  return html`<section id="sessions">
<h2>Sessions</h2>
<p>${labels.notes.sessions}</p>
${table(
  [
    ['Browser', ({ browser }) => browser || 'Unknown browser', 'header'],
    ['Signed in', ({ startedAt }) => moment(startedAt)],
    ['Ends', ({ endsAt }) => date(endsAt)],
    ['Change', state, 'action'],
  ],
  open,
  { style: 'records' },
)}
${postForm('/account/sign-out-everywhere', formToken, html`<p>${submit('Sign out everywhere', 'secondary')}</p>`)}</section>`
}

function deletionSection(emailAddress: string, formToken: string) {
  const content = html`<p>${labels.notes.delete_account}</p>
<p>Cancel a subscription first (“Change plan or card, cancel” on your <a href="/account#plan">account page</a>): an account whose subscription renews is not deleted. What is left of a canceled one is lost.</p>
${inputLine(`To confirm, enter ${emailAddress}`, {
  name: 'confirmation',
  type: 'text',
  required: true,
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: 'false',
})}<p>${submit('Delete my account', 'danger')}</p>`
  return html`<section id="delete">
<h2>Delete this account</h2>
${secondClick('Delete account and data', postForm('/account/delete', formToken, content))}</section>`
}

function addressSection(formToken: string) {
  const fields = html`${inputLine('New email address', { id: 'new-address', ...EMAIL_INPUT })}<p class="quiet">${labels.notes.change_address}</p>
<p>${submit('Change address', 'secondary')}</p>`
  return html`<section id="address">
<h2>Change your address</h2>
${postForm('/account/address', formToken, fields)}</section>`
}

export async function askForChange({
  deps,
  viewer,
  fields,
  req,
}: AccountVisit): Promise<string> {
  await requestChange(deps, viewer, {
    address: fields.address ?? '',
    network: ipBlock(req.ip ?? ''),
  })
  return '/account/settings?done=address'
}

/**
 * The page that a mailed link opens. Opening it changes nothing, because mail
 * scanners open links too. It needs no session.
 */
export async function openChange({ deps, req }: Visit): Promise<Page> {
  const token = queryOf(req).get('token') ?? ''
  const change = await readChange(deps, token)
  if (!change) return outcomePage('none')
  return {
    title: 'Confirm the change of the address',
    content: html`<p>The account of <strong>${change.from}</strong> gets the address <strong>${change.to}</strong>.</p>
${postForm('/account/address/confirm', null, html`${hidden('token', token)}<p>${submit('Confirm')}</p>`)}`,
  }
}

export async function confirmAddress({ deps, fields }: Visit): Promise<Page> {
  return outcomePage(await confirmChange(deps, fields.token ?? ''))
}

function outcomePage(outcome: keyof typeof labels.address_changes): Page {
  const [title, words] = labels.address_changes[outcome] as [string, string]
  return {
    title,
    status: outcome === 'none' || outcome === 'taken' ? 410 : 200,
    content: html`<p role="status">${words}</p>
<p><a href="/account/settings">Settings of your account</a></p>`,
  }
}
