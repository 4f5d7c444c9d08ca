import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, Schemas } from '../../contract/types.ts'
import type { BuyerCosts } from '../../domain/appraisal/buyerCosts.ts'
import { zoneAt } from '../../domain/feeds/states.ts'
import {
  count,
  dollarsDown,
  formatPercent,
  roundedDollars,
  shortDollars,
  span,
  wholeDollars,
} from '../../domain/format.ts'
import { isDemo, isOver } from '../../domain/listingState.ts'
import { aboutDollars, priceOf, withPremium } from '../../domain/price.ts'
import { TARGET_MARGIN_PERCENT } from '../../domain/valuation/projection.ts'
import type { ListingShown, LotShown } from '../../site/showListing.ts'
import { closesSentence, opensIn } from '../../words/closing.ts'
import { biddingWords, placeOf } from '../../words/listingWords.ts'
import { CATEGORIES, date, localMoment } from '../kit/format.ts'
import { hidden, postForm, submit } from '../kit/forms.ts'
import { type Html, html, outwardLink, type Value } from '../kit/html.ts'
import type { Viewer } from '../kit/layout.ts'
import { badge } from '../kit/notice.ts'
import { type MarkedPrice, ruler, SIGNS } from '../kit/ruler.ts'
import { type Column, table } from '../kit/table.ts'
import { countdown, pathOf, verdictBadge } from './cards.ts'

const BASES: Record<string, string> = labels.price_bases

/** What a price means, by its `price_basis`, which is an open list. */
export function priceBasisWords(price_basis: string): string {
  return BASES[price_basis] ?? price_basis
}

/** A name, an amount, and what qualifies it. */
type Figure = [name: Value, amount: Value, note: Value]

/** For whom a lot is shown. */
export interface Visitor {
  /** Who is signed in. */
  viewer: Viewer | null
  /**
   * What the lot costs this visitor; null where costs are not saved, and
   * without a value.
   */
  costs: BuyerCosts | null
}

/**
 * The box beside a lot: what our limit says, the price among what such lots
 * sell for, what it costs, when it ends, and what to do next.
 */
export function offerBox(
  shown: ListingShown,
  { viewer, costs }: Visitor,
  now: Date,
): Html {
  const { listing } = shown
  const isPast = shown.sale !== null || isOver(listing)
  const drawn = rulerOf(shown)
  const figures = isPast
    ? pastFigures(shown, now)
    : openFigures(shown, now, drawn ? signed : unsigned)
  return html`<section class="offer" aria-label="The offer">
${isOver(listing) ? null : html`<p class="verdict">${verdictBadge(listing, shown.value, now)}</p>`}
${saidBefore(shown)}<p>${badge(stateOf(shown, now), 'neutral')} ${placeOf(listing)}</p>
${drawn}
${figureList(figures)}
${isPast ? null : html`${costs && costsOf(costs)}${biddingFold(shown)}`}
<div class="buttons">${officialPage(listing)}${isOver(listing) ? moreLots(listing) : watchButton(listing, viewer)}</div>
${scoreOf(shown)}
${isDemo(listing) && html`<p>A demo lot: it has no official page.</p>`}
<p class="quiet links"><a href="${mailTo(listing)}">Share by email</a>${calendarLink(listing)}${isPast ? null : html` <a href="/account/costs?next=${encodeURIComponent(pathOf(listing))}" rel="nofollow">${costs ? 'Change my costs' : 'What it costs me'}</a>`} <button type="button" data-copy="${listing.bidprowl_url}" hidden>Copy link</button></p>
</section>`
}

/**
 * What we said of a lot that sold, and what it brought; null where either is
 * not known.
 */
function saidBefore({ said, sale }: LotShown): Html | null {
  if (!said || !sale) return null
  const about = aboutDollars(said.estimated_value_cents)
  const price = shortDollars(sale.final_bid_cents)
  const result =
    sale.price_basis === 'last_observed'
      ? `The last bid seen was ${price}; the final price may be higher.`
      : `It sold for ${price}.`
  return html`<p class="said">We said about ${about} on ${date(said.day)}${said.limit_cents !== null && `, limit ${roundedDollars(said.limit_cents)} the day before the end`}. ${result}</p>
`
}

function figureList(figures: Figure[]): Html {
  const lines = figures.map(
    ([name, amount, note]) =>
      html`<div><dt>${name}</dt><dd>${amount} <small>${note}</small></dd></div>`,
  )
  return html`<dl class="figures">
${lines}</dl>`
}

/**
 * The price on its ruler; of a guess from the title, without sales that are not
 * similar.
 */
