import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import type { ListingFilter, ListingWindow } from '../domain/search/listingFilter.ts'
import { searchWords } from '../domain/searchWords.ts'
import { type Found, findListings, type PageQuery } from '../infra/listings/listings.ts'
import { findListingsInHalves } from '../infra/listingsInHalves.ts'
import type { ZipPoints } from '../infra/places/zipPoints.ts'
import type { Point } from '../infra/places/zipTables.ts'
import type { RunStatement } from '../infra/searchIndex/openLots.ts'
import type { Deps } from './deps.ts'

/** Fewer rows are written faster than a second statement is planned. */
const ROWS_WORTH_HALVES = 2_000

/** The filters that a search and an export share. */
export type SearchFilters = Omit<Input<'searchListings'>, 'page' | 'per_page'>

/**
 * One page of the live lots that match, with the exact count of all.
 * @throws ApiError invalid_request when the ZIP code does not exist or the price range is turned around.
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
  const { reads, publicUrl } = deps
  const { page, per_page, sort } = input
  const filter = filterOf(deps, input)
  const window: ListingWindow = { sort, limit: per_page, offset: (page - 1) * per_page }
  const run: RunStatement = statement => reads.read(caller, context => statement({ ...context, publicUrl }))
  const { text, total, ...validity } = await findPage(deps, { filter, window, columns: null }, run)
  const total_pages = Math.ceil(total / per_page)
  const rest = JSON.stringify({ page, per_page, total, total_pages })
  const body = `{"data":${text},${rest.slice(1)}`
  return new RawJson(body, { place: { page, total_pages }, validity })
}

/** By the index of the open lots where that can tell, else by the database, which counts a filter only once. */
export async function findPage(
  { openLots, totals }: Deps,
  query: PageQuery,
  run: RunStatement,
): Promise<Found> {
  const indexed = await openLots.find(query, run)
  if (indexed) return indexed
  const name = JSON.stringify(query.filter)
  const find = query.columns && query.window.limit >= ROWS_WORTH_HALVES ? findListingsInHalves : findListings
  const found = await run(context => find(context, query, totals.latest(name)))
  const { version, now_ms, until_ms, total: value } = found
  totals.set(name, { version, now_ms, until_ms, value })
  return found
}

/** @throws ApiError invalid_request for what the contract's schemas cannot say. */
export function filterOf({ zipPoints }: Pick<Deps, 'zipPoints'>, input: SearchFilters): ListingFilter {
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
    center:
      input.zip === undefined ? null : { ...pointOf(zipPoints, input.zip), radius_miles: input.radius_miles },
    price_min,
    price_max,
    no_bids: input.no_bids,
    buy_now: input.buy_now,
  }
}

function pointOf(zipPoints: ZipPoints, zip: string): Point {
  const code = zip.slice(0, 5)
  const point = zipPoints.find(code)
  if (!point) throw new ApiError('invalid_request', `"zip": there is no ZIP code ${code}.`)
  return point
}
