import labels from '../../../data/labels.json' with { type: 'json' }
import { ALERT_KINDS, CADENCES } from '../../domain/alerts/savedSearch.ts'
import { type AlertAccount, INSTANT_PLAN } from '../../usecases/alerts/savedSearches.ts'
import { type Html, html } from '../kit/html.ts'
import { layout } from '../kit/layout.ts'
import { check, filterFields, type Shown, select } from '../lots/filterForm.ts'
import { TIME_ZONES, type WatchedLot } from './fields.ts'

const HOURS = Array.from({ length: 24 }, (_, hour): [string, string] => [
  String(hour),
  `${String(hour).padStart(2, '0')}:00`,
])

/** The form of a saved search, with what surrounds it. */
export interface FormShown {
  /** Null for a new one. */
  id: number | null
  fields: Shown
  lot: WatchedLot | null
  account: AlertAccount
  sources: [key: string, name: string][]
  formToken: string
  /** Why the form, or the link that led here, was refused. */
  problem: string | null
  /** What is good to know before it is filled in; empty for nothing. */
  notice: string
}

/** The page that makes or edits a saved search. */
export function alertFormPage(shown: FormShown): string {
  const { id, fields, lot, sources, problem, notice } = shown
  const action = id === null ? '/account/alerts' : `/account/alerts/${id}`
  return layout(
    id === null ? 'New alert' : 'Edit the alert',
    html`${problem ? html`<p role="alert" id="problem">${problem}</p>` : null}
${notice ? html`<p class="notice" role="status">${notice}</p>` : null}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${shown.formToken}">
${
  lot
    ? html`<input type="hidden" name="listing_id" value="${lot.id}">
<p>Watches <a href="/listings/${lot.id}">${lot.title}</a>.</p>`
    : html`<fieldset><legend>Lots</legend><div class="search">
${filterFields(fields, sources)}
</div></fieldset>`
}
<p><label for="name">Name of the alert</label><br>
<input id="name" name="name" type="text" maxlength="100" value="${fields.name}" placeholder="Empty: the ${lot ? 'title of the lot' : 'filters in words'}" autocomplete="off"></p>
<fieldset><legend>Alert me when</legend><div class="checks">
${ALERT_KINDS.map(kind => check(`kind_${kind}`, labels.alerts.kinds[kind], fields))}
</div></fieldset>
${cadenceFields(shown)}
${channelFields(shown)}
<p><button type="submit">Save the alert</button></p>
</form>
<p><a href="/account/alerts">Back to your alerts</a></p>`,
    { section: '/account', unlisted: true },
  )
}

function cadenceFields({ fields, account }: FormShown): Html {
  const choices = CADENCES.map(cadence => {
    const checked = fields.cadence === cadence
    const isExtra = cadence === 'instant' && !account.limits.isInstant
    return html`<label><input type="radio" name="cadence" value="${cadence}"${checked ? html` checked` : null}${isExtra && !checked ? html` disabled` : null}> ${labels.alerts.cadences[cadence]}${isExtra ? ` (from the plan ${INSTANT_PLAN}; with yours, once a day)` : null}</label>
`
  })
  const zones = Object.entries(TIME_ZONES)
  return html`<fieldset><legend>How often mail is sent</legend><div class="checks">
${choices}</div>
<div class="fields">
${select('digest_hour', 'Hour of the mail', HOURS, fields.digest_hour)}
${select('time_zone', 'Time zone', zones, fields.time_zone)}
${select('quiet_from', 'Quiet from', HOURS, fields.quiet_from)}
${select('quiet_until', 'Quiet until', HOURS, fields.quiet_until)}
</div>
<p class="quiet">In quiet hours no mail is sent; what they find is mailed when they end. The same hour twice: none are quiet.</p></fieldset>`
}

function channelFields({ fields, account, lot }: FormShown): Html {
  const { endpoints, limits, plan } = account
  const boxes = endpoints.map(
    ({ id, url, disabled_at }) =>
      html`${check(`endpoint_${id}`, `Webhook ${url}${disabled_at ? ' (disabled)' : ''}`, fields)}
`,
  )
  const about =
    limits.endpoints === 0
      ? html`Webhooks begin with the plan ${INSTANT_PLAN}. <a href="/pricing">Compare plans</a>`
      : html`Webhooks receive each match at once. <a href="/account/alerts/endpoints">Your webhook endpoints</a>`
  return html`<fieldset><legend>Channels</legend><div class="checks">
${check('by_mail', 'Mail', fields)}
${plan === 'enterprise' && lot === null ? check('by_file', 'A file each day with all lots of the search, in the archives', fields) : null}
${boxes}</div>
<p class="quiet">${about}. Each alert also has a secret feed.</p></fieldset>`
}
