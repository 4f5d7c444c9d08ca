import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing } from '../../contract/types.ts'
import { neighborsSentence } from '../../domain/appraisal/neighbors.ts'
import { count, roundedDollars, shortDollars } from '../../domain/format.ts'
import { isDemo, isOver } from '../../domain/listingState.ts'
import { photoOf } from '../../domain/photos.ts'
import { bandWords, seenSentence } from '../../domain/valuation/grade.ts'
import type { ListingShown, Market } from '../../site/showListing.ts'
import type { SimilarLots } from '../../site/similarLots.ts'
import { noBidSentence, placeOf } from '../../words/listingWords.ts'
import { bidLine } from '../kit/drawings.ts'
import { CATEGORIES, date } from '../kit/format.ts'
import {
  type Html,
  html,
  outwardLink,
  section,
  structuredData,
} from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { table } from '../kit/table.ts'
import { fullRows, lotCards } from './cards.ts'
import {
  conditionsOf,
  factsOf,
  freshness,
  paragraphsOf,
  productOf,
} from './facts.ts'
import {
  offerBox,
  priceBasisWords,
  priceNow,
  stateOf,
  type Visitor,
} from './offer.ts'
import { largePhoto } from './photo.ts'
import { highestBid } from './whatToBid.ts'

/** What leads on from a lot, and for whom it is shown. */
interface Around extends Visitor {
  similar: SimilarLots
  /** The way back to the search that it was opened from, if any. */
  trail: Html | null
  /** Whom errors are reported to; null where nobody is named. */
  contactEmail: string | null
}

/**
 * The page of one lot: its facts, what similar lots sold for, and a link to the
 * official auction.
 */
export function listingPage(
  shown: ListingShown,
  around: Around,
  publicUrl: string,
  now: Date,
): Page {
  const { listing, market } = shown
  const price = priceNow(shown)
  const bids = isOver(listing) ? null : highestBid(shown)
  const known = [
    estimateOf(shown),
    bids && fold('Limits for other margins', bids),
    market && marketOf(market, shown),
  ].filter(part => part !== null)
  const path = listing.bidprowl_url.slice(publicUrl.length)
  const facts = `${placeOf(listing)}. ${stateOf(shown, now)}${price ? `. ${price.label}: ${shortDollars(price.cents)}` : ''}.`
  return {
    title: listing.title,
    content: html`<p class="trail">${trailOf(listing)}</p>
${around.trail}
<div class="detail">${largePhoto(listing)}
${offerBox(shown, around, now)}
<div><section aria-labelledby="facts">
<h2 id="facts">About this lot</h2>
${conditionsOf(listing)}
${paragraphsOf(listing)}
${factsOf(listing)}
${bidLine(listing.bids, listing.observed_at)}
${freshness(listing, now)}
</section>
${known.length > 0 && section('market', 'What it sells for', known)}
${around.contactEmail && html`<p class="quiet"><a href="mailto:${around.contactEmail}?subject=${listing.id}">Something wrong with this lot?</a></p>`}
</div></div>
${similarLots(listing, around.similar, now)}`,
    section: '/search',
    description: facts,
    canonical: path,
    image: photoOf(listing),
    // Search engines must not list what does not exist.
    unlisted: isDemo(listing),
    head: isDemo(listing) ? undefined : structuredData(productOf(shown)),
  }
}

function trailOf({ category, state }: Listing) {
  return html`<a href="/search">Live lots</a> › <a href="/search?category=${category}">${CATEGORIES[category]}</a>${state && html` › <a href="/search?category=${category}&amp;state=${state}">${state}</a>`}`
}

function similarLots(
  { category }: Listing,
  { lots, values }: SimilarLots,
  now: Date,
) {
  if (lots.length === 0) return null
  return section('similar', 'Similar live lots', [
    lotCards(fullRows(lots), values, now),
    html`<p><a href="/search?category=${category}">More in ${CATEGORIES[category]}</a></p>`,
  ])
}

/**
 * The value, which is corrected for this lot; the sales of the market are as
 * they were.
 */
function estimateOf({ listing, value, sale }: ListingShown) {
  if (sale || !value) return null
  const { estimated, known, likelyLow, likelyHigh, neighbors_percent } = value
  const band = bandWords(
    value.grade,
    roundedDollars(likelyLow),
    roundedDollars(likelyHigh),
  )
  return html`<p>Typical price <strong>about ${roundedDollars(estimated)}</strong>, ${known}${value.grade !== 'words' && `; ${band}`}.
${neighbors_percent !== null && neighborsSentence(neighbors_percent)} ${noBidSentence(listing.no_bid_chance)}</p>`
}

function marketOf(market: Market, shown: ListingShown) {
  const { soldCount, p50_cents, comparables, isReal } = market
  const isGuess = shown.value?.grade === 'words'
  const median = `${isReal ? 'their median is' : 'as last seen, their median is'} about ${roundedDollars(p50_cents)}`
  const caption = isGuess
    ? 'The closest sales; none is similar enough'
    : `The most similar of ${count(soldCount, 'sale')} in 365 days; ${median}`
  return fold(
    isGuess ? 'Closest sales' : 'Similar sales',
    html`${table(
      [
        ['Lot', ({ title, source_url }) => outwardLink(source_url, title)],
        ['Price', ({ price_cents }) => shortDollars(price_cents), 'number'],
        ['What it is', ({ price_basis }) => priceBasisWords(price_basis)],
        ['On', ({ sold_at }) => date(sold_at)],
      ],
      comparables,
      { caption },
    )}
<p class="quiet">${isReal ? labels.notes.real_prices : seenSentence(shown.value?.seen_factor ?? null)} <a href="/docs/reference">The API</a> has all comparables, exact
percentiles and the projected close, from the <a href="/pricing">Pro plan</a> up. <a href="/docs/flip-score">How it is calculated</a>.</p>`,
  )
}

function fold(name: string, content: Html): Html {
  return html`<details><summary>${name}</summary>
${content}</details>`
}
