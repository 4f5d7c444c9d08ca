import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, ListingDetail } from '../../contract/types.ts'
import { DAY_MS } from '../../domain/durations.ts'
import { conditionSentences } from '../../domain/feeds/bidConditions.ts'
import { changeInWords } from '../../domain/feeds/publisherChange.ts'
import { formatNumber, shortDollars, span } from '../../domain/format.ts'
import { isOver } from '../../domain/listingState.ts'
import { priceOf } from '../../domain/price.ts'
import type { ListingShown } from '../../site/showListing.ts'
import { dayOfEnd, opensAt } from '../../words/closing.ts'
import { factsInWords } from '../../words/factsInWords.ts'
import { earlierWords } from '../../words/listingWords.ts'
import { CATEGORIES, moment } from '../kit/format.ts'
import { type Html, html, outwardLink, type Value } from '../kit/html.ts'

/** A live lot that was not seen for this long may be out of date. */
const STALE_MS = DAY_MS

/**
 * The fields of a lot that are no facts of their own: other parts of its page
 * show them, or none.
 */
type ShownElsewhere =
  | 'id'
  | 'title'
  | 'description'
  | 'source'
  | 'state'
  | 'city'
  | 'zip'
  | 'distance_miles'
  | 'current_bid_cents'
  | 'num_bids'
  | 'bid_increment_cents'
  | 'next_bid_cents'
  | 'no_bid_chance'
  | 'buyers_premium_percent'
  | 'bid_conditions'
  | 'status'
  | 'end_date'
  | 'end_precision'
  | 'bidprowl_url'
  | 'source_url'
  | 'observed_at'
  | 'publisher_changed_at'
  | 'flip_score'
  | 'appraised'
  | 'value_grade'
  | 'value_note'
  | 'approximate_value_cents'
  | 'approximate_close_cents'
  | 'limit_cents'
  | 'verdict'
  // With another one.
  | 'vehicle_make'
  | 'vehicle_model'
  | 'engine_hours'
  | 'runs'
  | 'road_title'
  | 'open_recall'
  | 'auction_id'

/**
 * What the source says of a lot, each with its name, in the order of the page.
 */
export function factsOf(listing: ListingDetail): Html {
  const vehicle = [
    listing.vehicle_year,
    listing.vehicle_make,
    listing.vehicle_model,
  ]
    .filter(Boolean)
    .join(' ')
  const { also_listed_as: other, start_date, status, auction } = listing
  const { starting_bid_cents: starting, buy_now_cents: fixed } = listing
  const earlier = listing.earlier_listings.map(
    one =>
      html`<a href="/listings/${one.id}">${earlierWords(one, listing)}</a><br>`,
  )
  const facts: Record<
    Exclude<keyof ListingDetail, ShownElsewhere>,
    [string, Value]
  > = {
    source_name: ['Source', listing.source_name],
    category: ['Category', CATEGORIES[listing.category]],
    item: [
      'Prices',
      listing.item &&
        html`<a href="/prices/${listing.item}">Prices for this item</a>`,
    ],
    condition_grade: ['Condition', listing.condition_grade],
    quantity: [
      'Quantity',
      listing.quantity !== null && formatNumber(listing.quantity),
    ],
    vehicle_year: ['Vehicle', vehicle],
    odometer_miles: ['Stated', factsInWords(listing)],
    starting_bid_cents: [
      'Starting bid',
      starting !== null && shortDollars(starting),
    ],
    reserve_met: [
      'Reserve',
      listing.reserve_met !== null && (listing.reserve_met ? 'Met' : 'Not met'),
    ],
    offer_kind: [
      'Offer',
      listing.offer_kind === 'fixed_price' && 'Fixed price, no bidding',
    ],
    buy_now_cents: ['Buy now', fixed !== null && shortDollars(fixed)],
    start_date: [
      status === 'upcoming' ? 'Opens' : 'Opened',
      start_date && opensAt(listing, start_date),
    ],
    auction: ['Auction', auction && auctionLink(auction)],
    also_listed_as: [
      'Also listed',
      other && html`<a href="/listings/${other}">at another source</a>`,
    ],
    earlier_listings: ['Listed before', earlier.length > 0 && earlier],
    image_url: [
      'Picture',
      listing.image_url &&
        outwardLink(listing.image_url, `at ${listing.source_name}`),
    ],
  }
  const known = Object.values(facts).filter(([, value]) => value)
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function auctionLink({
  id,
  name,
  live_lots,
}: NonNullable<ListingDetail['auction']>) {
  return html`<a href="/search?auction=${encodeURIComponent(id)}">${live_lots > 1 ? `All ${live_lots} lots of this auction` : name}</a>`
}

export function paragraphsOf({ description }: ListingDetail) {
  const paragraphs =
    description?.split(/\n+/).filter(line => line.trim() !== '') ?? []
  return paragraphs.map(line => html`<p dir="auto">${line}</p>`)
}

/**
 * What one must know or do before bidding, as the text says it; nothing where
 * it sets no conditions.
 */
export function conditionsOf({ bid_conditions }: Listing) {
  const sentences = conditionSentences(bid_conditions)
  return (
    sentences !== null && html`<p class="notice" role="note">${sentences}</p>`
  )
}

/**
 * When a lot was last seen, and its source changed, with a warning for a live
 * one for which either is long ago.
 */
export function freshness(listing: ListingDetail, now: Date): Html {
  const { observed_at, publisher_changed_at } = listing
  const ageMs = Math.max(0, now.getTime() - new Date(observed_at).getTime())
  const change = isOver(listing)
    ? null
    : changeInWords(publisher_changed_at, now)
  const seen = html`Last seen at the source ${span(ageMs)} ago, ${moment(observed_at)}. ${change?.words}`
  if (change?.isOld || (listing.status === 'live' && ageMs > STALE_MS)) {
    return html`<p class="notice" role="status">${seen} The bid and the end may have changed since; check the official page.</p>`
  }
  return html`<p class="quiet">${seen}</p>`
}

/** The schema.org conditions for the grades that sources use. */
const CONDITIONS: Record<string, string> = labels.conditions

/**
 * The schema.org availability of lots that can still be bought, and of those
 * whose outcome is known.
 */
const OPEN: Record<string, string> = { live: 'InStock', upcoming: 'PreOrder' }
const AVAILABILITIES: Record<string, string> = {
  ...OPEN,
  sold: 'SoldOut',
  unsold: 'Discontinued',
  withdrawn: 'Discontinued',
}

/** A lot as a schema.org Product, with an Offer when a price is known. */
export function productOf({ listing, sale }: ListingShown) {
  const cents = sale?.final_bid_cents ?? priceOf(listing)?.cents ?? null
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: listing.title,
    category: listing.category,
    sku: listing.id,
    url: listing.bidprowl_url,
    // JSON leaves out what is undefined.
    image: listing.image_url || undefined,
    offers: cents === null ? undefined : offerOf(listing, cents),
  }
}

function offerOf(listing: Listing, cents: number) {
  const { status, end_date } = listing
  const end = (status in OPEN && (dayOfEnd(listing) ?? end_date)) || undefined
  return {
    '@type': 'Offer',
    url: listing.source_url,
    price: (cents / 100).toFixed(2),
    priceCurrency: 'USD',
    availability: `https://schema.org/${AVAILABILITIES[status] ?? 'OutOfStock'}`,
    priceValidUntil: end,
    availabilityEnds: end,
    itemCondition: CONDITIONS[listing.condition_grade ?? ''],
    seller: { '@type': 'Organization', name: listing.source_name },
  }
}
