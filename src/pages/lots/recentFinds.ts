import { count, shortDollars } from '../../domain/format.ts'
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
<p>In the last 30 days it would have found <strong>${count(found.lots, 'lot')}</strong>${examples.length > 0 ? ', such as:' : '.'}</p>
${examples.length > 0 ? html`<ul>\n${examples}</ul>` : null}</section>`
}
