import type { Input, Listing } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { filterOf, searchLots } from '../usecases/searchLots.ts'

/** A lot of a search and the page that it is on. */
export interface Neighbor {
  lot: Listing
  page: number
}

/** The lots before and after one in a search; null where there is none. */
interface Neighbors {
  previous: Neighbor | null
  next: Neighbor | null
}

/**
 * The lots before and after a lot in the order of a search, from one statement.
 * Both are null where the lot is no longer on the page of the search or next to
 * it, since lots begin and end.
 */
export async function readNeighbors(
  deps: Deps,
  search: Input<'searchListings'>,
  id: string,
  caller: Caller,
): Promise<Neighbors> {
  const { page, per_page, sort, group } = search
  const offset = Math.max(0, (page - 1) * per_page - 1)
  const found = await searchLots(
    deps,
    filterOf(search),
    { sort, group, offset, limit: per_page + 2 },
    caller,
  )
  const lots = JSON.parse(found.text) as Listing[]
  const at = lots.findIndex(lot => lot.id === id)
  const neighbor = (index: number) => {
    const lot = at < 0 ? undefined : lots[index]
    return lot
      ? { lot, page: Math.floor((offset + index) / per_page) + 1 }
      : null
  }
  return { previous: neighbor(at - 1), next: neighbor(at + 1) }
}
