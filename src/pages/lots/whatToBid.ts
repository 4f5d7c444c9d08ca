import { formatPercent, roundedDollars, shortDollars } from '../../domain/format.ts'
import { leastBid } from '../../domain/price.ts'
import type { ListingShown } from '../../usecases/showListing.ts'
import { type Column, table } from '../kit/table.ts'

/** The highest bid for each margin. Null where none is known. */
export function highestBid({ value, highestBids, listing }: ListingShown) {
  if (!value || highestBids.length === 0) return null
  const next = leastBid(listing) ?? 0
  const columns: Column<(typeof highestBids)[number]>[] = [
    ['For a margin of', ({ margin_percent }) => formatPercent(margin_percent)],
    [
      'Bid up to',
      ({ bid_cents }) => shortDollars(bid_cents) + (bid_cents < next ? ': already above it' : ''),
      'number',
    ],
  ]
  if (listing.buyers_premium_percent)
    columns.push(['With the premium', ({ all_in_cents }) => shortDollars(all_in_cents), 'number'])
  const unknown = listing.buyers_premium_percent === null ? ' The buyer’s premium is not in it.' : ''
  const caption = `Margins are in percent of what you pay, if it sells again at auction for about ${roundedDollars(value.estimated)}, less 12% for selling it.${unknown}`
  return table(columns, highestBids, { caption })
}
