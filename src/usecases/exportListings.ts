import type { Input, Ok } from '../contract/types.ts'
import { findListingsAsCsv } from '../infra/listings.ts'
import type { Deps } from './deps.ts'
import { filterOf } from './searchListings.ts'

const MAXIMUM_ROWS = 5_000

/**
 * The live lots that match, as a file of at most 5,000 rows.
 * @throws ApiError invalid_request as the search does.
 */
export async function exportListings(
  { exportGuard, readLots, publicUrl, now, listingColumns, totals }: Deps,
  input: Input<'exportListings'>,
): Promise<Ok<'exportListings'>> {
  const filter = filterOf(input)
  const name = JSON.stringify(filter)
  const window = { sort: input.sort, limit: MAXIMUM_ROWS, offset: 0 }
  const { text, total, ...holding } = await exportGuard(() =>
    readLots.export(place =>
      findListingsAsCsv({ ...place, publicUrl }, filter, window, listingColumns, totals.latest(name)),
    ),
  )
  totals.set(name, { ...holding, value: total })
  const today = (now() ?? new Date(holding.now_ms)).toISOString().slice(0, 10)
  return {
    filename: `surplus-listings-${today}.csv`,
    columns: listingColumns,
    lines: text,
    totalCount: total,
  }
}