function rulerOf(shown: ListingShown): Html | null {
  const { listing, value, market, sale } = shown
  const similar = value?.grade === 'words' ? null : market
  return ruler({
    price: priceNow(shown),
    limit: sale ? null : listing.limit_cents,
    typical: sale ? null : (value?.estimated ?? null),
    likely: value && !sale ? [value.likelyLow, value.likelyHigh] : null,
    sales: similar?.prices ?? [],
    median: similar?.p50_cents ?? null,
    isReal: similar?.isReal ?? true,
  })
}

type BidCosts = NonNullable<Schemas['BidCosts']>

/** A line of the costs, and what stands there where its amount is not known. */
type Line = [name: string, amount: keyof BidCosts, unknown?: string]

const LINES: Line[] = [
  ['Bid', 'bid_cents'],
  ['Buyer’s premium', 'premium_cents', 'not published'],
  ['Sales tax', 'tax_cents'],
  ['Card surcharge', 'surcharge_cents'],
  ['Transport', 'transport_cents', 'place not known'],
  ['Fixed costs', 'fixed_cost_cents'],
  ['In all', 'total_cents'],
  ['Left after reselling', 'left_cents', 'not known'],
]

/**
 * What the lot costs this visitor at the next bid, at the visitor's limit and
 * at the likely price, line by line.
 */
function costsOf({
  at_next,
  at_limit,
  at_likely,
  limit_cents,
  distance_miles,
}: BuyerCosts): Html {
  const prices = [
    { name: 'Next bid', costs: at_next },
    { name: 'Your limit', costs: at_limit },
    { name: 'Likely price', costs: at_likely },
  ].flatMap(({ name, costs }) => (costs ? [{ name, costs }] : []))
  const columns: Column<Line>[] = [
    ['Costs', ([name]) => name, 'header'],
    ...prices.map(({ name, costs }): Column<Line> => {
      const shown = ([, amount, unknown]: Line) => {
        if (costs[amount] === null) return unknown
        return amount === 'bid_cents'
          ? dollarsDown(costs[amount])
          : wholeDollars(costs[amount])
      }
      return [name, shown, 'number']
    }),
  ]
  const limit =
    limit_cents === null
      ? 'No bid leaves your margin.'
      : `Your limit: ${dollarsDown(limit_cents)}.`
  const miles =
    distance_miles === null
      ? ''
      : ` ${count(Math.round(distance_miles), 'mile')} away.`
  return html`<details open><summary>What it costs you</summary>
<p><strong>${limit}</strong>${miles}</p>
${prices.length > 0 && table(columns, LINES, { caption: 'In whole dollars; the sums are of exact amounts' })}</details>
`
}

/** What only somebody who bids needs; null where none of it is known. */
function biddingFold(shown: ListingShown): Html | null {
  const figures = [nextBid(shown.listing), willClose(shown)].filter(
    figure => figure !== null,
  )
  if (figures.length === 0) return null
  return html`<details><summary>More about the bidding</summary>${figureList(figures)}</details>`
}

/** The state of a lot in a few words. */
export function stateOf({ listing }: LotShown, now: Date) {
  const words: Record<string, string> = {
    live: listing.offer_kind === 'fixed_price' ? 'For sale' : 'Open for bids',
    upcoming: listing.start_date
      ? opensIn(listing, listing.start_date, now)
      : 'Not open yet',
    ended: 'Ended. Result pending',
    sold: 'Sold',
    unsold: 'Ended without a sale',
    withdrawn: 'Withdrawn by the source',
  }
  return words[listing.status] ?? listing.status
}

/** The price that counts, with its name; null without any. */
export function priceNow({ listing, sale }: LotShown): MarkedPrice | null {
  if (!sale) return priceOf(listing)
  const label =
    sale.price_basis === 'last_observed' ? 'Last bid seen' : 'Final price'
  return { cents: sale.final_bid_cents, label }
}

function pastFigures(shown: ListingShown, now: Date) {
  const { listing, sale } = shown
  const price = priceNow(shown)
  const { end_date, status } = listing
  const note = sale ? priceBasisWords(sale.price_basis) : biddingWords(listing)
  const figures: Figure[] = [
    [price?.label ?? 'Price', price ? shortDollars(price.cents) : 'None', note],
  ]
  if (sale) figures.push(['Sold', date(sale.sold_at), null])
  else if (end_date && status !== 'withdrawn')
    figures.push([
      'Ended',
      `${span(now.getTime() - Date.parse(end_date))} ago`,
      localMoment(end_date, zoneAt(listing)),
    ])
  return figures
}

