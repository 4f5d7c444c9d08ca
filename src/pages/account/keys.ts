import labels from '../../../data/labels.json' with { type: 'json' }
import { PLANS } from '../../contract/plans.ts'
import {
  MOST_KEYS,
  ROTATION_HOURS,
  SHOWN_MINUTES,
} from '../../domain/accounts/limits.ts'
import { count, formatNumber } from '../../domain/format.ts'
import type { AccountKey } from '../../infra/accounts/ownedKeys.ts'
import {
  makeKey,
  readOwnNewKey,
  revokeKey,
  rotateKey,
} from '../../usecases/accounts/ownKeys.ts'
import { date, moment } from '../kit/format.ts'
import { inputLine, postForm, secondClick, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { badge, notice } from '../kit/notice.ts'
import { type Column, table } from '../kit/table.ts'
import type { AccountVisit } from './session.ts'

export async function makeNewKey({
  deps,
  viewer,
  fields,
}: AccountVisit): Promise<string> {
  return `/account/keys/${await makeKey(deps, viewer, fields.name ?? '')}`
}

export async function rotate({
  deps,
  viewer,
  fields,
  req,
}: AccountVisit): Promise<string> {
  return `/account/keys/${await rotateKey(deps, viewer, String(req.params.id), fields.hours ?? '')}`
}

/**
 * The only page that ever shows a key: for some minutes, in the browser that
 * made it.
 */
export async function showNewKey({
  deps,
  viewer,
  req,
}: AccountVisit): Promise<Page> {
  const made = await readOwnNewKey(deps, viewer, String(req.params.id))
  return made ? newKeyPage(made, deps.publicUrl) : NO_LONGER_SHOWN
}

export async function revoke({
  deps,
  viewer,
  req,
}: AccountVisit): Promise<string> {
  await revokeKey(deps, viewer.accountId, String(req.params.id))
  return '/account?done=revoked'
}

function newKeyPage(
  { name, key }: { name: string; key: string },
  publicUrl: string,
): Page {
  return {
    title: 'Your new key',
    content: html`${notice('good', html`The key “${name}” was created. <strong>Copy it now: this page shows it for ${SHOWN_MINUTES} minutes, in this browser only.</strong> Until then the <a href="/docs/quickstart">guides</a> show it too.`)}
<p><label for="key">Key</label><br>
<output id="key">${key}</output> <button type="button" class="secondary" data-copy="${key}" hidden>Copy the key</button></p>
<p>Try it:</p>
<pre>curl -H "Authorization: Bearer ${key}" "${publicUrl}/api/v1/listings?category=vehicles"</pre>
<p><a href="/account">Back to your account</a></p>`,
  }
}

const NO_LONGER_SHOWN: Page = {
  title: 'This key is no longer shown',
  status: 410,
  content: html`<p role="alert">A new key is shown for ${SHOWN_MINUTES} minutes, in the browser that made it. After that only its last four characters are known here.</p>
<p>If you did not copy it, rotate it: you get a new key with the same name and limits. <a href="/account#keys">Your keys</a></p>`,
}

/** The keys of an account, the actions on each, and the form for a new one. */
export function keysSection(keys: AccountKey[], formToken: string) {
  const live = keys.filter(({ isLive }) => isLive)
  const revoked = keys.filter(({ isLive }) => !isLive)
  const isFull =
    live.filter(({ endsAt }) => endsAt === null).length >= MOST_KEYS
  const attributes = {
    name: 'name',
    type: 'text',
    maxlength: 60,
    required: true,
    autocomplete: 'off',
  }
  const fields = html`${inputLine('Name of the new key', attributes)}<p>${submit('Create a key')}</p><p class="quiet">A key can do what your plan includes; CSV files need ${PLANS.pro_plus.name}. <a href="/pricing">Compare plans</a></p>`
  return html`<section id="keys">
<h2>Keys</h2>
${live.length === 0 ? html`<p>You have no keys yet.</p>` : liveTable(live, formToken)}
${isFull ? html`<p>An account has at most ${MOST_KEYS} keys. To create another one, revoke one first.</p>` : postForm('/account/keys', formToken, fields)}
${revoked.length > 0 && revokedTable(revoked)}
</section>`
}

const KEY: Column<AccountKey> = [
  'Key',
  ({ hint, isAgent }) =>
    html`<code>${isAgent ? 'bp_agent' : 'bp_live'}_…${hint}</code>`,
]
const CREATED: Column<AccountKey> = [
  'Created',
  ({ createdAt }) => date(createdAt),
]
const LAST_USED: Column<AccountKey> = [
  'Last used',
  ({ lastUsedAt }) => (lastUsedAt ? moment(lastUsedAt) : 'never'),
]

function liveTable(keys: AccountKey[], formToken: string) {
  const nameAndEnd = ({ name, hint, endsAt, isAgent }: AccountKey) =>
    html`${keyLabel(name, hint)}${endsAt && html`<br>${badge(isAgent ? 'Agent' : 'Rotated')} <span class="quiet">works until ${moment(endsAt)}</span>`}`
  return table(
    [
      ['Name', nameAndEnd, 'header'],
      KEY,
      ['Plan and limits', limitsOf],
      CREATED,
      LAST_USED,
      ['Change', key => changesOf(key, formToken), 'action'],
    ],
    keys,
    { style: 'records' },
  )
}

function limitsOf({
  plan,
  isSpecial,
  callsPerMonth,
  callsPerMinute,
}: AccountKey) {
  const { name, calls_per_month, calls_per_minute } = PLANS[plan]
  const month = count(callsPerMonth ?? calls_per_month, 'call')
  const minute = formatNumber(callsPerMinute ?? calls_per_minute)
  return html`${name}${isSpecial ? ' (set by the operator)' : ''}<br><span class="quiet">${month} a month, ${minute} a minute</span>`
}

function changesOf({ id, name, hint, endsAt }: AccountKey, formToken: string) {
  const change = (
    path: string,
    words: string,
    style: 'secondary' | 'danger',
    content: Html,
  ) => {
    return secondClick(
      words,
      postForm(
        `/account/keys/${id}/${path}`,
        formToken,
        html`${content}<p>${submit(`${words} “${keyLabel(name, hint)}”`, style)}</p>`,
      ),
    )
  }
  const options = ROTATION_HOURS.map(hours => {
    return html`<option value="${hours}">${hours === 0 ? 'at once' : `in ${count(hours, 'hour')}`}</option>`
  })
  const rotation = html`<p>A new key replaces this one.</p>
<p><label>The old key stops working
<select name="hours">${options}</select></label></p>`
  return html`${!endsAt && change('rotate', 'Rotate', 'secondary', rotation)}${change('revoke', 'Revoke', 'danger', html`<p>${labels.notes.revoke_key}</p>`)}`
}

/**
 * Revoked keys stay in the list, so that a key found in a log or a program can
 * be recognized.
 */
function revokedTable(keys: AccountKey[]) {
  return html`<details><summary>Revoked keys (${keys.length})</summary>
${table([['Name', ({ name, hint }) => keyLabel(name, hint), 'header'], KEY, CREATED, LAST_USED, ['Revoked', ({ endsAt }) => moment(endsAt!)]], keys, { style: 'records' })}</details>`
}

/** The name of a key, or its last characters where it has none. */
export function keyLabel(name: string | null, hint: string) {
  return name || `key …${hint}`
}
