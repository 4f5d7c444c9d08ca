import type { ListingFilter } from '../../domain/search/filters.ts'
import type { SqlContext } from '../postgres/sql.ts'
import { passes } from './conditions.ts'
import { matchesOf } from './listings.ts'

/**
 * One value of a filter, and how many live lots a search finds with it in place
 * of its own value.
 */
export interface FacetValue {
  facet: 'category' | 'state' | 'source' | 'price'
  /** A key of the contract; for `price` the number of the band, from 1. */
  value: string
  lots: number
}

/**
 * Where the bands of prices begin, in US dollars. Each ends one cent below the
 * next; the last has no end.
 */
export const PRICE_BANDS = [0, 100, 500, 1_000, 5_000, 25_000]

/** The filters that a facet stands for. */
const OPEN = {
  category: null,
  state: null,
  source: null,
  price_min: null,
  price_max: null,
}

/**
 * Counts the live lots of a search by category, state, source and band of
 * price, each without its own filter: one pass over the lots that the other
 * filters match. Lots without the property are not counted.
 */
export async function findFacets(
  { sql, now }: SqlContext,
  filter: ListingFilter,
): Promise<FacetValue[]> {
  const { category, state, source, price_min, price_max } = filter
  const firstCents = `{${PRICE_BANDS.map(dollars => dollars * 100).join()}}`
  const kindsOf = (facets: Partial<ListingFilter>) => sql`
      from kinds l
      where ${passes(now, facets)}`
  return sql<FacetValue[]>`
    with kinds as (
      select
        l.category, l.state, l.source,
        width_bucket(l.price_cents, ${firstCents}::text::bigint[])::text as price,
        ${passes(now, { price_min, price_max })} as is_in_range,
        count(*) as lots
      from lots l
      where ${matchesOf(now, { ...filter, ...OPEN })}
      group by 1, 2, 3, 4, 5
    ),
    counted as (
      select 'category' as facet, category as value, lots ${kindsOf({ state, source })} and is_in_range
      union all
      select 'state', state, lots ${kindsOf({ category, source })} and is_in_range
      union all
      select 'source', source, lots ${kindsOf({ category, state })} and is_in_range
      union all
      select 'price', price, lots ${kindsOf({ category, state, source })}
    )
    select facet, value, sum(lots)::bigint as lots
    from counted
    where value is not null
    group by facet, value
    order by lots desc, value`
}
