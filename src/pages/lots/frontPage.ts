import type { Listing } from '../../contract/types.ts'
import { STATE_NAMES } from '../../domain/feeds/states.ts'
import { count, formatNumber, span } from '../../domain/format.ts'
import { photoOf } from '../../domain/photos.ts'
import type { FrontPage } from '../../site/frontPage.ts'
import type { Deps } from '../../usecases/deps.ts'
import { CATEGORIES } from '../kit/format.ts'
import { type Html, html, section } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathWith, type Sent } from '../kit/site.ts'
import { fullRows, lotCards } from './cards.ts'
import { drawing } from './drawing.ts'
import { searchBox } from './filterForm.ts'
import { meantBy } from './readForm.ts'
import { stateTiles } from './stateTiles.ts'

/**
 * The front page.
 * @param shown null when the lots cannot be read.
 * @param empty why there are no lots; null where there are some.
 */
export function frontPage(
  shown: FrontPage | null,
  empty: Html | null,
  { publicUrl, data }: Deps,
  now: Date,
): Page {
  return {
    title: `US government auctions, with ${data.kind === 'demo' ? '' : 'real '}sold prices`,
    content: html`<p class="lead">What each lot is worth, from what such things sold for, and how high to bid.</p>
${searchBox()}
${shown && shown.overview.live > 0 && sentences()}
${empty}
${shown && summary(shown, now)}
${shown && dealsOf(shown, now)}
${categoryTiles(shown?.overview.live ? shown.overview.categories : null)}
${shown && endingOf(shown, now)}
${shown && statesOf(shown.overview.states)}
<p><a href="/prices">What surplus sells for</a>: prices of common items, and lots by state.</p>
<section aria-labelledby="api">
<h2 id="api">For programs</h2>
<pre><code>curl -H "Authorization: Bearer &lt;API_KEY&gt;" \\
  "${publicUrl}/api/v1/listings?category=vehicles&amp;state=TX"</code></pre>
<p><a href="/docs/quickstart">Start in five minutes</a> with curl, TypeScript or Python, <a href="/docs/reference">try every operation</a> in the browser, or
<a href="/docs/mcp">connect an AI agent</a>. <a href="/pricing">Plans</a> begin at $0.</p>
</section>`,
    canonical: '/',
    skip:
      shown && shown.ending.length > 0
        ? ['ending', 'Skip to the lots']
        : undefined,
  }
}

/** Searches as people say them. */
const SENTENCES = [
  'pickups under $5,000 in Texas',
  'laptops closing this week',
  'trucks near Dallas, TX',
]

function sentences(): Html {
  const links = SENTENCES.map(sentence => {
    const sent: Sent = [['q', sentence]]
    return html`<li><a href="${pathWith('/search', sent, meantBy(sent))}" rel="nofollow">${sentence}</a></li>`
  })
  return html`<nav aria-label="Searches to try"><ul class="chips">
${links}</ul></nav>`
}

function summary({ overview }: FrontPage, now: Date) {
  const { live, sources, read_at } = overview
  if (live === 0) return null
  const age = read_at && span(Math.max(0, now.getTime() - Date.parse(read_at)))
  const read = age && html`, read <time datetime="${read_at}">${age} ago</time>`
  return html`<p class="summary"><a href="/search"><strong>${count(live, 'live lot')}</strong></a> from <a href="/sources">${count(sources, 'source')}</a>${read}.</p>`
}

/**
 * The lots whose room is decided; without one, those with the most room now.
 */
function dealsOf({ overview, deals, room, values }: FrontPage, now: Date) {
  if (overview.live === 0 || deals.length + room.length === 0) return null
  const isDecided = deals.length > 0
  const shown = lotCards(
    fullRows(photosFirst(isDecided ? deals : room)),
    values,
    now,
    {
      areDeals: true,
    },
  )
  const why = isDecided
    ? html``
    : html`<p>None is decided yet: bids usually rise on the last day. These have the most room now.</p>`
  const more = html`<p><a href="/search?sort=room">All lots by room</a>.
<a href="/docs/flip-score">How limits and the Flip Score work</a>.</p>`
  return section('deals', 'Lots with room', [why, shown, more])
}

/** Eight drawings in a row look like a page whose photos are missing. */
function photosFirst(lots: Listing[]) {
  return [...lots.filter(photoOf), ...lots.filter(lot => photoOf(lot) === null)]
}

function endingOf({ ending, values }: FrontPage, now: Date) {
  if (ending.length === 0) return null
  return section('ending', 'Ending soon', [
    lotCards(fullRows(photosFirst(ending), 1), values, now),
    html`<p><a href="/search?sort=ending_soon">More lots that end soon</a></p>`,
  ])
}

function categoryTiles(counts: Record<string, number> | null) {
  const tiles = Object.entries(CATEGORIES).map(
    ([key, name]) =>
      html`<li><a class="${key}" href="/lots/${key}">${drawing(key)}<span>${name}${counts && html` <span class="quiet">${formatNumber(counts[key] ?? 0)}</span>`}</span></a></li>`,
  )
  return section(
    'categories',
    'Categories',
    html`<ul class="tiles">\n${tiles}</ul>`,
  )
}

function statesOf(counts: Record<string, number>) {
  const hasLots = [...STATE_NAMES.keys()].some(code => counts[code])
  return hasLots
    ? section('states', 'Live lots by state', stateTiles(counts))
    : null
}
