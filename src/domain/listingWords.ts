import type { Listing } from '../contract/types.ts'

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

/** What a score says, from the highest down: in a sentence, and on a badge. */
const VERDICTS: [least: number, words: string, label: string][] = [
  [80, 'a bargain', 'Bargain'],
  [60, 'a good deal', 'Good deal'],
  [40, 'about its usual price', 'Usual price'],
  [20, 'expensive', 'Expensive'],
  [0, 'far above its usual price', 'Overpriced'],
]

/** A Flip Score in words: 64 is "a good deal". */
export function scoreWords(score: number): string {
  return VERDICTS.find(([least]) => score >= least)![1]
}

/** A Flip Score in a word or two: 64 is "Good deal". */
export function scoreLabel(score: number): string {
  return VERDICTS.find(([least]) => score >= least)![2]
}
