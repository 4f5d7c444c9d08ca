import type { ApiError } from '../../contract/errors.ts'
import type { Input, Ok, Schemas } from '../../contract/types.ts'
import { nameOfState, zoneAt } from '../../domain/feeds/states.ts'
import { count, formatNumber, shortDollars } from '../../domain/format.ts'
import { isInCircle, type Point } from '../../domain/search/circle.ts'
import {
  FILTERS,
  type FilterName,
  filtersOf,
} from '../../domain/search/filters.ts'
import type { Trip } from '../../infra/site/siteReads.ts'
import { closesAt } from '../../words/closing.ts'
import { removalDays } from '../../words/listingWords.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import {
  AS_API,
  isCompact,
  pathWith,
  type Sent,
  type Sources,
} from '../kit/site.ts'
import { lotCards } from './cards.ts'
import { facetLists, narrowed } from './facets.ts'
import { orderField, searchForm } from './filterForm.ts'
import { citiesMeant, notFilteredIn, placeOfZip } from './readForm.ts'
import type { Results } from './results.ts'

type Search = Input<'searchListings'>

/** The last page that a search shows; the contract bounds `page`. */
export const LAST_PAGE = 200

export function searchPage(shown: Results): Page {
  const { sent, search, found, values, facets, sources, now } = shown
  const form = Object.fromEntries(sent)
  const summary = summaryOf(search, sources)
  const lists = facets && {
    main: facetLists(sent, facets, sources, ['category', 'state', 'price']),
    behindMore: facetLists(sent, facets, sources, ['source']),
  }
  return {
    title:
      (shown.trip && auctionTitle(shown.trip)) ??
      (summary === '' ? 'Live lots' : `Live lots: ${summary}`),
    content: html`<div class="finder">
${searchForm(form, sources, lists, chips(shown))}
<section class="found" aria-labelledby="found">
<div class="results-head"><h2 id="found">${found.total === 0 ? 'No matching lots' : count(found.total, 'live lot')}</h2>
${orderField(form)}
${sentenceOf(sent)}
${shown.trip && tripOf(shown.trip)}
${found.total > 0 && waysOn(sent)}</div>
${found.total === 0 ? nothingFound(shown) : html`${found.data.length === 0 ? pastTheEnd(sent, found) : lotCards(found.data, values, now, { from: sent, twins: found.twins })}${pageLinks(sent, found)}`}
${found.total > 0 && sameElsewhere(sent)}
</section>
</div>`,
    skip: ['found', 'Skip to the lots'],
    description: `Government surplus lots that are open for bids now${summary === '' ? '' : `: ${summary}`}.`,
    canonical: pathWith('/search', sent, AS_API),
    head: feedLinks(sent),
  }
}

/**
 * The sentence that the filters were read from, and the way to its words and
 * back, and what no filter is for.
 */
function sentenceOf(sent: Sent) {
  const { q, sentence } = Object.fromEntries(sent)
  if (sentence === undefined) return null
  const [said, way] =
    q === sentence
      ? ['Every word is searched for.', 'Read it as a sentence']
      : [
          `Showing results for “${sentence}” ·`,
          'Search these exact words instead',
        ]
  const unread = notFilteredIn(sent)
  return html`<p class="quiet">${said} <a href="${pathWith('/search', [], { q: sentence, sentence: q === sentence ? null : sentence })}" rel="nofollow">${way}</a></p>
${unread.length > 0 && html`<p class="quiet">Not filtered: ${unread.join(', ')}</p>`}`
}

/** "GSA Fleet, Florida, closing Nov 28" */
function auctionTitle({ auction, last }: Trip): string {
  // Of "Tue, Nov 24, between 10 AM …" and "Nov 28, 2026, 4:00 PM …" the day.
  const day =
    closesAt(last, zoneAt(last))?.match(/\w+ \d+/) ?? 'on a day to be announced'
  return `${last.source_name}, ${nameOfState(auction.state ?? 'United States')}, closing ${day}`
}

/**
 * One trip: 19 lots in Chicago, IL, next bids together $4,215. Only where all
 * are in one city, or in cities within 30 miles.
 */
