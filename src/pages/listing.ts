import type { Listing } from '../contract/types.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const STATUS_WORDS: Record<string, string> = {
  live: 'Open for bids',
  upcoming: 'Not open yet',
  ended: 'Ended; the outcome is not known yet',
  sold: 'Sold',
  unsold: 'Ended without a sale',
  withdrawn: 'Withdrawn',
}

/** The page of one lot: what is known, and the way to the official auction. */
export function listingPage(listing: Listing): string {
  const facts: [string, string | number | null][] = [
    ['Status', STATUS_WORDS[listing.status] ?? listing.status],
    ['Place', [listing.city, listing.state, listing.zip].filter(Boolean).join(', ') || null],
    ['Category', listing.category],
    ['Condition', listing.condition_grade],
    ['Current bid', dollars(listing.current_bid_cents)],
    ['Starting bid', dollars(listing.starting_bid_cents)],
    ['Buy now', dollars(listing.buy_now_cents)],
    ['Bids', listing.num_bids],
    ['Flip Score', listing.flip_score],
    ['Opens', listing.start_date],
    ['Ends', listing.end_date],
    ['Last seen', listing.observed_at],
  ]
  const rows = facts
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`,
    )
  return layout(
    listing.title,
    html`<p><a class="action" href="${listing.source_url}" rel="noopener">See and bid at ${listing.source_name}</a></p>
<table><tbody>
${rows}</tbody></table>`,
  )
}

function dollars(cents: number | null): string | null {
  return cents === null ? null : (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })
}
