import { formatPercent, roundedDollars } from '../../domain/format.ts'
import { leastBid } from '../../domain/price.ts'
import type { ListingShown } from '../../site/showListing.ts'
import { type Column, table } from '../kit/table.ts'

/** The highest bid for each margin. Null where none is known. */
export function highestBid({ value, highestBids, listing }: ListingShown) {
  if (!value?.resale || highestBids.length === 0) return null
  const next = leastBid(listing) ?? 0
  const columns: Column<(typeof highestBids)[number]>[] = [
    ['Margin', ({ margin_percent }) => formatPercent(margin_percent)],
    [
      'Limit',
      ({ bid_cents }) =>
        roundedDollars(bid_cents) +
        (bid_cents < next ? ': already above it' : ''),
      'number',
    ],
  ]
  if (listing.buyers_premium_percent)
    columns.push([
      'With the premium',
      ({ all_in_cents }) => roundedDollars(all_in_cents),
      'number',
    ])
  const unknown =
    listing.buyers_premium_percent === null
      ? ' The buyer’s premium is not in it.'
      : ''
  const caption = `Assumes you resell at auction for about ${roundedDollars(value.resale)} and selling costs 12%. Margin = profit ÷ what you paid.${unknown}`
  return table(columns, highestBids, { caption })
}
