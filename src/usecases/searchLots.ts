import { invalidRequest } from '../contract/errors.ts'
import type { Input } from '../contract/types.ts'
import type { SavedSearch } from '../domain/alerts/savedSearch.ts'
import type { Caller } from '../domain/caller.ts'
import {
  FILTER_NAMES,
  FILTERS,
  type ListingFilter,
  type ListingWindow,
} from '../domain/search/filters.ts'
import { findZip } from '../infra/places/zipTables.ts'
import { type FacetValue, findFacets } from '../infra/search/facets.ts'
import { type Found, findListings } from '../infra/search/listings.ts'
import type { Deps } from './deps.ts'

/** A search as a page receives it. */
export interface SentSearch {
  /** The parameters with a value, decoded, in the order they were sent. */
  sent: [name: string, value: string][]
  /**
   * The checked parameters with the contract's defaults.
   * @param others values for parameters that were not sent, before the
   * contract's.
   * @throws ApiError invalid_request as `GET /api/v1/listings` does.
   */
  input(others?: Record<string, string>): Input<'searchListings'>
}

/**
 * Reads the search of a URL by the rules of the API.
 * @param ofPage parameters of the page itself, which are not checked.
 */
export type SearchReader = (url: string, ofPage?: string[]) => SentSearch

/** The filters that a search and an export share. */
export type SearchFilters = Omit<
  Input<'searchListings'>,
  'group' | 'page' | 'per_page' | 'ids'
>

/**
 * Filters with the contract's defaults of those that are not set.
 * @param filters those of a saved search lack their names in its type.
 */
export function withDefaults(
  filters: Partial<SearchFilters> | SavedSearch['query'],
): SearchFilters {
  return {
    radius_miles: 50,
    no_bids: false,
    buy_now: false,
    ...filters,
  } as SearchFilters
}

/** A window of the live lots that match, and the exact count of all. */
export function searchLots(
  { reads }: Deps,
  filter: ListingFilter,
  window: ListingWindow,
  caller: Caller,
): Promise<Found> {
  return reads.read(caller, context => findListings(context, filter, window))
}

/** How many live lots match. @throws ApiError as `filterOf` does. */
export async function countLots(
  deps: Deps,
  filters: SearchFilters,
  caller: Caller,
): Promise<number> {
  return (
    await searchLots(
      deps,
      filterOf(filters),
      { sort: 'ending_soon', limit: 1, offset: 0 },
      caller,
    )
  ).total
}

/**
 * The values that a search can be narrowed to, each with the number of lots
 * that it would find; see findFacets.
 * @throws as `filterOf`.
 */
export async function countFacets(
  deps: Deps,
  filters: SearchFilters,
  caller: Caller,
): Promise<FacetValue[]> {
  const filter = filterOf(filters)
  return deps.reads.read(caller, context => findFacets(context, filter))
}

/**
 * @throws ApiError invalid_request for what the contract's schemas cannot say:
 * an unknown ZIP code, a reversed price range, `nearest` without a ZIP code.
 */
export function filterOf(filters: SearchFilters): ListingFilter {
  assertPriceRange(filters)
  assertRange(filters, 'vehicle_year_min', 'vehicle_year_max')
  if (filters.sort === 'nearest' && filters.zip === undefined)
    throw invalidRequest(
      '"sort" can be nearest only with a "zip" to measure from.',
    )
  const search = { page: 1, per_page: 1, ...filters }
  const values = FILTER_NAMES.map(name => [
    name,
    FILTERS[name].value(search, findZip),
  ])
  return Object.fromEntries(values)
}

/** @throws ApiError invalid_request when the range is reversed. */
export function assertPriceRange(filters: {
  price_min?: number
  price_max?: number
}): void {
  assertRange(filters, 'price_min', 'price_max')
}

function assertRange<Name extends string>(
  filters: { [_ in Name]?: number },
  min: Name,
  max: Name,
) {
  const { [min]: least, [max]: most } = filters
  if (least === undefined || most === undefined || least <= most) return
  throw invalidRequest(
    `"${min}" (${least}) must not be above "${max}" (${most}).`,
  )
}
