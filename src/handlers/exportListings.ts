import { CsvFile } from '../contract/csvFile.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { findListings } from '../infra/search/listings.ts'
import type { Deps } from '../usecases/deps.ts'
import { filterOf } from '../usecases/searchLots.ts'

const MOST_ROWS = 5_000

/**
 * The live lots that match, as a file of at most 5,000 rows. All rows are read
 * before the first is sent: a slow client holds no connection of the database,
 * and an error of the database never cuts a file.
 * @throws ApiError invalid_request as the search does.
 */
export async function exportListings(
  { reads, listingColumns: columns, now }: Deps,
  input: Input<'exportListings'>,
  caller: Caller,
): Promise<Ok<'exportListings'>> {
  const filter = filterOf(input)
  const window = { sort: input.sort, limit: MOST_ROWS, offset: 0, columns }
  const { text, total } = await reads.export(caller, context =>
    findListings(context, filter, window),
  )
  const today = now().toISOString().slice(0, 10)
  const lines = text === '' ? [] : text.split('\n')
  return new CsvFile(
    `surplus-listings-${today}.csv`,
    columns,
    lines,
    total,
    input.bom,
  )
}
