import type { Input } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from './deps.ts'
import { searchListings } from './searchListings.ts'

type Search = Input<'searchListings'>

/** The filters of a search. The radius belongs to the ZIP code. */
export const FILTERS = [
  'q',
  'category',
  'state',
  'source',
  'zip',
  'price_min',
  'price_max',
  'closing_within_hours',
  'min_flip_score',
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

/** After this time, the filters that were counted so far are returned: a hint must not delay the response. */
const BUDGET_MS = 1_000

/**
 * For a search that finds nothing: how many lots are live without each of its filters, the most first. Filters whose removal finds
 * nothing are left out. At most one count for each filter, for about a second in all.
 */
export async function suggestBroader(deps: Deps, search: Search, caller: Caller): Promise<Broader[]> {
  const startedAt = performance.now()
  const broader: Broader[] = []
  // One after the other: a page that finds nothing takes no more connections than one that finds something.
  for (const filter of filtersOf(search)) {
    if (performance.now() - startedAt > BUDGET_MS) break
    const { [filter]: _dropped, ...rest } = search
    const without = { no_bids: false, buy_now: false, ...rest, page: 1, per_page: 1 } as Search
    const { total } = await searchListings(deps, without, caller)
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
