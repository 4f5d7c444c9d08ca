import type { Listing } from '../../contract/types.ts'
import { formatPercent, moneyFormat, roundedDollars } from '../../domain/format.ts'
import { priceOf, withPremium } from '../../domain/price.ts'
import type { ListingShown } from '../../usecases/showListing.ts'
import { type Html, html, type Value } from '../kit/html.ts'
import { type Column, table } from '../kit/table.ts'

/** The margin that is chosen first, in percent. */
const FIRST_MARGIN = 30

/** The price with the premium of the source, and what it does not include; null without a price. */
export function allInPrice(listing: Listing): Html | null {
  const premium = listing.buyers_premium_percent
  const price = priceOf(listing)
  if (!price) return null
  const all = withPremium(price.cents, premium ?? 0)
  const money = moneyFormat([price.cents, all])
  const rows: [name: string, amount: Value][] = [
    [price.label, money(price.cents)],
    premium === null
      ? ['Buyer’s premium', 'not published']
      : [`Buyer’s premium (${formatPercent(premium)})`, money(all - price.cents)],
    ['All-in price', html`<strong>${money(all)}</strong>`],
  ]
  const columns: Column<(typeof rows)[number]>[] = [
    ['', ([name]) => name, 'header'],
    ['', ([, amount]) => amount, 'number'],
  ]
  const caption = 'The price now, without taxes, removal and transport, and fees for title or payment'
  return html`<h3 id="all-in">What you pay</h3>
${table(columns, rows, { caption, style: 'sum' })}`
}

/** The highest bid for each margin; the style sheet shows that of the chosen one. Null where none is known. */
export function highestBid({ value, highestBids, listing }: ListingShown): Html | null {
  if (!value || highestBids.length === 0) return null
  const choices = highestBids.map(({ margin_percent: margin }) => {
    const checked = margin === FIRST_MARGIN ? html` checked` : null
    return html`<label><input type="radio" name="margin" id="margin-${margin}" value="${margin}"${checked}>${margin}%</label> `
  })
  const answers = highestBids.map(({ margin_percent: margin, bid_cents, all_in_cents }) => {
    const paid = all_in_cents > bid_cents ? `, ${roundedDollars(all_in_cents)} with the premium` : ''
    return html`<p class="for-${margin}">Bid at most about <strong>${roundedDollars(bid_cents)}</strong>${paid}, to keep ${margin}% if it sells again at auction for that.</p>`
  })
  const premium =
    listing.buyers_premium_percent === null ? ' The buyer’s premium is not known, so it is not in it.' : ''
  return html`<fieldset class="margins">
<legend>Highest bid for a margin of</legend>
${choices}${answers}<p class="quiet">The percentage is of what you pay: from about ${roundedDollars(value.estimated)}, less 12% for selling it again.${premium}</p>
</fieldset>`
}
