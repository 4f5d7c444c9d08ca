import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, Schemas } from '../../contract/types.ts'
import { dollars, span, wholeDollars } from '../../domain/format.ts'
import { type Html, html } from './html.ts'

/** The categories and sorts of the contract, as pages name them. */
export const CATEGORIES: Record<Listing['category'], string> = labels.categories
export const SORTS: Record<Schemas['Sort'], string> = labels.sorts

/** US cents as dollars: $4,125.00; without cents from $10,000 up. */
export function dollarsShort(cents: number): string {
  return cents >= 1_000_000 && cents % 100 === 0 ? wholeDollars(cents) : dollars(cents)
}

const MOMENT = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A moment, readable for people and machines. @param iso RFC 3339, UTC. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${MOMENT.format(new Date(iso))} UTC</time>`
}

export function date(iso: string): Html {
  return html`<time datetime="${iso}">${DATE.format(new Date(iso))}</time>`
}

/** The price that a search sorts and filters by, and what it is; null when none is known. */
export function priceOf(listing: Listing): { cents: number; kind: string } | null {
  if (listing.current_bid_cents !== null) return { cents: listing.current_bid_cents, kind: 'Current bid' }
  if (listing.starting_bid_cents !== null) return { cents: listing.starting_bid_cents, kind: 'Starting bid' }
  if (listing.buy_now_cents !== null) return { cents: listing.buy_now_cents, kind: 'Buy now' }
  return null
}

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}

/** The time until bidding ends, for a live lot. */
export function timeLeft({ end_date }: Listing, now: Date): string {
  if (end_date === null) return 'No end is announced'
  return `${span(Math.max(0, new Date(end_date).getTime() - now.getTime()))} left`
}
