import { formatNumber, shortDollars } from '../../domain/format.ts'
import type { RecentFinds } from '../../infra/site/recentFinds.ts'
import { type Html, html } from '../kit/html.ts'

/**
 * What a search would have found in the last 30 days; null where that is not
 * known now.
 */
export function recentFinds(found: RecentFinds | null): Html | null {
  if (found === null) return null
  const examples = found.examples.map(
    ({ title, slug, ...found }) =>
      html`<li><a href="/listings/${slug}">${title}</a>${endOf(found)}</li>`,
  )
  return html`<section id="recent">
<p><strong>${formatNumber(found.lots)} ${found.lots === 1 ? 'match' : 'matches'}</strong> in the last 30 days${examples.length > 0 ? ', such as:' : '.'}</p>
${examples.length > 0 && html`<ul>\n${examples}</ul>`}</section>`
}

function endOf({
  outcome,
  final_bid_cents,
  price_basis,
}: Omit<RecentFinds['examples'][number], 'title' | 'slug'>) {
  if (final_bid_cents === null) return outcome && `, ${outcome}`
  const price = shortDollars(final_bid_cents)
  return price_basis === 'last_observed'
    ? `, last bid seen ${price}`
    : `, sold for ${price}`
}
