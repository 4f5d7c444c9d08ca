import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing } from '../../contract/types.ts'
import { zoneAt } from '../../domain/feeds/states.ts'
import { formatNumber, moneyFormat, roundedDollars, shortDollars, span } from '../../domain/format.ts'
import { placeOf } from '../../domain/listingWords.ts'
import { priceOf } from '../../domain/price.ts'
import { neighborsSentence } from '../../domain/valuation/neighbors.ts'
import type { ListingShown, Market } from '../../usecases/showListing.ts'
import type { SimilarLots } from '../../usecases/site/similarLots.ts'
import { bidLine, type MarkedPrice, priceBand } from '../kit/drawings.ts'
import { CATEGORIES, date, localMoment } from '../kit/format.ts'
import { hidden, postForm, submit } from '../kit/forms.ts'
import { dataBlock, type Html, html, outwardLink, section } from '../kit/html.ts'
import type { Page, Viewer } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'
import { stateMap } from '../kit/tileMap.ts'
import { countdown, lotCards, photoFrame, scoreBadge } from './cards.ts'
import { factsOf, freshness, paragraphsOf, productOf } from './facts.ts'
import { allInPrice, highestBid } from './whatToBid.ts'

/** What a price means, by its `price_basis`, which is an open list. */
const BASES: Record<string, string> = labels.price_bases

/** What leads on from a lot. */
interface Around {
  similar: SimilarLots
  /** The way back to the search that it was opened from, if any. */
  trail: Html | null
  /** Who is signed in. */
  viewer: Viewer | null
}

/** The page of one lot: its facts, what similar lots sold for, and a link to the official auction. */
export function listingPage(
  shown: ListingShown,
  { similar, trail, viewer }: Around,
  publicUrl: string,
  now: Date,
): Page {
  const { listing, market } = shown
  const price = priceOf(listing)
  const facts = `${placeOf(listing)}. ${stateOf(shown, now)}${price ? `. ${price.label}: ${shortDollars(price.cents)}` : ''}.`
  return {
    title: listing.title,
    content: html`<p class="trail">${trailOf(listing)}</p>
${trail}
<div class="overview">${photoFrame(listing, `Photo of ${listing.title}`)}
<section class="offer" aria-label="The offer">
${offer(shown, viewer, now)}
</section></div>
<section aria-labelledby="market">
<h2 id="market">What it sells for</h2>
${estimateOf(shown)}
${isOver(listing) ? null : html`<div class="bidding">${highestBid(shown)}<div>${allInPrice(listing)}</div></div>`}
${market && marketOf(market, shown)}
</section>
<section aria-labelledby="facts">
<h2 id="facts">About this lot</h2>
${paragraphsOf(listing)}
<div class="beside">${factsOf(listing)}${stateMap(listing.state)}</div>
${bidLine(listing.bids, listing.observed_at)}
${freshness(listing, now)}
<p class="quiet">For programs: <code>GET ${publicUrl}/api/v1/listings/${listing.id}</code></p>
</section>
${similarLots(listing, similar, now)}`,
    section: '/search',
    description: facts,
    canonical: listing.bidprowl_url,
    image: `${listing.bidprowl_url}/share.png`,
    // Search engines must not list what does not exist.
    ...(isDemo(listing) ? { unlisted: true } : { head: dataBlock('application/ld+json', productOf(shown)) }),
  }
}

function trailOf({ category, state }: Listing): Html {
  const region = state
    ? html` › <a href="/search?category=${category}&amp;state=${state}">${state}</a>`
    : null
  return html`<a href="/search">Live lots</a> › <a href="/search?category=${category}">${CATEGORIES[category]}</a>${region}`
}

function offer(shown: ListingShown, viewer: Viewer | null, now: Date): Html {
  const { listing, value } = shown
  const marked = markedPrice(shown)
  const isLive = listing.status === 'live'
  return html`<p><span class="badge ${isLive ? 'good' : 'neutral'}">${stateOf(shown, now)}</span> <span>${placeOf(listing)}</span></p>
<dl class="figures">
<div><dt>${marked?.label ?? 'Price'}</dt><dd>${marked ? shortDollars(marked.cents) : 'None yet'}</dd></div>
<div><dt>Bids</dt><dd>${formatNumber(listing.num_bids)}</dd></div>
${isLive ? html`<div><dt>Closes</dt><dd>${closing(listing, now)}</dd></div>` : null}
${scoreOf(shown, now)}
</dl>
${value?.reason ? html`<p>${value.reason}</p>` : null}
${outcomeOf(shown)}
${isDemo(listing) ? html`<p>A demo lot: it has no official page.</p>` : officialPage(listing, isLive)}
<div class="buttons">
${isOver(listing) ? null : watchButton(listing, viewer)}
<button class="secondary" type="button" data-copy="${listing.bidprowl_url}" hidden>Copy link</button>
<a class="action secondary" href="${mailTo(listing)}">Mail this lot</a></div>`
}

