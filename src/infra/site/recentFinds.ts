import type { ListingFilter } from '../../domain/search/filters.ts'
import { jsonList, onlyRow, type SqlContext } from '../postgres/sql.ts'
import { anytime, passes } from '../search/conditions.ts'
import { SEARCH_VECTOR } from '../search/listings.ts'

/** Lots that a search would have found, also those that have ended. */
export interface RecentFinds {
  lots: number
  /** At most five, first those that were sold, the latest first. */
  examples: {
    title: string
    slug: string
    outcome: string | null
    final_bid_cents: number | null
    price_basis: string | null
  }[]
}

/**
 * The lots that came on offer in the last 30 days, as they are now, and that
 * match. The hours until the end and whether there are bids are left out: they
 * were others when a lot was listed.
 */
export async function readRecentFinds(
  { sql, now }: SqlContext,
  filter: ListingFilter,
): Promise<RecentFinds> {
  const words = filter.q?.all ?? null
  const examples = sql`
    select title, slug, outcome, final_bid_cents, price_basis
    from found
    order by final_bid_cents is null, offered_at desc, slug
    limit 5`
  return onlyRow(sql<RecentFinds[]>`
    with offered as materialized (
      select lot_id, max(observed_at) as offered_at
      from lot_changes
      where observed_at > ${now} - interval '720 hours'
      and kind in ('listed', 'reopened')
      group by lot_id
    ),
    found as materialized (
      select l.title, l.slug, l.outcome, l.final_bid_cents, l.price_basis, offered.offered_at
      from offered
      join lots l on l.id = offered.lot_id
      where ${passes(now, anytime(filter))}
      and (
        ${words}::text is null
        or ${SEARCH_VECTOR} @@ to_tsquery('english', ${words})
      )
    )
    select
      (select count(*) from found) as lots,
      ${jsonList(examples)} as examples`)
}
