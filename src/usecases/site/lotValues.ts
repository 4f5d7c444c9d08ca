import type { Listing } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { findLotValues } from '../../infra/listings/siteReads.ts'
import type { Deps } from '../deps.ts'
import { rounded } from '../showListing.ts'

/** What a card shows of a lot's market, in US cents rounded to two digits. */
interface LotValue {
  estimated: number
  /** The middle of the comparable sales. */
  median: number
  soldCount: number
}

/** The values of lots by their ids. A lot without comparable sales has none. */
export type LotValues = ReadonlyMap<string, LotValue>

/** Reads what these lots are worth, in one statement. */
export async function readLotValues(
  { reads }: Deps,
  lots: readonly Pick<Listing, 'id'>[],
  caller: Caller,
): Promise<LotValues> {
  if (lots.length === 0) return new Map()
  const ids = lots.map(({ id }) => id)
  const rows = await reads.read(caller, ({ sql }) => findLotValues(sql, ids))
  return new Map(
    rows.map(({ id, estimated_cents, median_cents, sold_count }) => [
      id,
      { estimated: rounded(estimated_cents), median: rounded(median_cents), soldCount: sold_count },
    ]),
  )
}
