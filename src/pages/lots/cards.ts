import type { Listing } from '../../contract/types.ts'
import { count, roundedDollars, shortDollars } from '../../domain/format.ts'
import { placeOf, scoreLabel } from '../../domain/listingWords.ts'
import { photoOf } from '../../domain/photos.ts'
import { priceOf } from '../../domain/price.ts'
import type { LotValues } from '../../usecases/site/similarLots.ts'
import { timeLeft } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'
import type { Sent } from '../kit/site.ts'
import { DRAWINGS } from '../kit/staticFiles.ts'

interface CardOptions {
  /** Whether each card says why it is a deal. */
  areDeals?: boolean
  /** The search that found the lots, for the way back from their pages. */
  from?: Sent
}

/**
 * Live lots as cards, each with a link to its page.
 * @param values what the lots are worth, of `readLotValues`.
 * @param now the moment of the request.
 */
export function lotCards(listings: Listing[], values: LotValues, now: Date, options: CardOptions = {}): Html {
  const cards = listings.map(listing => lotCard(listing, values, now, options))
  return html`<ul class="lots">
${cards}</ul>`
}

function lotCard(listing: Listing, values: LotValues, now: Date, { areDeals, from }: CardOptions): Html {
  const price = priceOf(listing)
  const value = values.get(listing.id)
  const reason = areDeals ? reasonOf(listing, values) : null
  return html`<li class="lot">${photoFrame(listing)}
<h3><a href="${pathOf(listing, from)}">${listing.title}</a></h3>
<p class="quiet">${placeOf(listing)}${distanceOf(listing)} · ${listing.source_name}</p>
<p class="price"><strong>${price ? shortDollars(price.cents) : 'No price yet'}</strong> <span class="quiet">${price ? `${price.label}, ` : ''}${count(listing.num_bids, 'bid')}</span></p>
${value ? html`<p class="value">Value <b>about ${roundedDollars(value.estimated)}</b></p>` : null}
${reason ? html`<p class="reason">${reason}</p>` : null}
<p class="time">${countdown(listing, now)} ${scoreBadge(listing.flip_score)}</p>
</li>`
}

/** How far the price is below the middle of the comparable sales; null where it is not. */
export function reasonOf(listing: Listing, values: LotValues): string | null {
  const [price, value] = [priceOf(listing), values.get(listing.id)]
  if (!price || !value || value.median === 0) return null
  const percent = Math.round((1 - price.cents / value.median) * 100)
  return percent < 1 ? null : `${percent}% below the median of ${count(value.soldCount, 'sale')}`
}

/** The time until bidding ends; the script of the site counts it down. */
export function countdown(listing: Listing, now: Date): Html {
  const words = timeLeft(listing, now)
  return listing.end_date === null
    ? html`<span>${words}</span>`
    : html`<time datetime="${listing.end_date}" class="countdown">${words}</time>`
}

/** The path of a lot's page, for a link on the same host. @param from the search that it was found by. */
export function pathOf({ bidprowl_url }: Listing, from?: Sent): string {
  const { pathname } = new URL(bidprowl_url)
  if (!from) return pathname
  const query = new URLSearchParams(from)
  // Otherwise a search without filters would be empty.
  if (!query.has('page')) query.set('page', '1')
  return `${pathname}?from=${encodeURIComponent(query.toString())}`
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

/** The drawing of a category, in the color of the text around it. */
export function drawingOf(category: Listing['category']): Html {
  return html`<svg class="drawing" viewBox="0 0 24 24" aria-hidden="true"><use href="${DRAWINGS.address}#${category}"/></svg>`
}

/**
 * The photo of a lot in a frame, loaded from its source. Behind it is the drawing of the category, for lots without a photo and photos
 * that do not load: sources may refuse them.
 * @param alt empty where the title is beside it.
 */
export function photoFrame(listing: Listing, alt = ''): Html {
  const address = photoOf(listing)
  const photo = html`<img src="${address}" alt="${alt}" width="400" height="300" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
  return html`<div class="photo ${listing.category}">${drawingOf(listing.category)}${address ? photo : null}</div>`
}
