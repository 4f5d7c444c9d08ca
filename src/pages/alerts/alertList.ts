import { PLANS } from '../../contract/plans.ts'
import { KIND_TITLES } from '../../domain/alerts/webhooks.ts'
import { count, formatNumber } from '../../domain/format.ts'
import {
  type AlertAccount,
  INSTANT_PLAN,
  inputOf,
  type StoredSearch,
} from '../../usecases/alerts/savedSearches.ts'
import { moment } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathWith } from '../kit/paths.ts'
import { summaryOf } from '../lots/search.ts'
import { TIME_ZONES } from './alertForm.ts'

interface ListShown {
  account: AlertAccount
  sources: [key: string, name: string][]
  formToken: string
  message: string | null
  /** The address of the feed of a search, without the ending that names its format. */
  feedOf(search: StoredSearch): string
}

/** The saved searches and watched lots of an account. */
export function alertsPage(shown: ListShown): Page {
  const { account, message } = shown
  const { searches, limits, plan } = account
  const used = `${formatNumber(searches.length)} of ${count(limits.searches, 'alert')}`
  const isFull = searches.length >= limits.searches
  return {
    title: 'Your alerts',
    content: html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>An alert tells you what changes among the lots of a search, or on one lot that you watch.</p>
<p>Your plan, ${PLANS[plan].name}: <strong>${used}</strong>, mail ${limits.isInstant ? 'at once' : 'once a day'}, ${
      limits.endpoints === 0 ? 'no webhooks' : count(limits.endpoints, 'webhook endpoint')
    }. ${limits.isInstant ? null : `Alerts at once and webhooks begin with ${INSTANT_PLAN}. `}<a href="/pricing">Compare plans</a></p>
<p>${isFull ? null : html`<a class="action" href="/account/alerts/new">New alert</a> `}<a href="/account/alerts/endpoints">Webhook endpoints</a></p>
${searches.length === 0 ? html`<p>You have no alerts yet. Open a <a href="/search">search</a> and choose “Save this search”, or a lot and choose “Watch this lot”.</p>` : null}
${searches.map(search => alertSection(search, shown))}`,
    section: '/account',
    unlisted: true,
  }
}

function alertSection(search: StoredSearch, { account, sources, formToken, feedOf }: ListShown): Html {
  const { id, name, is_paused, position, matches } = search
  const [state, style] =
    position > account.limits.searches
      ? ['Not in your plan: it finds nothing', 'poor']
      : is_paused
        ? ['Paused', 'neutral']
        : ['Active', 'good']
  const button = (path: string, label: string) =>
    html`<form method="post" action="/account/alerts/${id}/${path}"><input type="hidden" name="form_token" value="${formToken}"><button type="submit" class="secondary" aria-label="${label}: ${name}">${label}</button></form>
`
  // Behind a second click, because neither change can be undone.
  const careful = (path: string, label: string, warning: string) =>
    html`<details><summary>${label}</summary>
<form method="post" action="/account/alerts/${id}/${path}"><input type="hidden" name="form_token" value="${formToken}"><p>${warning}</p>
<p><button type="submit" class="danger">${label}: ${name}</button></p></form></details>
`
  const feed = feedOf(search)
  return html`<section id="alert-${id}" aria-labelledby="name-${id}">
<h2 id="name-${id}"><a href="/account/alerts/${id}">${name}</a></h2>
<p><span class="badge ${style}">${state}</span> ${lotsOf(search, sources)}</p>
<p>${settingsOf(search, account)}</p>
${matches.length === 0 ? html`<p class="quiet">No matches yet.</p>` : matchList(matches)}
<p class="quiet">Its feed, for you alone: <a href="${feed}.rss">RSS</a>, <a href="${feed}.json">JSON Feed</a></p>
<div class="buttons"><a class="action secondary" href="/account/alerts/${id}" aria-label="Edit: ${name}">Edit</a>
${is_paused ? button('resume', 'Resume') : button('pause', 'Pause')}${button('test', 'Send a test')}</div>
${careful('feed', 'Change the address of the feed', 'The present address stops working at once.')}${careful('delete', 'Delete', 'The alert, its matches and its feed are deleted at once. This cannot be undone.')}</section>
`
}

function lotsOf({ query, lot_id, lot_title }: StoredSearch, sources: ListShown['sources']): Html {
  if (lot_id !== null)
    return html`The lot ${lot_title ? html`<a href="/listings/${lot_id}">${lot_title}</a>` : 'was deleted'}`
  const search = { ...inputOf(query), page: 1, per_page: 24 }
  const sent = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return html`Live lots: <a href="${pathWith('/search', sent, {})}">${summaryOf(search, sources) || 'all'}</a>`
}

/** Kinds, rhythm and channels in words. */
function settingsOf(search: StoredSearch, { limits, endpoints, plan }: AlertAccount): string {
  const { kinds, cadence, digest_hour, time_zone, quiet_from, quiet_until, by_mail, endpoint_ids } = search
  const zone = TIME_ZONES[time_zone] ?? time_zone
  const hour = (at: number) => `${String(at).padStart(2, '0')}:00`
  const isAtOnce = cadence === 'instant' && limits.isInstant
  const rhythm = isAtOnce
    ? `at once${quiet_from === quiet_until ? '' : `, but not from ${hour(quiet_from)} to ${hour(quiet_until)} (${zone})`}`
    : `${cadence === 'weekly' ? 'every Monday' : 'every day'} at ${hour(digest_hour)} (${zone})`
  const webhooks = endpoints.filter(({ id }) => endpoint_ids.includes(id)).length
  const channels = [
    by_mail ? `mail ${rhythm}` : null,
    webhooks === 0
      ? null
      : `${count(webhooks, 'webhook')}${limits.endpoints === 0 ? ' (not in your plan)' : ''}`,
    search.by_file ? `a file each day${plan === 'enterprise' ? '' : ' (not in your plan)'}` : null,
  ].filter(Boolean)
  return `${kinds.map(kind => KIND_TITLES[kind]).join(', ')} · ${channels.length === 0 ? 'its feed only' : channels.join(' and ')}`
}

function matchList(matches: StoredSearch['matches']): Html {
  const rows = matches.map(
    ({ title, slug, kind, matched_at }) =>
      html`<li>${KIND_TITLES[kind]}: <a href="/listings/${slug}">${title}</a>, <span class="quiet">${moment(matched_at)}</span></li>
`,
  )
  return html`<ul>
${rows}</ul>`
}
