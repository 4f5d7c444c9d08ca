import type { Listing, Schemas } from '../contract/types.ts'
import { DAY_MS, MINUTE_MS } from '../domain/durations.ts'
import { zoneAt } from '../domain/feeds/states.ts'
import {
  count,
  DATE,
  formatDate,
  roundedDollars,
  shortDollars,
  span,
} from '../domain/format.ts'

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}

/** The same, and how far that is from where the search began. */
export function placeAndDistance(listing: Listing): string {
  const { distance_miles: miles } = listing
  return miles === null
    ? placeOf(listing)
    : `${placeOf(listing)} (${count(Math.round(miles), 'mile')} away)`
}

/**
 * How many bids a lot has; a bid without a number is one of a source that tells
 * none.
 */
export function bidsOf({
  num_bids,
  current_bid_cents,
}: Pick<Listing, 'num_bids' | 'current_bid_cents'>): string {
  return num_bids === 0 && current_bid_cents
    ? 'number of bids not published'
    : count(num_bids, 'bid')
}

/**
 * How often lots such as one without a bid end without one, as a sentence: "4
 * of 10 such lots end without a bid: the opening price may win." Empty where
 * fewer than 2 of 10 do, and with a bid.
 * @param no_bid_chance as in the contract.
 */
export function noBidSentence(no_bid_chance: number | null): string {
  const lots = Math.round(10 * (no_bid_chance ?? 0))
  return lots < 2
    ? ''
    : `${lots} of 10 such lots end without a bid: the opening price may win.`
}

/**
 * How many bids a lot has, and the next one; that of a fixed price has none: "2
 * bids, next bid $75".
 */
export function biddingWords(listing: Listing): string {
  const { offer_kind, next_bid_cents: next } = listing
  if (offer_kind === 'fixed_price') return 'fixed price'
  const bids = bidsOf(listing)
  return next === null ? bids : `${bids}, next bid ${shortDollars(next)}`
}

const ENDED: Record<string, string> = {
  sold: 'Sold',
  unsold: 'Not sold',
  withdrawn: 'Withdrawn before',
}

/**
 * How an earlier listing of a lot ended: "Ended May 3, 2026 without a bid at
 * $400", "Sold Dec 3, 2025, last price seen $400".
 */
export function earlierWords(
  earlier: Schemas['EarlierListing'],
  listing: Listing,
): string {
  const { end_date, status, num_bids, price_cents } = earlier
  const day = formatDate(end_date, DATE, zoneAt(listing))
  const price = price_cents === null ? 'no price' : shortDollars(price_cents)
  return num_bids === 0 && (status === 'unsold' || status === 'ended')
    ? `Ended ${day} without a bid at ${price}`
    : `${ENDED[status] ?? 'Ended'} ${day}, last price seen ${price}`
}

/**
 * The days on which a lot is picked up, as its text has them: "Monday through
 * Friday, by appointment only"; null where it names none.
 */
export function removalDays(description: string): string | null {
  const [, days] =
    /\b(?:removal|pick-?up)\b[^.\n]{0,40}?\b((?:mon|tues|wednes|thurs|fri|satur|sun)days?\b(?:[ap]\.m\.|[^.\n]){0,80})/i.exec(
      description,
    ) ?? []
  return days?.trim() ?? null
}

/**
 * Where bidding will end: "Will close at about $9,800". Empty where that is not
 * known, and without a bid, when it is the value.
 */
export function closeWords({
  current_bid_cents,
  approximate_close_cents: cents,
}: Listing): string {
  return cents === null || !current_bid_cents
    ? ''
    : `Will close at about ${roundedDollars(cents)}`
}

/**
 * How the bid moved in the last 24 hours, since the first of these moves was
 * seen; null where it is the same.
 * @param bids oldest first.
 */
export function biddingMove(
  bids: Schemas['Bid'][],
  now_ms: number,
): string | null {
  const ageOf = ({ observed_at }: Schemas['Bid']) =>
    now_ms - Date.parse(observed_at)
  const start = Math.max(
    0,
    bids.findLastIndex(bid => ageOf(bid) >= DAY_MS),
  )
  const [before, move] = [bids[start], bids[start + 1]]
  const to = bids.at(-1)?.current_bid_cents ?? null
  const from = before?.current_bid_cents ?? null
  if (!move || to === null || to === from) return null
  const time = `in the last ${span(Math.max(MINUTE_MS, ageOf(move)))}`
  if (from === null) return `First bid ${time}; now ${shortDollars(to)}.`
  return `Bid ${to > from ? 'rose' : 'fell'} from ${shortDollars(from)} to ${shortDollars(to)} ${time}.`
}
