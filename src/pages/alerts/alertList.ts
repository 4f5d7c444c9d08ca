import labels from '../../../data/labels.json' with { type: 'json' }
import { includes, PLANS } from '../../contract/plans.ts'
import { feedToken } from '../../domain/alerts/savedSearch.ts'
import { KIND_TITLES } from '../../domain/alerts/webhooks.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import { count, formatNumber } from '../../domain/format.ts'
import {
  type AlertAccount,
  INSTANT_PLAN,
  readAlerts,
  type StoredSearch,
} from '../../usecases/alerts/savedSearches.ts'
import { withDefaults } from '../../usecases/searchLots.ts'
import { closesAt } from '../../words/closing.ts'
import type { AccountVisit } from '../account/session.ts'
import { localMoment, moment } from '../kit/format.ts'
import { postForm, secondClick, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import { badge, notice } from '../kit/notice.ts'
import { noticeOf } from '../kit/requests.ts'
import { pathWith, type Sources } from '../kit/site.ts'
import { summaryOf } from '../lots/search.ts'
import { timesSection } from './mailTimes.ts'

/** The saved searches and watched lots of an account. */
export async function alertsPage(visit: AccountVisit) {
  const { deps, site, viewer, req } = visit
  const [account, sources] = await Promise.all([
    readAlerts(deps, viewer.accountId),
    site.sources(),
  ])
  const { searches, limits, plan } = account
  const used = `${formatNumber(searches.length)} of ${count(limits.searches, 'alert')}`
  const webhooks =
    limits.endpoints === 0
      ? 'no webhooks'
      : count(limits.endpoints, 'webhook endpoint')
  const isFull = searches.length >= limits.searches
  return {
    title: 'Your alerts',
    content: html`${notice('good', noticeOf(req, labels.alerts.messages))}
<p>${labels.notes.alerts}</p>
<p>Your plan, ${PLANS[plan].name}: <strong>${used}</strong>, email ${limits.isInstant ? 'instantly' : 'once a day'}, ${webhooks}. ${!limits.isInstant && `Instant alerts and webhooks need ${INSTANT_PLAN}. `}<a href="/pricing">Compare plans</a></p>
<p>${!isFull && html`<a class="action" href="/account/alerts/new">New alert</a> `}<a href="/account/alerts/endpoints">Webhook endpoints</a></p>
${searches.length === 0 && html`<p>You have no alerts yet. Open a <a href="/search">search</a> and choose “Save this search”, or a lot and choose “Watch”.</p>`}
<div class="cards wide">${searches.map(search => alertSection(search, account, sources, visit))}</div>
${timesSection(account.times, viewer.formToken)}`,
  }
}

function alertSection(
  search: StoredSearch,
  account: AlertAccount,
  sources: Sources,
  { deps, site, viewer }: AccountVisit,
) {
  const { id, name, is_paused, matches, found_today } = search
  const form = (path: string, content: Html) =>
    postForm(`/account/alerts/${id}/${path}`, viewer.formToken, content)
  const button = (path: string, words: string) =>
    form(path, submit(words, 'secondary', name))
  const careful = (path: string, words: string, warning: string) =>
    secondClick(
      words,
      form(
        path,
        html`<p>${warning}</p>\n<p>${submit(`${words}: ${name}`, 'danger')}</p>`,
      ),
    )
  const found = matches.map(
    ({ title, slug, kind, matched_at }) =>
      html`<li>${KIND_TITLES[kind]}: <a href="/listings/${slug}">${title}</a>, <span class="quiet">${moment(matched_at)}</span></li>`,
  )
  const more = found_today - matches.length
  if (more > 0)
    found.push(
      html`<li class="quiet">and ${formatNumber(more)} more within 24 hours</li>`,
    )
  const feed = `/feeds/alerts/${feedToken(deps.pepper, id, search.feed_generation)}`
  const csv = includes(account.plan, 'pro_plus')
    ? html`<a href="${feed}.csv">CSV</a>`
    : html`<a href="/pricing">CSV with ${PLANS.pro_plus.name}</a>`
  return html`<section id="alert-${id}" aria-labelledby="name-${id}">
<h2 id="name-${id}"><a href="/account/alerts/${id}">${name}</a></h2>
<p>${stateOf(search, account, site.now())} ${lotsOf(search, sources)}</p>
<p>${settingsOf(search, account)}</p>
${endOf(search, account, site.now())}${found.length === 0 ? html`<p class="quiet">No matches yet.</p>` : html`<ul>\n${found}</ul>`}
<p class="quiet">Private feed: <a href="${feed}.rss">RSS</a></p>
<details class="quiet"><summary>More formats</summary><a href="${feed}.json">JSON Feed</a>, ${csv}, <a href="${feed}.ics">Calendar of watched lots</a></details>
<div class="buttons"><a class="action secondary" href="/account/alerts/${id}" aria-label="Edit: ${name}">Edit</a>
${is_paused ? button('resume', 'Resume') : button('pause', 'Pause')}</div>
${careful('feed', 'Reset feed link', 'The current URL stops working now.')}${careful('delete', 'Delete', 'The alert, its matches and its feed are deleted. This cannot be undone.')}</section>`
}

function stateOf(
  { is_paused, position, query }: StoredSearch,
  { limits }: AlertAccount,
  now: Date,
) {
  if (position > limits.searches)
    return badge('Not in your plan: it finds nothing', 'poor')
  if (Date.parse(String(query.ends_before)) <= now.getTime())
    return badge('Its “ends before” has passed: it finds nothing', 'poor')
  return is_paused ? badge('Paused', 'neutral') : badge('Active', 'good')
}

function lotsOf({ query, lot_id, lot }: StoredSearch, sources: Sources) {
  if (lot_id !== null)
    return html`The lot ${lot ? html`<a href="/listings/${lot_id}">${lot.title}</a>` : 'was deleted'}`
  const search = { ...withDefaults(query), page: 1, per_page: 24 }
  const sent = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return html`Live lots: <a href="${pathWith('/search', sent, {})}">${summaryOf(search, sources) || 'all'}</a>`
}

function settingsOf(
  search: StoredSearch,
  { limits, endpoints, plan }: AlertAccount,
) {
  const webhooks = endpoints.filter(({ id }) =>
    search.endpoint_ids.includes(id),
  ).length
  const unless = (isIncluded: boolean) =>
    isIncluded ? '' : ' (not in your plan)'
  const channels = [
    search.by_mail && `email ${rhythmOf(search, limits.isInstant)}`,
    webhooks > 0 && count(webhooks, 'webhook') + unless(limits.endpoints > 0),
    search.by_file && `a file each day${unless(plan === 'enterprise')}`,
  ].filter(Boolean)
  const kinds = search.kinds.map(kind => KIND_TITLES[kind]).join(', ')
  return `${kinds} · ${channels.join(' and ') || 'its feed only'}`
}

/** When a watched lot ends, and whether mails about it would come too late. */
function endOf(
  search: StoredSearch,
  { times, limits }: AlertAccount,
  now: Date,
) {
  const { lot, closes_at, next_mail_at, by_mail, kinds } = search
  if (!lot || !closes_at) return null
  const ends = html`${closesAt(lot, times.time_zone)} (<a href="/listings/${lot.id}/end.ics">add it to your calendar</a>)`
  if (!by_mail || next_mail_at <= closes_at)
    return html`<p>It ends ${ends}.</p>`
  const hasLastHour =
    kinds.includes('ending') && Date.parse(closes_at) - now.getTime() > HOUR_MS
  const unless =
    times.quiet_from === times.quiet_until
      ? ''
      : ', unless your quiet hours hold it back'
  return notice(
    'bad',
    html`Emails about its changes would come too late: ${localMoment(next_mail_at, times.time_zone)}. It ends ${ends}. ${hasLastHour && `One email comes when its last hour begins${unless}. `}${!limits.isInstant && html`With ${INSTANT_PLAN}, emails come instantly. <a href="/pricing">Compare plans</a>`}`,
  )
}

function rhythmOf({ cadence }: StoredSearch, isInstant: boolean) {
  if (cadence === 'instant' && isInstant) return 'instantly'
  return cadence === 'weekly' ? 'every Monday' : 'every day'
}
