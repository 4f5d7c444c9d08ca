import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { type FoundRows, findRows } from '../infra/listings/listings.ts'
import type { Deps } from './deps.ts'
import { filterOf } from './searchListings.ts'

const MOST_ROWS = 5_000

/**
 * The live lots that match, as a file of at most 5,000 rows. All rows are read before the first is sent: a slow client holds no
 * connection of the database, and an error of the database never cuts a file.
 * @throws ApiError invalid_request as the search does.
 */
export async function exportListings(
  deps: Deps,
  input: Input<'exportListings'>,
  caller: Caller,
): Promise<Ok<'exportListings'>> {
  const { reads, totals, publicUrl, now, listingColumns: columns } = deps
  const filter = filterOf(input)
  const name = JSON.stringify(filter)
  const found = await reads.export(caller, context =>
    findRows({ ...context, publicUrl }, filter, { sort: input.sort, limit: MOST_ROWS }, totals.latest(name)),
  )
  if (found) totals.set(name, totalOf(found))
  const today = (now() ?? new Date(found?.now_ms ?? Date.now())).toISOString().slice(0, 10)
  const { rows = [], total: totalCount = 0 } = found ?? {}
  return { filename: `surplus-listings-${today}.csv`, columns, rows, totalCount }
}

function totalOf({ version, now_ms, until_ms, total }: FoundRows) {
  return { version, now_ms, until_ms, value: total }
}
