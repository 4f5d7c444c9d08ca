import labels from '../../../data/labels.json' with { type: 'json' }
import { ALERT_KINDS, CADENCES } from '../../domain/alerts/savedSearch.ts'
import { callOf } from '../../http/call.ts'
import { readRecentFinds } from '../../infra/site/recentFinds.ts'
import {
  type AlertAccount,
  INSTANT_PLAN,
} from '../../usecases/alerts/savedSearches.ts'
import { filterOf, withDefaults } from '../../usecases/searchLots.ts'
import { nullWhileUnavailable } from '../../usecases/suggestSearches.ts'
import type { AccountVisit } from '../account/session.ts'
import {
  check,
  hidden,
  inputLine,
  postForm,
  type Shown,
  submit,
} from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import { notice, problemNotice } from '../kit/notice.ts'
import { filterFields } from '../lots/filterForm.ts'
import { recentFinds } from '../lots/recentFinds.ts'
import {
  filtersOfFields,
  LONGEST_NAME,
  type WatchedLot,
} from './alertFields.ts'
import { timesInWords } from './mailTimes.ts'

/** What the form shows. */
interface Form {
  /** Null for a new one. */
  id: number | null
  fields: Shown
  lot: WatchedLot | null
  account: AlertAccount
  /** Why the form, or the link that led here, was refused. */
  problem: string | null
  /** Shown above the form. */
  message?: string
}

/** The page that makes or edits a saved search. */
export async function alertFormPage(visit: AccountVisit, shown: Form) {
  const { id, fields, lot, problem, message = '' } = shown
  const sources = await visit.site.sources()
  const recent =
    lot || problem
      ? null
      : await recentFindsOf(visit, fields).catch(nullWhileUnavailable)
  const lots = lot
    ? html`${hidden('listing_id', lot.id)}<p>Watches <a href="/listings/${lot.id}">${lot.title}</a>.</p>`
    : html`<fieldset><legend>Lots</legend><div class="search">
${filterFields(fields, sources)}
</div></fieldset>`
  const name = {
    name: 'name',
    type: 'text',
    maxlength: LONGEST_NAME,
    value: fields.name ?? '',
    placeholder: `Leave empty for the ${lot ? 'title of the lot' : 'filters as words'}`,
    autocomplete: 'off',
  }
  const form = html`
${lots}
${inputLine('Name of the alert', name)}${checks(
  'Alert me when',
  ALERT_KINDS.map(kind =>
    check(`kind_${kind}`, labels.alerts.kinds[kind], fields),
  ),
)}
${cadenceFields(shown)}
${channelFields(shown)}
<p>${submit('Save the alert')}</p>`
  return {
    title: id === null ? 'New alert' : 'Edit the alert',
    status: problem === null ? 200 : 400,
    content: html`${problemNotice(problem)}${notice('plain', message)}${recentFinds(recent)}${postForm(`/account/alerts${id === null ? '' : `/${id}`}`, visit.viewer.formToken, form)}<p><a href="/account/alerts">Back to your alerts</a></p>`,
  }
}

/** What the search would have found. */
async function recentFindsOf({ deps, site, res }: AccountVisit, fields: Shown) {
  const { query } = await filtersOfFields(fields, site)
  const filter = filterOf(withDefaults(query))
  return deps.reads.read(callOf(res).caller, context =>
    readRecentFinds(context, filter),
  )
}

function checks(legend: string, boxes: Html[], more?: Html) {
  return html`<fieldset><legend>${legend}</legend><div class="checks">
${boxes}</div>
${more}</fieldset>`
}

function cadenceFields({ fields, account }: Form) {
  const choices = CADENCES.map(cadence => {
    const checked = fields.cadence === cadence
    const isExtra = cadence === 'instant' && !account.limits.isInstant
    return html`<label><input type="radio" name="cadence" value="${cadence}"${checked && html` checked`}${isExtra && !checked && html` disabled`}> ${labels.alerts.cadences[cadence]}${isExtra && ` (${INSTANT_PLAN})`}</label>`
  })
  const times = html`<p class="quiet">At the times of all your alerts: ${timesInWords(account.times)}. <a href="/account/alerts#times">Change them</a></p>`
  return checks('How often we email you', choices, times)
}

function channelFields({ fields, account, lot }: Form) {
  const file = 'A file each day with all lots of the search, in the archives'
  const boxes = [
    check('by_mail', 'Email', fields),
    ...(account.plan === 'enterprise' && lot === null
      ? [check('by_file', file, fields)]
      : []),
    ...account.endpoints.map(({ id, url, disabled_at }) =>
      check(
        `endpoint_${id}`,
        `Webhook ${url}${disabled_at ? ' (disabled)' : ''}`,
        fields,
      ),
    ),
  ]
  const about =
    account.limits.endpoints === 0
      ? html`Webhooks need ${INSTANT_PLAN}. <a href="/pricing">Compare plans</a>`
      : html`Webhooks receive each match within seconds. <a href="/account/alerts/endpoints">Your webhook endpoints</a>`
  return checks(
    'Channels',
    boxes,
    html`<p class="quiet">${about}. Each alert also has a secret feed.</p>`,
  )
}
