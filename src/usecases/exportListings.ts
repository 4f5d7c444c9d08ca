import type { Input, Ok } from '../contract/types.ts'
import { findListings } from '../infra/listings.ts'
import type { Deps } from './deps.ts'
import { filterOf } from './searchListings.ts'

const MAXIMUM_ROWS = 5_000

/**
 * The live lots that match, as a file of at most 5,000 rows.
 * @throws ApiError invalid_request as the search does.
 */
export async function exportListings(
  { exportGuard, readLots, publicUrl, now }: Deps,
  input: Input<'exportListings'>,
): Promise<Ok<'exportListings'>> {
  const filter = filterOf(input)
  const { total, listings } = await exportGuard(() =>
    readLots.export(place =>
      findListings({ ...place, publicUrl }, filter, { sort: input.sort, limit: MAXIMUM_ROWS, offset: 0 }),
    ),
  )
  const today = (now() ?? new Date()).toISOString().slice(0, 10)
  return { filename: `surplus-listings-${today}.csv`, rows: JSON.parse(listings), totalCount: total }
}