function tripOf({ auction, next_bids_cents, last, description, cities }: Trip) {
  const { city, state } = auction
  const points = Object.values(cities)
  const isKnown = !cities['']
  // A city without a point is near nothing, not even itself.
  const isNear = points.every(point =>
    points.every(isInCircle({ ...(point as Point), radius_miles: 30 })),
  )
  const isTrip = (city && state) || (isKnown && isNear)
  const named = [city, state].filter(Boolean).join(', ')
  const place =
    isKnown && points.length > 1
      ? `${points.length} ${nameOfState(state ?? '')} cities`
      : named
  const bids =
    next_bids_cents === null
      ? ''
      : `, next bids together ${shortDollars(next_bids_cents)}`
  const closes = closesAt(last, zoneAt(last))
  const removal = isTrip && removalDays(description ?? '')
  return html`<p class="trip">${isTrip ? 'One trip' : `Auction ${auction.name}`}: ${count(auction.live_lots, 'lot')}${place && ` in ${place}`}${bids}.${closes && ` The last closes ${closes}.`}${removal && ` Removal: ${removal}.`}</p>`
}

function pastTheEnd(sent: Sent, { total_pages }: Ok<'searchListings'>) {
  const last = String(Math.min(total_pages, LAST_PAGE))
  return html`<p>This page is past the last one. <a href="${pathWith('/search', sent, { page: last })}">Go to page ${last}, the last page</a>.</p>`
}

/**
 * The form with its values and the reason for the refusal; for a city that
 * several states have, the choice.
 */
export function searchRefusedPage(
  sent: Sent,
  refusal: ApiError,
  sources: Sources,
): Page {
  const cities = citiesMeant(sent).map(
    ({ city, state, zip }) =>
      html`<li><a href="${pathWith('/search', sent, { zip })}">${city}, ${nameOfState(state)}</a></li>`,
  )
  return {
    title: cities.length > 0 ? 'Which city?' : 'Invalid search',
    status: refusal.status,
    content: html`<p class="notice bad" role="alert">${refusal.message}</p>
${cities.length > 0 && html`<ul class="columns">${cities}</ul>`}
<p>Fix it here, or <a href="/search">start again</a>. The parameters are those of <a href="/docs/reference">the API</a>.</p>
${searchForm(Object.fromEntries(sent), sources)}`,
    unlisted: true,
  }
}

/** The filters in words: "ford", Vehicles, TX. */
export function summaryOf(search: Search, sources: Sources): string {
  return filtersOf(search)
    .map(name => wordsOf(name, search, sources))
    .join(', ')
}

/** @param filter one that is set. */
function wordsOf(filter: FilterName, search: Search, sources: Sources) {
  const { zip } = search
  return FILTERS[filter].words(
    { ...search, ...(zip && { zip: placeOfZip(zip) }) } as Required<Search>,
    sources,
  )
}

/** The search as an alert, and in its other view. */
function waysOn(sent: Sent) {
  const [view, words] = isCompact(sent)
    ? [null, 'Show cards']
    : ['compact', 'Compact list']
  return html`<p class="ways">${saveLink(sent)} <a href="${pathWith('/search', sent, { view })}" rel="nofollow">${words}</a></p>`
}

function saveLink(sent: Sent) {
  return html`<a class="save" href="${pathWith('/account/alerts/new', sent, { ...AS_API, sort: null, page: null, per_page: null })}" rel="nofollow">Save this search</a>`
}

/**
 * The search as an alert; then a wider circle and a later end, other words, and
 * the filters to drop, each with the lots that it finds.
 */
function nothingFound({
  sent,
  search,
  found,
  broader,
  wider,
  unloaded,
  empty,
  sources,
}: Results) {
  if (filtersOf(search).length === 0)
    return empty ?? html`<p>No lot is open for bids now.</p>`
  if (unloaded !== null)
    return html`<p>${unloaded} <a href="/sources">See all sources</a>.</p>`
  const save = html`<p>${saveLink(sent)} to get an email when such a lot is listed.</p>`
  const steps = wider.map(({ values, total }) => {
    const changes = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, String(value)]),
    )
    const names = Object.keys(values).map(
      name => (name === 'radius_miles' ? 'zip' : name) as FilterName,
    )
    const words = names
      .map(name => wordsOf(name, { ...search, ...values }, sources))
      .join(', ')
    return html`<li><a href="${narrowed(sent, changes)}">Search ${words}</a>: ${count(total, 'lot')}</li>`
  })
  const near = html`${save}${steps.length > 0 && html`<ul>${steps}</ul>`}${found.suggestion && otherWords(sent, search.q!, found.suggestion)}`
  if (broader.length === 0) {
    if (steps.length > 0 || found.suggestion) return near
    return html`${save}<p>No single filter is the cause: removing any one of them finds nothing either. <a href="/search">See all live lots</a>.</p>`
  }
  const ways = broader.map(({ filter, total }) => {
    return html`<li><a href="${without(sent, filter)}">Remove ${wordsOf(filter, search, sources)}</a>: ${count(total, 'lot')}</li>`
  })
  return html`${near}<p>Try removing a filter:</p>
<ul>
${ways}</ul>`
}

