import { formatNumber, shortDollars } from '../../domain/format.ts'
import type { RecentFinds } from '../../infra/listings/recentFinds.ts'
import { html } from '../kit/html.ts'

/** What a search would have found in the last 30 days; null where that is not known now. */
export function recentFinds(found: RecentFinds | null) {
  if (found === null) return null
  const examples = found.examples.map(
    ({ title, slug, outcome, final_bid_cents }) =>
      html`<li><a href="/listings/${slug}">${title}</a>${final_bid_cents === null ? outcome && `, ${outcome}` : `, sold for ${shortDollars(final_bid_cents)}`}</li>`,
  )
  return html`<section id="recent">
<p><strong>${formatNumber(found.lots)} ${found.lots === 1 ? 'match' : 'matches'}</strong> in the last 30 days${examples.length > 0 ? ', such as:' : '.'}</p>
${examples.length > 0 && html`<ul>\n${examples}</ul>`}</section>`
}
