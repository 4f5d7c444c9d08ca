import type { Schemas } from '../../contract/types.ts'
import { count, formatMoment, shortDollars } from '../../domain/format.ts'
import { moment } from './format.ts'
import { type Html, html } from './html.ts'

type Bid = Schemas['Bid'] & { current_bid_cents: number }

/** Space above the highest bid and below the lowest, in percent of the height. */
const MARGIN = 8

/**
 * The observed bids as a line of steps: a bid stands until the next one is seen. The drawing is stretched to the width of the page;
 * labels are beside it, so that text keeps its size. Null for fewer than two bids.
 * @param lastSeen when the lot was last seen, RFC 3339.
 */
export function bidLine(seen: Schemas['Bid'][], lastSeen: string): Html | null {
  const bids = seen.filter((bid): bid is Bid => bid.current_bid_cents !== null)
  const [first, last] = [bids[0], bids.at(-1)]
  if (!first || !last || first === last) return null
  const end = lastSeen > last.observed_at ? lastSeen : last.observed_at
  const from = Date.parse(first.observed_at)
  const length = Math.max(1, Date.parse(end) - from)
  const amounts = bids.map(bid => bid.current_bid_cents)
  const [least, most] = [amounts.reduce((a, b) => Math.min(a, b)), amounts.reduce((a, b) => Math.max(a, b))]
  const x = (time: string) => (((Date.parse(time) - from) / length) * 100).toFixed(1)
  const y = (cents: number) =>
    (100 - MARGIN - ((cents - least) / Math.max(1, most - least)) * (100 - 2 * MARGIN)).toFixed(1)
  // Of the bids at one place only the last is drawn: 5,000 points would be 100 kB.
  const drawn = bids.filter((bid, n) => !bids[n + 1] || x(bids[n + 1]!.observed_at) !== x(bid.observed_at))
  const steps = drawn.map(bid => `H${x(bid.observed_at)}V${y(bid.current_bid_cents)}`)
  return html`<h3 id="bids">Bids over time</h3>
<figure class="bid-line">
<svg role="img" aria-labelledby="bids bid-words" width="100%" height="176">
<text x="0" y="14">${shortDollars(most)}</text>
<svg y="20" width="100%" height="120" viewBox="0 0 100 100" preserveAspectRatio="none">
<path class="axis" d="M0 0V100H100"/>
<path class="bids" d="M0 ${y(drawn[0]!.current_bid_cents)}${steps.join('')}H100"/>
</svg>
<text x="0" y="156">${shortDollars(least)}</text>
<text x="0" y="172">${axisMoment(first.observed_at)}</text>
<text x="100%" y="172" text-anchor="end">${axisMoment(end)}</text>
</svg>
<figcaption id="bid-words">From ${shortDollars(first.current_bid_cents)} on ${moment(first.observed_at)} to ${shortDollars(last.current_bid_cents)} on ${moment(last.observed_at)}, in ${count(bids.length, 'observation')}. Bids between two observations are not seen.</figcaption>
</figure>`
}

/** For the axis: without the year. */
function axisMoment(iso: string): string {
  return formatMoment(iso, 'UTC', { month: 'short', day: 'numeric' })
}
