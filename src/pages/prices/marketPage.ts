import type { Schemas } from '../../contract/types.ts'
import { nameOfState } from '../../domain/feeds/states.ts'
import { count, formatNumber, roundedDollars } from '../../domain/format.ts'
import type { Market } from '../../usecases/site/salePrices.ts'
import { CATEGORIES } from '../kit/format.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState } from '../kit/site.ts'
import { type Column, table } from '../kit/table.ts'
import { lotCards } from '../lots/cards.ts'
import { answerOf, basisNote, type PriceSite, pageData } from './parts.ts'

/** Live lots and sold prices of a state, or of one category in it. */
export function marketPage(
  { state, category, live, values, categories, sold, soldCount }: Market,
  site: PriceSite,
): Page {
  const place = nameOfState(state)
  const path = `/lots/${pathOfState(state)}`
  const name = category ? CATEGORIES[category] : 'All categories'
  const title = `Government surplus auctions in ${place}${category ? `: ${name}` : ''}`
  const trail: [string, string][] = [[place, site.publicUrl + path]]
  if (category) trail.push([name, `${site.publicUrl}${path}/${category}`])
  const answer = answerOf(sold, soldCount)
  const search = `/search?${category ? `category=${category}&` : ''}state=${state}`
  return {
    title,
    content: html`<p class="trail"><a href="/search">Live lots</a> › ${category ? html`<a href="${path}">${place}</a> › ${name}` : place}</p>
<p class="lead">${count(live.total, 'live lot')} now. ${answer}</p>
<nav aria-label="Categories in ${place}"><ul class="chips">
${category ? html`<li><a href="${path}">All of ${place}</a></li>` : null}${categories.map(
  each =>
    html`<li><a href="${path}/${each.category}"${each.category === category ? html` aria-current="page"` : null}>${CATEGORIES[each.category]} ${formatNumber(each.live)}</a></li>`,
)}</ul></nav>
<section aria-labelledby="live">
<h2 id="live">${live.total === 0 ? 'No live lots now' : 'Live lots, the best scores first'}</h2>
${live.total === 0 ? null : lotCards(live.data, values, site.now)}
<p>${live.total === 0 ? html`<a href="/search">All live lots</a>` : html`<a href="${search}">${live.total > live.data.length ? `All ${count(live.total, 'lot')}` : 'Search here'}</a>`}</p>
</section>
${sold ? basisNote(sold) : null}
<p><a href="/prices">What single items sell for</a></p>`,
    section: '/search',
    ...pageData(site, {
      title,
      address: trail.at(-1)![1],
      description: `${title}: ${count(live.total, 'live lot')}. ${answer}`,
      trail,
      sold,
      isEmpty: live.total === 0,
    }),
  }
}

/** Every tracked item by category, with what is known of it, and the states that have live lots. */
export function priceIndex(items: Schemas['Item'][], states: string[], site: PriceSite): Page {
  const title = 'What surplus sells for'
  const groups = Object.entries(CATEGORIES)
    .map(([key, name]) => ({ key, name, group: items.filter(({ category }) => category === key) }))
    .filter(({ group }) => group.length > 0)
  return {
    title,
    content: html`<p class="lead">The median price of ${count(items.length, 'item')} at government auctions in the last 365 days, and how many are live now.</p>
<nav aria-label="Categories"><ul class="chips">${groups.map(({ key, name }) => html`<li><a href="#${key}">${name}</a></li> `)}<li><a href="#states">By state</a></li></ul></nav>
${groups.map(
  ({ key, name, group }) => html`<h2 id="${key}">${name}</h2>
${table(ITEM_COLUMNS, group)}`,
)}
<p class="quiet">–: fewer than five sales, too few to name a price. Amounts are rounded.</p>
<h2 id="states">Lots by state</h2>
<ul class="chips">${states.map(
      code => html`<li><a href="/lots/${pathOfState(code)}">${nameOfState(code)}</a></li>`,
    )}</ul>`,
    ...pageData(site, {
      title,
      address: `${site.publicUrl}/prices`,
      description:
        'What items sell for at US government auctions: the median price of each, its sales, and its live lots.',
      trail: [['Prices', `${site.publicUrl}/prices`]],
      sold: null,
      isEmpty: false,
    }),
  }
}

const ITEM_COLUMNS: Column<Schemas['Item']>[] = [
  [
    'Item',
    ({ slug, name, sold_count, live_count }) =>
      sold_count + live_count === 0 ? name : html`<a href="/prices/${slug}">${name}</a>`,
  ],
  ['Median price', ({ median_cents }) => median_cents && roundedDollars(median_cents), 'number'],
  ['Sold', ({ sold_count }) => sold_count, 'number'],
  ['Live', ({ live_count }) => live_count, 'number'],
]
