import labels from '../../../data/labels.json' with { type: 'json' }
import { STATE_NAMES } from '../../domain/feeds/states.ts'
import { count, formatNumber, roundedDollars } from '../../domain/format.ts'
import type { ItemPrice } from '../../site/salePrices.ts'
import { sparkline } from '../kit/drawings.ts'
import { CATEGORIES } from '../kit/format.ts'
import { foldedList, html, section } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState } from '../kit/site.ts'
import { type PriceSite, pageData } from './parts.ts'

/** The other items of a category are folded. */
const ITEMS_SHOWN = 6

const NO_SALES = html`<p class="notice">${labels.notes.no_sales}</p>`

/**
 * Every tracked item by category, with what is known of it, and the states that
 * have live lots.
 */
export function priceIndex(
  items: ItemPrice[],
  states: string[],
  site: PriceSite,
): Page {
  const title = 'What surplus sells for'
  const known = items.filter(
    ({ sold_count, live_count }) => sold_count + live_count > 0,
  )
  const others = items.filter(item => !known.includes(item))
  const groups = Object.entries(CATEGORIES)
    .map(([key, name]) => ({
      key,
      name,
      group: known.filter(({ category }) => category === key),
    }))
    .filter(({ group }) => group.length > 0)
  return {
    title,
    content: html`<p class="lead">The median price of ${count(items.length, 'item')} at government auctions in the last 365 days, by month, and how many are live now.</p>
<nav aria-label="Categories"><details class="filters"><summary>Categories</summary><ul class="chips">${groups.map(({ key, name }) => html`<li><a href="#${key}">${name}</a></li> `)}<li><a href="#states">By state</a></li></ul></details></nav>
${!items.some(({ sold_count }) => sold_count > 0) && NO_SALES}
${groups.map(({ key, name, group }) => section(key, name, foldedList(group.map(itemCard), ITEMS_SHOWN, 'tiles prices')))}
<p class="quiet">${labels.notes.item_medians}</p>
${others.length > 0 && html`<p class="quiet">Neither sold nor live: ${others.map(({ name }) => name).join(', ')}.</p>`}
<h2 id="states">Lots by state</h2>
<ul class="columns">${[...STATE_NAMES]
      .filter(([code]) => states.includes(code))
      .map(
        ([code, name]) =>
          html`<li><a href="/lots/${pathOfState(code)}">${name}</a></li>`,
      )}</ul>`,
    ...pageData(site, {
      title,
      description:
        'What items sell for at US government auctions: the median price of each, its sales, and its live lots.',
      trail: [['Prices', '/prices']],
      sold: null,
      isEmpty: false,
    }),
  }
}

function itemCard({
  slug,
  name,
  median_cents,
  months,
  sold_count,
  isReal,
  live_count,
}: ItemPrice) {
  return html`<li><a href="/prices/${slug}"><span>${name}</span> <b>${median_cents === null ? '–' : roundedDollars(median_cents)}</b> ${sparkline(months)}<small>${formatNumber(sold_count)} ${isReal ? 'sold' : 'last bids'}, ${formatNumber(live_count)} live</small></a></li>`
}
