import type { Listing } from '../contract/types.ts'

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}
