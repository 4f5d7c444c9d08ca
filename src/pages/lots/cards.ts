import type { Listing } from '../../contract/types.ts'
import {
  verdictColor,
  verdictWords,
  whyUnpriced,
} from '../../domain/appraisal/verdict.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import {
  formatNumber,
  roundedDollars,
  shortDollars,
} from '../../domain/format.ts'
import { isOver } from '../../domain/listingState.ts'
import { photoOf } from '../../domain/photos.ts'
import { priceOf } from '../../domain/price.ts'
import type {
  AppraisalShown,
  AppraisalsShown,
} from '../../usecases/valuation/readAppraisal.ts'
import { closesIn } from '../../words/closing.ts'
import { placeOf } from '../../words/listingWords.ts'
import { type Html, html } from '../kit/html.ts'
import { isCompact, pathWith, type Sent } from '../kit/site.ts'
import { drawingOfLot } from './drawing.ts'

type Band = Pick<AppraisalShown, 'likelyHigh'>
type Estimated = Pick<AppraisalShown, 'estimated'>

interface CardOptions {
  /** Whether each card says why it is a deal. */
  areDeals?: boolean
  /** The search that found the lots, for the way back from their pages. */
  from?: Sent
  /** How many others are like each of the lots in its sale. */
  twins?: number[] | null
}

/**
 * Live lots as cards, or as a compact list where the search says so, each with
 * a link to its page.
 * @param values their appraisals, of `readAppraisals`.
 * @param now the moment of the request.
 */
export function lotCards(
  listings: Listing[],
  values: AppraisalsShown,
  now: Date,
  { areDeals, from, twins }: CardOptions = {},
): Html {
  const cards = listings.map((listing, n) => {
    const value = values.get(listing.id) ?? null
    return html`<li class="lot">${photoFrame(listing)}
<h3 dir="auto"><a href="${pathOf(listing, from)}">${listing.title}</a></h3>
<p class="place quiet">${distanceOf(listing)}${placeOf(listing)}</p>
<p class="price">${priceLine(listing)}${boundOf(listing, value)}</p>
${areDeals && value?.reason && reasonOf(value.reason)}
${twins?.[n] ? twinsLink(listing, twins[n], from) : null}
<p class="time">${countdown(listing, now)} ${verdictBadge(listing, value, now)}</p>
</li>`
  })
  return html`<ul class="lots${isCompact(from) ? ' compact' : ''}${areDeals ? ' deals' : ''}">\n${cards}</ul>`
}

/**
 * The others of the sale, in the search that found the lot. The longest title
 * is longer than the words of a search may be.
 */
function twinsLink(
  { title, source, auction_id }: Listing,
  twins: number,
  from: Sent = [],
) {
  const [words = ''] = /^.{1,190}(?!\S)/.exec(title.replaceAll('"', ' ')) ?? []
  const alike = {
    q: `"${words}"`,
    source,
    auction: auction_id,
    group: 'none',
    page: null,
  }
  return html`<p class="twins"><a href="${pathWith('/search', from, alike)}" rel="nofollow">and ${formatNumber(twins)} more like it in this sale</a></p>`
}

/** So many cards stand in a row of a wide screen. */
const ROW = 4

/** The lots of one row of cards, or of so many rows (2) where they are full. */
export function fullRows(lots: Listing[], rows = 2) {
  return lots.slice(0, lots.length < rows * ROW ? ROW : rows * ROW)
}

/** The price and its kind: "$4,700 now", "$400 starting bid". */
function priceLine(listing: Listing): Html {
  const price = priceOf(listing)
  if (!price) return html`<strong>No price yet</strong>`
  const bidOrLabel =
    price.kind === 'current_bid' ? 'now' : price.label.toLowerCase()
  const kind = listing.offer_kind === 'fixed_price' ? 'fixed price' : bidOrLabel
  return html`<strong>${shortDollars(price.cents)}</strong> <span class="quiet">${kind}</span>`
}

/**
 * Why a lot is a deal. Its first words are enough on a phone, where three deals
 * share the screen.
 */
function reasonOf(reason: string) {
  const [first, ...others] = reason.split(/(?=[;.])/)
  return html`<p class="reason">${first}<span>${others.join('')}</span></p>`
}

/** Before the place: lines of cards are cut. */
function distanceOf({ distance_miles }: Listing) {
  return distance_miles === null
    ? ''
    : `${formatNumber(Math.round(distance_miles))} mi · `
}

/** Before it, the time left stands out. */
const SOON_HOURS = 6

/** The time until bidding ends; the script of the site counts it down. */
export function countdown(listing: Listing, now: Date) {
  const words = closesIn(listing, now)
  const { end_date } = listing
  if (end_date === null || listing.end_precision === 'day')
    return html`<span>${words}</span>`
  const left_ms = Date.parse(end_date) - now.getTime()
  const isSoon = left_ms > 0 && left_ms < SOON_HOURS * HOUR_MS
  return html`<time datetime="${end_date}" class="countdown${isSoon && ' soon'}">${words}</time>`
}

/**
 * The path of a lot's page, for a link on the same host.
 * @param from the search that it was found by.
 */
export function pathOf({ bidprowl_url }: Listing, from?: Sent): string {
  const { pathname } = new URL(bidprowl_url)
  if (!from) return pathname
  const query = new URLSearchParams(from)
  // Otherwise a search without filters would be empty.
  if (!query.has('page')) query.set('page', '1')
  return `${pathname}?from=${encodeURIComponent(query.toString())}`
}

/**
 * What our limit says of the price now; where there is none, why. Nothing after
 * the end.
 */
export function verdictBadge(
  listing: Listing,
  value: Band | null,
  now: Date,
): Html | null {
  if (isOver(listing)) return null
  const words = verdictWords(listing)
  if (words === null)
    return html`<span class="quiet">Can’t price this one: ${whyUnpriced(listing)}</span>`
  return html`<span class="badge ${verdictColor(listing, value?.likelyHigh ?? null, now)}">${words}</span>`
}

/**
 * The limit beside the price, and how much of it the price takes up; without a
 * limit what such lots bring.
 */
function boundOf(
  { limit_cents: limit, ...listing }: Listing,
  value: Estimated | null,
) {
  const cents = priceOf(listing)?.cents ?? 0
  if (limit === null)
    return (
      value &&
      html` <span class="quiet">· about ${roundedDollars(value.estimated)} typical price</span>`
    )
  const share = Math.round(100 * Math.min(1, cents / Math.max(1, limit)))
  return html` <span class="limit">· limit ${roundedDollars(limit)}</span>
<svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="${share}" height="4"/></svg>`
}

/**
 * The photo in front of the drawing of what it is, for photos that are absent
 * or do not load: sources may refuse them.
 */
function photoFrame(listing: Listing) {
  const address = photoOf(listing)
  const photo = html`<img src="${address}" alt="" width="400" height="300" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
  return html`<div class="photo ${listing.category}">${drawingOfLot(listing)}${address && photo}</div>`
}
