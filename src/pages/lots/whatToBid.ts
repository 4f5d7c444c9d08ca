import { roundedDollars } from '../../domain/format.ts'
import type { ListingShown } from '../../usecases/showListing.ts'
import { type Html, html } from '../kit/html.ts'

/** The margin that is chosen first, in percent. */
const FIRST_MARGIN = 30

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
