import labels from '../../../data/labels.json' with { type: 'json' }
import { ownName } from '../../domain/accounts/formFields.ts'
import { ALERT_KINDS, CADENCES, type SavedSearch } from '../../domain/alerts/savedSearch.ts'
import { ApiError } from '../../domain/errors.ts'
import { type AlertAccount, INSTANT_PLAN } from '../../usecases/alerts/savedSearches.ts'
import { FILTERS, filtersOf } from '../../usecases/emptySearch.ts'
import { filterOf } from '../../usecases/lotSearch.ts'
import { check, type Shown, select } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathWith, type Sent } from '../kit/paths.ts'
import type { Fields } from '../kit/requests.ts'
import type { SearchReader } from '../kit/site.ts'
import { filterFields } from '../lots/filterForm.ts'
import { summaryOf } from '../lots/search.ts'

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
export function alertFormPage(shown: FormShown): Page {
  const { id, fields, lot, sources, problem, notice } = shown
  const action = id === null ? '/account/alerts' : `/account/alerts/${id}`
  return {
    title: id === null ? 'New alert' : 'Edit the alert',
    content: html`${problem ? html`<p role="alert" id="problem">${problem}</p>` : null}
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
    section: '/account',
    unlisted: true,
  }
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

/** The contract bounds the name of a search in a message. */
const LONGEST_NAME = 100

const FILTER_FIELDS: string[] = [...FILTERS, 'radius_miles']
/** The parameters of a search that a saved one does not have. */
const UNSAVED = ['sort', 'page', 'per_page']

export const TIME_ZONES: Record<string, string> = labels.alerts.time_zones

/** A lot to watch. */
export interface WatchedLot {
  id: string
  title: string
}

/**
 * Reads the form of a saved search. The filters are checked as those of a search are.
 * @param lot the lot to watch; null for a search.
 * @throws ApiError 400 with a sentence for the person who filled it in.
 */
export function searchOfFields(
  fields: Fields,
  lot: WatchedLot | null,
  { readSearch, sources }: { readSearch: SearchReader; sources: [key: string, name: string][] },
): SavedSearch {
  const { query, words } = lot
    ? { query: {}, words: lot.title }
    : filtersOfFields(fields, readSearch, sources)
  const kinds = ALERT_KINDS.filter(kind => fields[`kind_${kind}`] === 'true')
  const cadence = CADENCES.find(each => each === fields.cadence)
  const { time_zone = '' } = fields
  if (kinds.length === 0) throw refused('Choose at least one thing to be alerted to.')
  if (!cadence) throw refused(`Choose how often mail is sent: ${CADENCES.join(', ')}.`)
  if (!Object.hasOwn(TIME_ZONES, time_zone)) {
    throw refused(`Choose a time zone: ${Object.keys(TIME_ZONES).join(', ')}.`)
  }
  return {
    name: alertName(fields.name ?? '', words),
    query,
    lot_id: lot?.id ?? null,
    kinds,
    cadence,
    time_zone,
    digest_hour: hourOf(fields, 'digest_hour'),
    quiet_from: hourOf(fields, 'quiet_from'),
    quiet_until: hourOf(fields, 'quiet_until'),
    by_mail: fields.by_mail === 'true',
    by_file: fields.by_file === 'true',
    endpoint_ids: Object.keys(fields).flatMap(name => {
      const id = /^endpoint_([1-9]\d{0,14})$/.exec(name)?.[1]
      return id === undefined ? [] : [Number(id)]
    }),
    is_paused: false,
  }
}

/** The filters that are set, as the contract types them, and in words. @throws ApiError 400 as a search does. */
export function filtersOfFields(
  fields: Fields,
  readSearch: SearchReader,
  sources: [key: string, name: string][],
): { query: SavedSearch['query']; words: string } {
  const sent: Sent = FILTER_FIELDS.map(name => [name, fields[name] ?? ''])
  const input = readSearch(pathWith('/search', sent, {})).input()
  // Refuses what the schemas of the contract cannot say: a ZIP code that does not exist, a price range that is turned around.
  filterOf(input)
  const query: Record<string, unknown> = {}
  for (const filter of filtersOf(input)) query[filter] = input[filter]
  if (input.zip !== undefined) query.radius_miles = input.radius_miles
  return { query: query as SavedSearch['query'], words: summaryOf(input, sources) }
}

/** A name that was typed, or words that describe the search. */
function alertName(typed: string, words: string): string {
  const shortened = [...words].slice(0, LONGEST_NAME).join('')
  const name =
    typed.trim() === '' ? (ownName(shortened, LONGEST_NAME) ?? 'All live lots') : ownName(typed, LONGEST_NAME)
  if (name === null)
    throw refused(`The name of an alert must be one line of at most ${LONGEST_NAME} visible characters.`)
  return name
}

function hourOf(fields: Fields, name: string): number {
  const text = fields[name] ?? ''
  if (!/^\d{1,2}$/.test(text) || Number(text) > 23) throw refused(`"${name}" must be an hour from 0 to 23.`)
  return Number(text)
}

/** The fields that show a saved search. */
export function fieldsOfSearch({ query, kinds, endpoint_ids, ...settings }: SavedSearch): Shown {
  const ticked = [...kinds.map(kind => `kind_${kind}`), ...endpoint_ids.map(id => `endpoint_${id}`)]
  const texts = Object.entries({ ...query, ...settings }).map(([name, value]) => [name, String(value)])
  return { ...Object.fromEntries(texts), ...Object.fromEntries(ticked.map(name => [name, 'true'])) }
}

/**
 * The fields of a new search from the address of a ready link: filters of a search, `listing_id`, `name`, `kinds` (separated by
 * commas) and `cadence`.
 * @returns also the names of the parameters that mean nothing here.
 */
export function fieldsOfLink(
  link: URLSearchParams,
  isInstant: boolean,
): { fields: Shown; listingId: string | null; dropped: string[] } {
  const sent = new Map([...link].reverse().filter(([, value]) => value !== ''))
  const listingId = sent.get('listing_id') ?? null
  const known = ['listing_id', 'name', 'kinds', 'cadence', ...UNSAVED]
  const filters = listingId === null ? FILTER_FIELDS.filter(name => sent.has(name)) : []
  const wanted = sent.get('kinds')?.split(',') ?? []
  const kinds = ALERT_KINDS.filter(kind => wanted.includes(kind))
  const cadence = CADENCES.find(each => each === sent.get('cadence'))
  const usual: SavedSearch = {
    name: sent.get('name') ?? '',
    query: Object.fromEntries(filters.map(name => [name, sent.get(name) ?? ''])),
    lot_id: null,
    kinds: kinds.length > 0 ? kinds : usualKinds(listingId !== null),
    cadence: cadence ?? (isInstant ? 'instant' : 'daily'),
    time_zone: 'America/New_York',
    digest_hour: 8,
    quiet_from: 0,
    quiet_until: 0,
    by_mail: true,
    by_file: false,
    endpoint_ids: [],
    is_paused: false,
  }
  const dropped = [...new Set(link.keys())].filter(name => ![...filters, ...known].includes(name))
  if (kinds.length < wanted.length) dropped.push('kinds')
  if (!cadence && sent.has('cadence')) dropped.push('cadence')
  return { fields: fieldsOfSearch(usual), listingId, dropped }
}

function usualKinds(isLot: boolean): SavedSearch['kinds'] {
  return isLot ? ALERT_KINDS.filter(kind => kind !== 'new') : ['new', 'price_drop']
}

function refused(message: string): ApiError {
  return new ApiError('invalid_request', message)
}
