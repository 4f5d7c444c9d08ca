import type { Listing } from '../../contract/types.ts'
import { count } from '../../domain/format.ts'
import { placeOf, priceOf, scoreLabel } from '../../domain/listingWords.ts'
import type { LotValues } from '../../usecases/site/lotValues.ts'
import { dollarsShort, timeLeft } from '../layout/format.ts'
import { type Html, html } from '../layout/html.ts'
import { photoFrame } from './photo.ts'
import { about } from './priceBand.ts'

/**
 * Live lots as cards, each with a link to its page.
 * @param values what the lots are worth, of `readLotValues`.
 * @param now the moment of the request.
 * @param areDeals whether each card says why it is a deal.
 */
export function lotCards(listings: Listing[], values: LotValues, now: Date, areDeals = false): Html {
  return html`<ul class="lots">
${listings.map(listing => lotCard(listing, values, now, areDeals ? reasonOf(listing, values) : null))}</ul>`
}

function lotCard(listing: Listing, values: LotValues, now: Date, reason: string | null): Html {
  const price = priceOf(listing)
  const value = values.get(listing.id)
  return html`<li class="lot">${photoFrame(listing)}
<h3><a href="${pathOf(listing)}">${listing.title}</a></h3>
<p class="quiet">${placeOf(listing)}${distanceOf(listing)} · ${listing.source_name}</p>
<p class="price"><strong>${price ? dollarsShort(price.cents) : 'No price yet'}</strong> <span class="quiet">${price ? `${price.kind}, ` : ''}${count(listing.num_bids, 'bid')}</span></p>
${value ? html`<p class="value">Value <b>about ${about(value.estimated)}</b></p>` : null}
${reason ? html`<p class="reason">${reason}</p>` : null}
<p class="time">${countdown(listing, now)} ${scoreBadge(listing.flip_score)}</p>
</li>
`
}

/** How far the price is below the middle of the comparable sales; null where it is not. */
export function reasonOf(listing: Listing, values: LotValues): string | null {
  const [price, value] = [priceOf(listing), values.get(listing.id)]
  if (!price || !value || value.median === 0) return null
  const percent = Math.round((1 - price.cents / value.median) * 100)
  return percent < 1 ? null : `${percent} % below the middle of ${count(value.soldCount, 'sale')}`
}

/** The time until bidding ends; the script of the site counts it down. */
export function countdown(listing: Listing, now: Date): Html {
  const words = timeLeft(listing, now)
  return listing.end_date === null
    ? html`<span>${words}</span>`
    : html`<time datetime="${listing.end_date}" class="countdown">${words}</time>`
}

/** The path of a lot's page, for a link on the same host. */
function pathOf({ bidprowl_url }: Listing): string {
  return new URL(bidprowl_url).pathname
}

function distanceOf({ distance_miles }: Listing): string {
  return distance_miles === null ? '' : ` (${Math.round(distance_miles)} miles away)`
}

/** The Flip Score in words and as a number; nothing without a score. */
export function scoreBadge(score: number | null): Html | null {
  if (score === null) return null
  return html`<span class="badge ${scoreClass(score)}"><span class="words">${scoreLabel(score)}</span> <b>${score}</b></span>`
}

/** The bounds are those of the words. */
function scoreClass(score: number): string {
  if (score >= 60) return 'good'
  return score < 40 ? 'poor' : 'neutral'
}
