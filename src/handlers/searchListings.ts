import { pageJson, type RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import type { Circle, ListingFilter, ListingWindow } from '../domain/search/listingFilter.ts'
import { searchWords } from '../domain/search/searchWords.ts'
import { readLots } from '../infra/listings/byId.ts'
import { type FacetValue, findFacets } from '../infra/listings/facets.ts'
import { type Found, findListings } from '../infra/listings/listings.ts'
import { findZip } from '../infra/places/zipTables.ts'
import type { ReadRouter } from '../infra/replicas/readRouter.ts'
import type { Deps } from '../usecases/deps.ts'

/** A lot may begin or end between the search in the index and the statement that confirms it; rarely twice. */
const MOST_ATTEMPTS = 3

/** The filters that a search and an export share. */
export type SearchFilters = Omit<Input<'searchListings'>, 'page' | 'per_page'>

/**
 * One page of the live lots that match, with the exact count of all.
 * @throws ApiError invalid_request when the ZIP code does not exist, the price range is turned around, or the nearest are asked for without a ZIP code.
 */
export async function searchListings(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<Ok<'searchListings'>> {
  return (await searchListingsText(deps, input, caller)).value()
}

/** The same as JSON, as PostgreSQL wrote it. */
export async function searchListingsText(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<RawJson<Ok<'searchListings'>>> {
  const { page, per_page, sort } = input
  const window: ListingWindow = { sort, limit: per_page, offset: (page - 1) * per_page }
  const { text, total, ...validity } = await searchWindow(deps, filterOf(input), window, caller)
  return pageJson(text, { page, per_page, total }, validity)
}

/** Any run of the live lots that match, from the index or else from the database. */
export async function searchWindow(
  deps: Deps,
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
): Promise<Found> {
  return (
    (await searchIndexed(deps, filter, window, caller)) ??
    (await searchDatabase(deps, deps.reads.read, filter, window, caller))
  )
}

/** Total and order from the index, the lots from the database; null when the index cannot answer. */
async function searchIndexed(
  { reads, searchIndex, publicUrl }: Deps,
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
): Promise<Found | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const indexed = searchIndex.find(filter, window)
    if (!indexed) return null
    const { version, now_ms, text, ...state } = await reads.read(caller, context =>
      readLots({ ...context, publicUrl }, indexed.ids, filter.center),
    )
    const until_ms = searchIndex.confirm(indexed, { now_ms, ...state })
    if (until_ms !== null) return { version, now_ms, until_ms, total: indexed.total, text }
  }
  return null
}

/** All from the database, which counts each filter once for each version of the data. */
export async function searchDatabase(
  { totals, publicUrl }: Deps,
  read: ReadRouter['read'],
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
): Promise<Found> {
  const name = JSON.stringify(filter)
  const found = await read(caller, context =>
    findListings({ ...context, publicUrl }, filter, window, totals.latest(name)),
  )
  const { version, now_ms, until_ms, total: value } = found
  totals.set(name, { version, now_ms, until_ms, value })
  return found
}

/** What a search can be narrowed to, each value with the number of lots that it would find; see findFacets. @throws as a search does. */
export async function countFacets(deps: Deps, input: SearchFilters, caller: Caller): Promise<FacetValue[]> {
  const filter = filterOf(input)
  return deps.reads.read(caller, context => findFacets(context, filter))
}

/** @throws ApiError invalid_request for what the contract's schemas cannot say. */
export function filterOf(input: SearchFilters): ListingFilter {
  const { price_min = null, price_max = null } = input
  assertPriceRange(input)
  if (input.sort === 'nearest' && input.zip === undefined)
    throw new ApiError('invalid_request', '"sort" can be nearest only with a "zip" to measure from.')
  return {
    words: input.q === undefined ? null : searchWords(input.q),
    category: input.category ?? null,
    state: input.state?.toUpperCase() ?? null,
    source: input.source ?? null,
    center: input.zip === undefined ? null : circleAround(input.zip, input.radius_miles),
    price_min,
    price_max,
    closing_within_hours: input.closing_within_hours ?? null,
    min_flip_score: input.min_flip_score ?? null,
    no_bids: input.no_bids,
    buy_now: input.buy_now,
  }
}

/** @throws ApiError invalid_request when the range is turned around. */
export function assertPriceRange({ price_min, price_max }: { price_min?: number; price_max?: number }): void {
  if (price_min === undefined || price_max === undefined || price_min <= price_max) return
  throw new ApiError(
    'invalid_request',
    `"price_min" (${price_min}) must not be above "price_max" (${price_max}).`,
  )
}

function circleAround(zip: string, radius_miles: number): Circle {
  const code = zip.slice(0, 5)
  const place = findZip(code)
  if (!place) throw new ApiError('invalid_request', `"zip": there is no ZIP code ${code}.`)
  const { latitude, longitude } = place
  return { latitude, longitude, radius_miles }
}
