import type { Listing } from '../contract/types.ts'
import { count } from './format.ts'

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}

/** What a score says, from the highest down. */
const VERDICTS: [least: number, words: string][] = [
  [80, 'a bargain'],
  [60, 'a good deal'],
  [40, 'about its usual price'],
  [20, 'expensive'],
  [0, 'far above its usual price'],
]

/** A Flip Score in words: 64 is "a good deal". */
export function scoreWords(score: number): string {
  return VERDICTS.find(([least]) => score >= least)![1]
}

/** How many bids a lot has; that of a fixed price has none. */
export function biddingWords({ offer_kind, num_bids }: Pick<Listing, 'offer_kind' | 'num_bids'>): string {
  return offer_kind === 'fixed_price' ? 'fixed price' : count(num_bids, 'bid')
}