/** Words to remove, or a better spelling. */
function otherWords(
  sent: Sent,
  q: string,
  { q: other, total }: NonNullable<Schemas['Suggestion']>,
) {
  const kept = other.split(' ')
  const all = q.split(/\s+/)
  const removed = all.filter(word => !kept.includes(word))
  const address = pathWith('/search', sent, { q: other, page: null })
  const words =
    all.length === kept.length + removed.length
      ? html`<a href="${address}">Remove “${removed.join(' ')}”</a>`
      : html`Did you mean <a href="${address}">${other}</a>?`
  return html`<p>${words} ${count(total, 'lot')}</p>`
}

/**
 * The filters that are set, each with a link that drops it; null without any.
 */
function chips({ sent, search, sources }: Results) {
  const set = filtersOf(search).map(
    filter =>
      html`<li><a class="chip" href="${without(sent, filter)}" rel="nofollow" aria-label="Remove ${wordsOf(filter, search, sources)}">${wordsOf(filter, search, sources)} <span aria-hidden="true">×</span></a></li>`,
  )
  if (set.length === 0) return undefined
  return html`<nav aria-label="This search"><ul class="chips">
${set}${set.length > 1 && html`<li><a href="/search">Clear all</a></li>`}</ul></nav>`
}

/** The search without a filter. What depends on a ZIP code goes with it. */
function without(sent: Sent, filter: FilterName) {
  const isByDistance = sent.some(
    ([name, value]) => name === 'sort' && value === 'nearest',
  )
  const ofZip = { radius_miles: null, ...(isByDistance && { sort: null }) }
  return narrowed(sent, { [filter]: null, ...(filter === 'zip' && ofZip) })
}

/**
 * Links to the first and the last page and those around this one; null for a
 * search of one page.
 */
function pageLinks(sent: Sent, { page, total_pages }: Ok<'searchListings'>) {
  const last = Math.min(total_pages, LAST_PAGE)
  if (last <= 1 && page <= 1) return null
  const to = (number: number) =>
    pathWith('/search', sent, { page: number === 1 ? null : String(number) })
  const near = [1, page - 1, page, page + 1, last].filter(
    number => number >= 1 && number <= last,
  )
  const numbers = [...new Set(near)].map((number, at, all) => {
    return html`${number - (all[at - 1] ?? 0) > 1 && html`<span>…</span> `}<a href="${to(number)}" aria-label="Page ${number}"${number === page && html` aria-current="page"`}>${formatNumber(number)}</a>`
  })
  return html`<nav class="pages" aria-label="Pages">
${page > 1 && html`<a rel="prev" href="${to(Math.min(page - 1, last))}">Previous</a>`}
${numbers}${page < last && html`<a rel="next" href="${to(page + 1)}">Next</a>`}
</nav>`
}

/** The feed of a search: the same filters and sort, without the page. */
function feedAddress(path: string, sent: Sent) {
  return pathWith(path, sent, { ...AS_API, page: null, per_page: null })
}

function feedLinks(sent: Sent) {
  return html`<link rel="alternate" type="application/rss+xml" title="This search as RSS" href="${feedAddress('/feeds/listings.rss', sent)}">
<link rel="alternate" type="application/feed+json" title="This search as JSON Feed" href="${feedAddress('/feeds/listings.json', sent)}">`
}

function sameElsewhere(sent: Sent) {
  return html`<p class="quiet">This search as <a href="${feedAddress('/feeds/listings.rss', sent)}">RSS</a>, as <a href="${feedAddress('/feeds/listings.json', sent)}">JSON Feed</a>, or by the API:
<code>GET ${pathWith('/api/v1/listings', sent, AS_API)}</code></p>`
}
