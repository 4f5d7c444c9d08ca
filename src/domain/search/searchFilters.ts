import type { Input } from '../../contract/types.ts'

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
  'value_min',
  'no_bids',
  'buy_now',
] as const satisfies (keyof Search)[]

export type Filter = (typeof FILTERS)[number]

/** The filters that a search really has. */
export function filtersOf(search: Search): Filter[] {
  return FILTERS.filter(filter => {
    const value = search[filter]
    return value !== undefined && value !== false
  })
}