function openFigures(shown: ListingShown, now: Date, named: typeof signed) {
  const { listing, value, whyNoValue } = shown
  const price = priceNow(shown)
  const { end_date } = listing
  const local =
    listing.end_precision === 'day'
      ? closesSentence(listing, 'UTC')
      : end_date && localMoment(end_date, zoneAt(listing))
  const figures: (Figure | null)[] = [
    [
      price ? named('price', price.label) : 'Price',
      price ? shortDollars(price.cents) : 'None yet',
      biddingWords({ ...listing, next_bid_cents: null }),
    ],
    price && allInPrice(listing, listing.next_bid_cents ?? price.cents),
    limitFigure(listing, named),
    value
      ? [
          named('typical', 'Typical price'),
          `about ${roundedDollars(value.estimated)}`,
          knownFrom(shown),
        ]
      : ['Typical price', 'Not known', whyNoValue],
    ['Closes', countdown(listing, now), local],
  ]
  return figures.filter(figure => figure !== null)
}

/** A name beside no ruler. */
function unsigned(_sign: keyof typeof SIGNS, name: string): Html {
  return html`${name}`
}

/** A name with its sign on the ruler. */
function signed(sign: keyof typeof SIGNS, name: string): Html {
  return html`<span class="${sign}" aria-hidden="true">${SIGNS[sign]}</span> ${name}`
}

/**
 * How the value is known; of few sales, which move it little, also what they
 * brought.
 */
function knownFrom({ value, market }: ListingShown) {
  const brought =
    value?.grade === 'few' &&
    market &&
    ` that brought about ${roundedDollars(market.p50_cents)}`
  return `${value?.known}${brought || ''}`
}

/** The price with the premium of the source. */
function allInPrice(
  { buyers_premium_percent: premium }: Listing,
  cents: number,
): Figure {
  const all = roundedDollars(withPremium(cents, premium ?? 0))
  const plus = 'plus tax and pickup'
  if (premium === null)
    return ['Total now', `At least ${all}`, `premium not published, ${plus}`]
  return [
    'Total now',
    all,
    premium === 0 ? plus : `with ${formatPercent(premium)} premium, ${plus}`,
  ]
}

function nextBid({
  next_bid_cents: next,
  bid_increment_cents: step,
}: Listing): Figure | null {
  if (next === null) return null
  return [
    'Next bid',
    shortDollars(next),
    step !== null && `bids rise by ${shortDollars(step)} or more`,
  ]
}

function willClose({ listing, value }: ListingShown): Figure | null {
  const {
    approximate_close_cents: cents,
    next_bid_cents: next,
    current_bid_cents: bid,
  } = listing
  // By formula it says little before the end.
  if (cents === null || !bid || !value?.isLearned) return null
  const { closeLow, closeHigh } = value
  const band =
    closeLow &&
    closeHigh &&
    `likely ${roundedDollars(Math.max(closeLow, next ?? bid))} to ${roundedDollars(closeHigh)}`
  return ['Will close at', `about ${roundedDollars(cents)}`, band]
}

/**
 * The highest bid for the usual margin; the page has those for other margins
 * below.
 */
function limitFigure(
  { limit_cents }: Listing,
  named: typeof signed,
): Figure | null {
  if (limit_cents === null) return null
  return [
    named('limit', 'Limit'),
    roundedDollars(limit_cents),
    `for a margin of ${TARGET_MARGIN_PERCENT}% after all costs above`,
  ]
}

function scoreOf({ listing, value }: ListingShown) {
  if (listing.flip_score === null) return null
  return html`<p><a href="/docs/flip-score">Flip Score</a> <b>${listing.flip_score}</b> of 100. ${value?.reason}</p>`
}

function moreLots({ category }: Listing) {
  return html`<a class="action secondary" href="/search?category=${category}">Live lots in ${CATEGORIES[category]}</a>`
}

/**
 * One press for who is signed in; a form, behind the sign-in page, for others.
 */
function watchButton({ id }: Listing, viewer: Viewer | null) {
  if (!viewer)
    return html`<a class="action secondary" href="/account/alerts/new?listing_id=${id}" rel="nofollow">Watch</a>`
  return postForm(
    '/account/alerts/watch',
    viewer.formToken,
    html`${hidden('listing_id', id)}${submit('Watch', 'secondary')}`,
  )
}

function officialPage(listing: Listing) {
  if (isDemo(listing)) return null
  const verb =
    listing.status === 'live' && listing.offer_kind !== 'fixed_price'
      ? 'Bid'
      : 'See'
  return outwardLink(
    listing.source_url,
    `${verb} at ${listing.source_name}`,
    'action',
  )
}

function calendarLink(listing: Listing) {
  if (isOver(listing) || listing.end_date === null) return null
  return html` <a href="${pathOf(listing)}/end.ics" rel="nofollow">Add to calendar</a>`
}

function mailTo({ title, bidprowl_url }: Listing) {
  return `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(`${title}\n${bidprowl_url}`)}`
}
