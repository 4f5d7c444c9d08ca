import type { Input } from '../contract/types.ts'
import type { SavedSearch } from '../domain/alerts/savedSearch.ts'
import type { Caller } from '../domain/caller.ts'
import { invalidRequest } from '../domain/errors.ts'
import { FILTER_NAMES, FILTERS, type ListingFilter, type ListingWindow } from '../domain/search/filters.ts'
import { readLots } from '../infra/listings/byId.ts'
import { findFacets } from '../infra/listings/facets.ts'
import { type Found, findListings } from '../infra/listings/listings.ts'
import { findZip } from '../infra/places/zipTables.ts'
import type { ReadRouter } from '../infra/replicas/readRouter.ts'
import type { Deps } from './deps.ts'

/** A lot may begin or end between the search in the index and the statement that confirms it; rarely twice. */
const MOST_ATTEMPTS = 3

/** The filters that a search and an export share. */
export type SearchFilters = Omit<Input<'searchListings'>, 'page' | 'per_page' | 'ids'>

/** Filters with the contract's defaults of those that are not set. @param filters those of a saved search lack their names in its type. */
export function withDefaults(filters: Partial<SearchFilters> | SavedSearch['query']) {
  return { radius_miles: 50, no_bids: false, buy_now: false, ...filters } as SearchFilters
}

/** A window of the live lots that match, and the exact count of all: from the search index, else from the database. */
export async function searchLots(deps: Deps, filter: ListingFilter, window: ListingWindow, caller: Caller) {
  return (
    (await searchIndexed(deps, filter, window, caller)) ??
    (await searchDatabase(deps, deps.reads.read, filter, window, caller))
  )
}

/** How many live lots match. @throws ApiError as `filterOf` does. */
export async function countLots(deps: Deps, filters: SearchFilters, caller: Caller) {
  return (await searchLots(deps, filterOf(filters), { sort: 'ending_soon', limit: 1, offset: 0 }, caller))
    .total
}

/** Total and order from the index, the lots from the database; null when the index cannot answer. */
async function searchIndexed(
  { reads, searchIndex }: Deps,
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
): Promise<Found | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const indexed = searchIndex.find(filter, window)
    if (!indexed) return null
    const { version, now_ms, text, ...state } = await reads.read(caller, context =>
      readLots(context, indexed.ids, filter.zip),
    )
    const until_ms = searchIndex.confirm(indexed, { now_ms, ...state })
    if (until_ms !== null) return { version, now_ms, until_ms, total: indexed.total, text }
  }
  return null
}

/** The same from the database, which counts where the index has not: for many rows it reads along an index of its own, twice as fast. */
export function searchDatabase(
  { searchIndex }: Deps,
  read: ReadRouter['read'],
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
) {
  return read(caller, context => findListings(context, filter, window, searchIndex.count(filter)))
}

/** The values that a search can be narrowed to, each with the number of lots that it would find; see findFacets. @throws as `filterOf`. */
export async function countFacets(deps: Deps, filters: SearchFilters, caller: Caller) {
  const filter = filterOf(filters)
  return deps.reads.read(caller, context => findFacets(context, filter))
}

/**
 * @throws ApiError invalid_request for what the contract's schemas cannot say: an unknown ZIP code, a reversed price range, `nearest`
 * without a ZIP code.
 */
export function filterOf(filters: SearchFilters): ListingFilter {
  assertPriceRange(filters)
  assertRange(filters, 'vehicle_year_min', 'vehicle_year_max')
  if (filters.sort === 'nearest' && filters.zip === undefined)
    throw invalidRequest('"sort" can be nearest only with a "zip" to measure from.')
  const search = { page: 1, per_page: 1, ...filters }
  const values = FILTER_NAMES.map(name => [name, FILTERS[name].value(search, findZip)])
  return Object.fromEntries(values)
}

/** @throws ApiError invalid_request when the range is reversed. */
export function assertPriceRange(filters: { price_min?: number; price_max?: number }) {
  assertRange(filters, 'price_min', 'price_max')
}

function assertRange<Name extends string>(filters: { [_ in Name]?: number }, min: Name, max: Name) {
  const { [min]: least, [max]: most } = filters
  if (least === undefined || most === undefined || least <= most) return
  throw invalidRequest(`"${min}" (${least}) must not be above "${max}" (${most}).`)
}
