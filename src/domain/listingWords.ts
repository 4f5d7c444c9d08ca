import type { Listing } from '../contract/types.ts'
import { count } from './format.ts'

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}

/** How many bids a lot has; that of a fixed price has none. */
export function biddingWords({ offer_kind, num_bids }: Pick<Listing, 'offer_kind' | 'num_bids'>): string {
  return offer_kind === 'fixed_price' ? 'fixed price' : count(num_bids, 'bid')
}
