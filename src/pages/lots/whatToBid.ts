import type { Listing } from '../../contract/types.ts'
import { formatPercent, moneyFormat, roundedDollars } from '../../domain/format.ts'
import { priceOf, withPremium } from '../../domain/price.ts'
import type { ListingShown } from '../../usecases/showListing.ts'
import { type Html, html } from '../kit/html.ts'

/** The margin that is chosen first, in percent. */
const FIRST_MARGIN = 30

/** The price with the premium of the source, and what it does not include; null without a price. */
export function allInPrice(listing: Listing): Html | null {
  const premium = listing.buyers_premium_percent
  const price = priceOf(listing)
  if (!price) return null
  const all = withPremium(price.cents, premium ?? 0)
  const money = moneyFormat([price.cents, all])
  const fee = all - price.cents
  return html`<h3 id="all-in">What you pay</h3>
<table class="sum">
<caption>The price now, without taxes, removal and transport, and fees for title or payment</caption>
<tbody>
<tr><th scope="row">${price.label}</th><td class="number">${money(price.cents)}</td></tr>
<tr><th scope="row">Buyer’s premium${premium === null ? null : ` (${formatPercent(premium)})`}</th><td class="number">${premium === null ? 'not published' : money(fee)}</td></tr>
<tr><th scope="row">All-in price</th><td class="number"><strong>${money(all)}</strong></td></tr>
</tbody>
</table>`
}

/** The highest bid for each margin; the style sheet shows that of the chosen one. Null where no value is known. */
export function highestBid({ value, listing }: ListingShown): Html | null {
  if (!value) return null
  const choices = value.highestBids.map(({ margin_percent: margin }) => {
    const checked = margin === FIRST_MARGIN ? html` checked` : null
    return html`<label><input type="radio" name="margin" id="margin-${margin}" value="${margin}"${checked}>${margin}%</label>
`
  })
  const answers = value.highestBids.map(({ margin_percent: margin, bid_cents, all_in_cents }) => {
    const paid = all_in_cents > bid_cents ? `, ${roundedDollars(all_in_cents)} with the premium` : ''
    return html`<p class="for-${margin}">Bid at most about <strong>${roundedDollars(bid_cents)}</strong>${paid}, to earn ${margin}% on what you pay.</p>
`
  })
  const premium =
    listing.buyers_premium_percent === null ? ' The buyer’s premium is not known, so it is not in it.' : ''
  return html`<fieldset class="margins">
<legend>Highest bid for a margin of</legend>
${choices}${answers}<p class="quiet">From the estimated value of about ${roundedDollars(value.estimated)}, less 12% for selling it again.${premium}</p>
</fieldset>`
}
