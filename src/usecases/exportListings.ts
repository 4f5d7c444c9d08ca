import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { csvLines } from '../infra/csvRows.ts'
import type { RunStatement } from '../infra/searchIndex/openLots.ts'
import type { Deps } from './deps.ts'
import { filterOf, findPage } from './searchListings.ts'

const MAXIMUM_ROWS = 5_000

/**
 * The live lots that match, as a file of at most 5,000 rows.
 * @throws ApiError invalid_request as the search does.
 */
export async function exportListings(
  deps: Deps,
  input: Input<'exportListings'>,
  caller: Caller,
): Promise<Ok<'exportListings'>> {
  const { reads, publicUrl, now, listingColumns: columns } = deps
  const filter = filterOf(deps, input)
  const window = { sort: input.sort, limit: MAXIMUM_ROWS, offset: 0 }
  const run: RunStatement = statement => reads.export(caller, context => statement({ ...context, publicUrl }))
  const { text, total, now_ms } = await findPage(deps, { filter, window, columns }, run)
  const today = (now() ?? new Date(now_ms)).toISOString().slice(0, 10)
  return { filename: `surplus-listings-${today}.csv`, columns, lines: csvLines(text), totalCount: total }
}
