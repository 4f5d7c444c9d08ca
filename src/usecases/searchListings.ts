import { JsonText } from '../contract/jsonText.ts'
import type { Input, Ok } from '../contract/types.ts'
import { ApiError } from '../domain/errors.ts'
import { searchWords } from '../domain/searchWords.ts'
import type { DataState } from '../infra/dataState.ts'
import { type Found, findListings, type ListingFilter, type ListingWindow } from '../infra/listings.ts'
import { findZip } from '../infra/places.ts'
import type { Read } from '../infra/readCache.ts'
import type { Deps } from './deps.ts'

/** The filters that a search and an export share. */
export type SearchFilters = Omit<Input<'searchListings'>, 'page' | 'per_page'>

/**
 * One page of the live lots that match, with the exact count of all.
 * @throws ApiError invalid_request when the ZIP code does not exist or the price range is turned around.
 */
export async function searchListings(
  deps: Deps,
  input: Input<'searchListings'>,
): Promise<Ok<'searchListings'>> {
  return (await searchListingsText(deps, input)).value()
}

/** The same as JSON, as PostgreSQL wrote it. */
export async function searchListingsText(
  deps: Deps,
  input: Input<'searchListings'>,
): Promise<JsonText<Ok<'searchListings'>>> {
  const { page, per_page, sort } = input
  const filter = filterOf(input)
  const window = { sort, limit: per_page, offset: (page - 1) * per_page }
  const name = JSON.stringify([filter, window])
  const made = await deps.pages.recall(name, deps.dataState, asOf => readPage(deps, filter, window, asOf))
  return made.value
}

async function readPage(
  deps: Deps,
  filter: ListingFilter,
  window: ListingWindow,
  asOf?: DataState,
): Promise<Read<JsonText<Ok<'searchListings'>>>> {
  const { guard, readLots, publicUrl } = deps
  const { text, total, ...holding } = await countingOnce(deps, filter, counted =>
    guard(() => readLots.read(place => findListings({ ...place, publicUrl }, filter, window, counted), asOf)),
  )
  const per_page = window.limit
  const page = window.offset / per_page + 1
  const total_pages = Math.ceil(total / per_page)
  const rest = JSON.stringify({ page, per_page, total, total_pages })
  const body = `{"data":${text},${rest.slice(1)}`
  return { ...holding, value: new JsonText(body, { place: { page, total_pages }, holding }) }
}

/** Tells `find` what was counted for a filter before, so that nothing is counted twice, and remembers what it has counted. */
export async function countingOnce(
  { totals }: Deps,
  filter: ListingFilter,
  find: (counted: Read<number> | null) => Promise<Found>,
): Promise<Found> {
  const name = JSON.stringify(filter)
  const found = await find(totals.latest(name))
  const { version, now_ms, until_ms, total: value } = found
  totals.set(name, { version, now_ms, until_ms, value })
  return found
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