function scoreOf({ listing, value }: ListingShown, now: Date): Html | null {
  const badge = scoreBadge(listing, value, now)
  const outOf = listing.flip_score === null ? null : html` <span class="quiet">of 100</span>`
  return badge && html`<div><dt><a href="/docs/flip-score">Flip Score</a></dt><dd>${badge}${outOf}</dd></div>`
}

/** One press for who is signed in; a form, behind the sign-in page, for others. */
function watchButton({ id }: Listing, viewer: Viewer | null): Html {
  if (!viewer)
    return html`<a class="action secondary" href="/account/alerts/new?listing_id=${id}" rel="nofollow">Watch this lot</a>`
  const content = html`${hidden('listing_id', id)}${submit('Watch this lot', 'secondary')}`
  return postForm('/account/alerts/watch', viewer.formToken, content)
}

function mailTo({ title, bidprowl_url }: Listing): string {
  return `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(`${title}\n${bidprowl_url}`)}`
}

/** The end by the clocks of the lot's place, and the time left. */
function closing(listing: Listing, now: Date): Html {
  const { end_date } = listing
  const local = end_date && html`<small>${localMoment(end_date, zoneAt(listing))}</small>`
  return html`${countdown(listing, now)} ${local}`
}

function similarLots({ category }: Listing, { lots, values }: SimilarLots, now: Date): Html | null {
  if (lots.length === 0) return null
  const more = html`<p><a href="/search?category=${category}">More in ${CATEGORIES[category]}</a></p>`
  return section('similar', 'Similar live lots', [lotCards(lots, values, now), more])
}

function isOver({ status }: Listing): boolean {
  return status !== 'live' && status !== 'upcoming'
}

/** A demo lot leads to itself. */
function isDemo({ source_url, bidprowl_url }: Listing): boolean {
  return source_url === bidprowl_url
}

function officialPage({ source_url, source_name }: Listing, isLive: boolean): Html {
  return html`<p>${outwardLink(source_url, `${isLive ? 'See and bid' : 'See the official page'} at ${source_name}`, 'action')}</p>
<p class="quiet">Bidding happens on that page, under the terms of the source.</p>`
}

function stateOf({ listing, sale }: ListingShown, now: Date): string {
  const words: Record<string, string> = {
    live: 'Open for bids',
    upcoming: listing.start_date
      ? `Opens in ${span(new Date(listing.start_date).getTime() - now.getTime())}`
      : 'Not open yet',
    ended: 'Ended; the outcome is not known yet',
    sold: sale ? `Sold for ${shortDollars(sale.final_bid_cents)}` : 'Sold',
    unsold: 'Ended without a sale',
    withdrawn: 'Withdrawn by the source',
  }
  return words[listing.status] ?? listing.status
}

function outcomeOf({ listing, sale }: ListingShown): Html | null {
  if (sale) {
    return html`<p class="notice" role="status">Sold for <strong>${shortDollars(sale.final_bid_cents)}</strong> on ${date(sale.sold_at)} (${BASES[sale.price_basis] ?? sale.price_basis}).</p>`
  }
  if (listing.status === 'live' || listing.status === 'upcoming') return null
  return html`<p class="notice" role="status">This lot is closed. <a href="/search?category=${listing.category}">See live lots in this category</a></p>`
}

function markedPrice({ listing, sale }: ListingShown): MarkedPrice | null {
  return sale ? { cents: sale.final_bid_cents, label: 'Final price' } : priceOf(listing)
}

function estimateOf({ value, whyNoValue, sale }: ListingShown): Html | null {
  if (sale) return null
  if (!value) return html`<p>No value is known for this lot. ${whyNoValue}</p>`
  const { estimated, known, likelyLow, likelyHigh, grade, neighbors_percent } = value
  const withheld = grade === 'words' ? ' A guess is too little for a highest bid or a Flip Score.' : null
  const neighbors = neighbors_percent === null ? null : ` ${neighborsSentence(neighbors_percent)}`
  return html`<p>Sells for <strong>about ${roundedDollars(estimated)}</strong>, ${known}. Half of such lots sell for ${roundedDollars(likelyLow)} to ${roundedDollars(likelyHigh)}.${neighbors}${withheld}</p>`
}

function marketOf(market: Market, shown: ListingShown): Html {
  const money = moneyFormat(market.comparables.map(({ price_cents }) => price_cents))
  const columns: Column<Market['comparables'][number]>[] = [
    ['Lot', ({ title, source_url }) => outwardLink(source_url, title)],
    ['Sold for', ({ price_cents }) => money(price_cents), 'number'],
    ['On', ({ sold_at }) => date(sold_at)],
  ]
  const isGuess = shown.value?.grade === 'words'
  const caption = isGuess ? 'The closest sales; none is similar enough' : 'The most similar sales'
  return html`${isGuess ? null : priceBand(market, markedPrice(shown))}
${table(columns, market.comparables, { caption })}
<p class="quiet">Prices are as the sources publish them, often the last bid seen. <a href="/docs/reference">The API</a> has all comparables, exact
percentiles and the projected close, from the <a href="/pricing">Pro plan</a> up. <a href="/docs/flip-score">How it is calculated</a>.</p>`
}
