import type { Input, Ok } from '../contract/types.ts'
import { ApiError } from '../domain/errors.ts'
import { searchWords } from '../domain/searchWords.ts'
import { findListings, type ListingFilter } from '../infra/listings.ts'
import { findZip } from '../infra/places.ts'
import type { Deps } from './deps.ts'

/** The filters that a search and an export share. */
export type SearchFilters = Omit<Input<'searchListings'>, 'page' | 'per_page'>

/**
 * One page of the live lots that match.
 * @throws ApiError invalid_request when the ZIP code does not exist or the price range is turned around.
 */
export async function searchListings(
  { db, guard, publicUrl, now }: Deps,
  input: Input<'searchListings'>,
): Promise<Ok<'searchListings'>> {
  const { page, per_page, sort } = input
  const filter = filterOf(input)
  const { total, listings } = await guard(() =>
    findListings({ sql: db.read, publicUrl, now: now() }, filter, {
      sort,
      limit: per_page,
      offset: (page - 1) * per_page,
    }),
  )
  return { data: listings, page, per_page, total, total_pages: Math.ceil(total / per_page) }
}

/** @throws ApiError invalid_request for what the contract's schemas cannot say. */
export function filterOf(input: SearchFilters): ListingFilter {
  const { price_min = null, price_max = null } = input
  if (price_min !== null && price_max !== null && price_min > price_max) {
    throw new ApiError(
      'invalid_request',
      `"price_min" (${price_min}) must not be above "price_max" (${price_max}).`,
    )
  }
  return {
    words: input.q === undefined ? null : searchWords(input.q),
    category: input.category ?? null,
    state: input.state?.toUpperCase() ?? null,
    source: input.source ?? null,
    center: input.zip === undefined ? null : { ...pointOf(input.zip), radius_miles: input.radius_miles },
    price_min,
    price_max,
    no_bids: input.no_bids,
    buy_now: input.buy_now,
  }
}

function pointOf(zip: string): { latitude: number; longitude: number } {
  const place = findZip(zip.slice(0, 5))
  if (!place) throw new ApiError('invalid_request', `"zip": there is no ZIP code ${zip.slice(0, 5)}.`)
  return { latitude: place.latitude, longitude: place.longitude }
}
