import type { Listing } from '../../contract/types.ts'
import { count } from '../../domain/format.ts'
import { placeOf, priceOf } from '../../domain/listingWords.ts'
import { CATEGORIES, dollarsShort, timeLeft } from '../layout/format.ts'
import { type Html, html } from '../layout/html.ts'

/** Live lots as a list, each with a link to its page. @param now the moment of the request. */
export function lotCards(listings: Listing[], now: Date): Html {
  return html`<ul class="lots">
${listings.map(listing => lotCard(listing, now))}</ul>`
}

function lotCard(listing: Listing, now: Date): Html {
  const price = priceOf(listing)
  return html`<li class="lot">
<div class="what"><h3><a href="${pathOf(listing)}">${listing.title}</a></h3>
<p class="quiet">${placeOf(listing)}${distanceOf(listing)} · ${CATEGORIES[listing.category]} · ${listing.source_name}</p></div>
<div class="price"><strong>${price ? dollarsShort(price.cents) : 'No price yet'}</strong>
<span class="quiet">${price ? `${price.kind}, ` : ''}${count(listing.num_bids, 'bid')}</span></div>
<div class="time"><strong>${timeLeft(listing, now)}</strong></div>
<div class="score">${scoreBadge(listing.flip_score)}</div>
</li>
`
}

/** The path of a lot's page, for a link on the same host. */
function pathOf({ bidprowl_url }: Listing): string {
  return new URL(bidprowl_url).pathname
}

function distanceOf({ distance_miles }: Listing): string {
  return distance_miles === null ? '' : ` (${Math.round(distance_miles)} miles away)`
}

/** The Flip Score as a badge; nothing without a score. */
export function scoreBadge(score: number | null): Html | null {
  if (score === null) return null
  return html`<span class="badge ${scoreClass(score)}"><span class="quiet">Flip Score</span> <b>${score}</b></span>`
}

/** 50 is neutral (docs/flip-score.md); 15 points in either direction change the color. */
function scoreClass(score: number): string {
  if (score >= 65) return 'good'
  return score <= 35 ? 'poor' : 'neutral'
}
