import type { Input } from '../contract/types.ts'
import type { Deps } from './deps.ts'
import { searchListings } from './searchListings.ts'

type Search = Input<'searchListings'>

/** What narrows a search. The radius goes with the ZIP code. */
const FILTERS = [
  'q',
  'zip',
  'category',
  'state',
  'source',
  'price_min',
  'price_max',
  'no_bids',
  'buy_now',
] as const satisfies (keyof Search)[]

export type Filter = (typeof FILTERS)[number]

export interface Broader {
  /** The filter to drop. */
  filter: Filter
  /** How many live lots match without it. */
  total: number
}

/** For a search that finds nothing: the filters that stand in the way alone, those that free the most lots first. */
export async function suggestBroader(deps: Deps, search: Search): Promise<Broader[]> {
  const broader: Broader[] = []
  // One after the other: a page that finds nothing takes no more connections than one that finds something.
  for (const filter of filtersOf(search)) {
    const { [filter]: _dropped, ...rest } = search
    const without = { no_bids: false, buy_now: false, ...rest, page: 1, per_page: 1 } as Search
    const { total } = await searchListings(deps, without)
    if (total > 0) broader.push({ filter, total })
  }
  return broader.toSorted((a, b) => b.total - a.total)
}

/** The filters that a search really has. */
export function filtersOf(search: Search): Filter[] {
  return FILTERS.filter(filter => {
    const value = search[filter]
    return value !== undefined && value !== false
  })
}
