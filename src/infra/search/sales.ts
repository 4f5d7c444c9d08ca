import type { Schemas } from '../../contract/types.ts'
import type { ListingFilter } from '../../domain/search/filters.ts'
import { DATABASE_NOW } from '../postgres/clock.ts'
import { type Fragment, fragment, onlyRow } from '../postgres/sql.ts'
import type { ListingContext } from './columns.ts'
import { passes } from './conditions.ts'
import type { Found } from './listings.ts'

/** The filters that open lots and sales share. */
type SharedFilter = Pick<
  ListingFilter,
  'category' | 'state' | 'source' | 'price_min' | 'price_max'
>

/**
 * The filters of a search among sales. A null does not filter. Days are seconds
 * since 1970.
 */
export interface SaleFilter extends SharedFilter {
  /** An operand of `to_tsquery`; see searchWords. */
  words: string | null
  item: string | null
  /** Inclusive. */
  soldFrom: number | null
  /** Exclusive. */
  soldUntil: number | null
}

/**
 * The sales that match, in the requested order, and the exact count of all that
 * match, from one snapshot. Ids are found first, and the columns are read for
 * the page only.
 */
export async function findSales(
  { sql, publicUrl }: ListingContext,
  filter: SaleFilter,
  {
    sort,
    limit,
    offset,
  }: { sort: Schemas['SaleSort']; limit: number; offset: number },
): Promise<Found> {
  return onlyRow(sql`
    select
      (select count(*) from sales l where ${matchesOf(filter)}) as total,
      coalesce(json_agg(page), '[]')::text as text
    from (
      select ${saleColumns(publicUrl)}
      from (
        select l.id
        from sales l
        where ${matchesOf(filter)}
        order by ${orderOf(sort)}
        limit ${limit} offset ${offset}
      ) as wanted
      join lots l using (id)
      join sources s using (source)
      order by ${orderOf(sort)}
    ) as page`)
}

/**
 * The Sale of the contract, in contract order. The lot is called `l`, its
 * source `s`.
 */
export function saleColumns(publicUrl: string): Fragment {
  return fragment`
    l.id, l.title, l.category, l.item, l.source, s.name as source_name, l.state, l.city,
    l.final_bid_cents as price_cents, l.price_basis, l.num_bids, rfc3339(l.sold_at) as sold_at,
    ${publicUrl}::text || '/listings/' || l.slug as bidprowl_url,
    official_page(l.source_url, l.slug, ${publicUrl}) as source_url`
}

/**
 * Optional filters fold away, since PostgreSQL plans these statements with the
 * values (docs/search.md).
 */
function matchesOf(filter: SaleFilter) {
  const { words, item, soldFrom, soldUntil, ...shared } = filter
  return fragment`
    (${words}::text is null or l.sold_words @@ lots_query(${words}, ${shared.category}, null))
    and ${passes(DATABASE_NOW, shared, fragment`l.final_bid_cents`)}
    and (${item}::text is null or l.item = ${item})
    and (${soldFrom}::float8 is null or l.sold_at >= to_timestamp(${soldFrom}::float8))
    and (${soldUntil}::float8 is null or l.sold_at < to_timestamp(${soldUntil}::float8))`
}

function orderOf(sort: Schemas['SaleSort']) {
  return {
    newest: fragment`l.sold_at desc, l.id`,
    oldest: fragment`l.sold_at, l.id`,
    price_low: fragment`l.final_bid_cents, l.id`,
    price_high: fragment`l.final_bid_cents desc, l.id`,
    most_bids: fragment`l.num_bids desc, l.id`,
  }[sort]
}
