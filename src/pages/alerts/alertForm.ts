import labels from '../../../data/labels.json' with { type: 'json' }
import { ALERT_KINDS, CADENCES } from '../../domain/alerts/savedSearch.ts'
import type { RecentFinds } from '../../infra/listings/recentFinds.ts'
import { type AlertAccount, INSTANT_PLAN } from '../../usecases/alerts/savedSearches.ts'
import { check, hidden, inputLine, postForm, type Shown, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { notice, problemNotice } from '../kit/notice.ts'
import type { Sources } from '../kit/site.ts'
import { filterFields } from '../lots/filterForm.ts'
import { recentFinds } from '../lots/recentFinds.ts'
import { LONGEST_NAME, type WatchedLot } from './alertFields.ts'
import { timesInWords } from './mailTimes.ts'

/** The content of the page with the form. */
export interface FormShown {
  /** Null for a new one. */
  id: number | null
  fields: Shown
  lot: WatchedLot | null
  account: AlertAccount
  sources: Sources
  formToken: string
  /** Why the form, or the link that led here, was refused. */
  problem: string | null
  /** Shown above the form; empty for nothing. */
  message: string
  /** What the search would have found; null for a watched lot, and where it is not known now. */
  recent: RecentFinds | null
}

/** The page that makes or edits a saved search. */
export function alertFormPage(shown: FormShown): Page {
  const { id, fields, lot, sources } = shown
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
    placeholder: `Empty: the ${lot ? 'title of the lot' : 'filters in words'}`,
    autocomplete: 'off',
  }
  const kinds = ALERT_KINDS.map(kind => check(`kind_${kind}`, labels.alerts.kinds[kind], fields))
  const form = html`
${lots}
${inputLine('Name of the alert', name)}${checks('Alert me when', kinds)}
${cadenceFields(shown)}
${channelFields(shown)}
<p>${submit('Save the alert')}</p>`
  return {
    title: id === null ? 'New alert' : 'Edit the alert',
    status: shown.problem === null ? 200 : 400,
    content: html`${problemNotice(shown.problem)}${notice('plain', shown.message)}${recentFinds(shown.recent)}${postForm(`/account/alerts${id === null ? '' : `/${id}`}`, shown.formToken, form)}<p><a href="/account/alerts">Back to your alerts</a></p>`,
  }
}

function checks(legend: string, boxes: Html[], more?: Html) {
  return html`<fieldset><legend>${legend}</legend><div class="checks">
${boxes}</div>
${more}</fieldset>`
}

function cadenceFields({ fields, account }: FormShown) {
  const choices = CADENCES.map(cadence => {
    const checked = fields.cadence === cadence
    const isExtra = cadence === 'instant' && !account.limits.isInstant
    return html`<label><input type="radio" name="cadence" value="${cadence}"${checked && html` checked`}${isExtra && !checked && html` disabled`}> ${labels.alerts.cadences[cadence]}${isExtra && ` (needs ${INSTANT_PLAN}; with your plan, once a day)`}</label>`
  })
  const times = html`<p class="quiet">At the times of all your alerts: ${timesInWords(account.times)}. <a href="/account/alerts#times">Change them</a></p>`
  return checks('How often we email you', choices, times)
}

function channelFields({ fields, account, lot }: FormShown) {
  const { endpoints, limits, plan } = account
  const file = 'A file each day with all lots of the search, in the archives'
  const boxes = [
    check('by_mail', 'Email', fields),
    ...(plan === 'enterprise' && lot === null ? [check('by_file', file, fields)] : []),
    ...endpoints.map(({ id, url, disabled_at }) =>
      check(`endpoint_${id}`, `Webhook ${url}${disabled_at ? ' (disabled)' : ''}`, fields),
    ),
  ]
  const about =
    limits.endpoints === 0
      ? html`Webhooks need ${INSTANT_PLAN}. <a href="/pricing">Compare plans</a>`
      : html`Webhooks receive each match within seconds. <a href="/account/alerts/endpoints">Your webhook endpoints</a>`
  return checks('Channels', boxes, html`<p class="quiet">${about}. Each alert also has a secret feed.</p>`)
}
