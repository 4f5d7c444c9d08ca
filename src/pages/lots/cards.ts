import type { Listing } from '../../contract/types.ts'
import { closesIn } from '../../domain/closing.ts'
import { formatNumber, moneyFormat, roundedDollars } from '../../domain/format.ts'
import { biddingWords, closeWords, placeOf } from '../../domain/listingWords.ts'
import { photoOf } from '../../domain/photos.ts'
import { priceOf } from '../../domain/price.ts'
import { verdictWords } from '../../domain/valuation/verdict.ts'
import type { AppraisalsShown } from '../../usecases/valuation/readAppraisal.ts'
import { html } from '../kit/html.ts'
import { isCompact, type Sent } from '../kit/site.ts'
import { DRAWINGS } from '../kit/staticFiles.ts'

interface CardOptions {
  /** Whether each card says why it is a deal. */
  areDeals?: boolean
  /** The search that found the lots, for the way back from their pages. */
  from?: Sent
}

/**
 * Live lots as cards, or as a compact list where the search says so, each with a link to its page. Their prices have one format, and
 * sources are named where there are several.
 * @param values their appraisals, of `readAppraisals`.
 * @param now the moment of the request.
 */
export function lotCards(
  listings: Listing[],
  values: AppraisalsShown,
  now: Date,
  { areDeals, from }: CardOptions = {},
) {
  const money = moneyFormat(listings.flatMap(listing => priceOf(listing)?.cents ?? []))
  const hasSources = new Set(listings.map(({ source }) => source)).size > 1
  const cards = listings.map(listing => {
    const value = values.get(listing.id) ?? null
    const close = closeWords(listing)
    return html`<li class="lot">${photoFrame(listing)}
<h3 dir="auto"><a href="${pathOf(listing, from)}">${listing.title}</a></h3>
<p class="place quiet">${distanceOf(listing)}${placeOf(listing)}</p>
${hasSources && html`<p class="source quiet">${listing.source_name}</p>`}
<p class="price">${priceLine(listing, money)}${close && html` <span class="quiet">· ${close}</span>`}</p>
${value && html`<p class="value">Typical price <b>about ${roundedDollars(value.estimated)}</b><span class="quiet">, ${value.known}</span></p>`}
${areDeals && value?.reason && reasonOf(value.reason)}
<p class="time">${countdown(listing, now)} ${scoreBadge(listing)}</p>
</li>`
  })
  return html`<ul class="lots${isCompact(from) ? ' compact' : ''}${areDeals ? ' deals' : ''}">\n${cards}</ul>`
}

/** So many cards stand in a row of a wide screen. */
const ROW = 4

/** The lots of one row of cards, or of so many rows (2) where they are full. */
export function fullRows(lots: Listing[], rows = 2) {
  return lots.slice(0, lots.length < rows * ROW ? ROW : rows * ROW)
}

/** The price and its kind; a bid is told by its number, a fixed price by its name. */
function priceLine(listing: Listing, money: (cents: number) => string) {
  const price = priceOf(listing)
  const isNamed =
    listing.offer_kind === 'fixed_price' || (listing.num_bids > 0 && price?.kind === 'current_bid')
  const kind = price && !isNamed ? `${price.label}, ` : ''
  return html`<strong>${price ? money(price.cents) : 'No price yet'}</strong> <span class="quiet">${kind}${biddingWords(listing)}</span>`
}

/** Why a lot is a deal. Its first words are enough on a phone, where three deals share the screen. */
function reasonOf(reason: string) {
  const [first, ...others] = reason.split(/(?=[;.])/)
  return html`<p class="reason">${first}<span>${others.join('')}</span></p>`
}

/** Before the place: lines of cards are cut. */
function distanceOf({ distance_miles }: Listing) {
  return distance_miles === null ? '' : `${formatNumber(Math.round(distance_miles))} mi · `
}

/** The time until bidding ends; the script of the site counts it down. */
export function countdown(listing: Listing, now: Date) {
  const words = closesIn(listing, now)
  return listing.end_date === null || listing.end_precision === 'day'
    ? html`<span>${words}</span>`
    : html`<time datetime="${listing.end_date}" class="countdown">${words}</time>`
}

/** The path of a lot's page, for a link on the same host. @param from the search that it was found by. */
export function pathOf({ bidprowl_url }: Listing, from?: Sent) {
  const { pathname } = new URL(bidprowl_url)
  if (!from) return pathname
  const query = new URLSearchParams(from)
  // Otherwise a search without filters would be empty.
  if (!query.has('page')) query.set('page', '1')
  return `${pathname}?from=${encodeURIComponent(query.toString())}`
}

/** The verdict in words with the Flip Score; nothing without a verdict. */
export function scoreBadge({ verdict, flip_score }: Pick<Listing, 'verdict' | 'flip_score'>) {
  const said = verdictWords(verdict)
  if (!said) return null
  const number = flip_score !== null && html` <b>${flip_score}</b>`
  return html`<span class="badge ${said.color}"><span class="words">${said.label}</span>${number}</span>`
}

/** The drawing of a category, in the color of the text around it. */
export function drawingOf(category: Listing['category']) {
  return html`<svg class="drawing" viewBox="0 0 24 24" aria-hidden="true"><use href="${DRAWINGS.address}#${category}"/></svg>`
}

/** The photo in front of the drawing of the category, for photos that are absent or do not load: sources may refuse them. */
function photoFrame(listing: Listing) {
  const address = photoOf(listing)
  const photo = html`<img src="${address}" alt="" width="400" height="300" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
  return html`<div class="photo ${listing.category}">${drawingOf(listing.category)}${address && photo}</div>`
}
