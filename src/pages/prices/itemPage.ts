import { nameOfState } from '../../domain/feeds/states.ts'
import {
  count,
  formatDate,
  formatNumber,
  niceAbove,
  roundedDollars,
  wholeDollars,
} from '../../domain/format.ts'
import type { ItemPrices } from '../../usecases/site/salePrices.ts'
import { barChart } from '../kit/drawings.ts'
import { date } from '../kit/format.ts'
import { type Html, html, section } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState } from '../kit/site.ts'
import { type Column, table } from '../kit/table.ts'
import { lotCards } from '../lots/cards.ts'
import { answerOf, basisNote, type PriceSite, pageData } from './parts.ts'

type Spread = NonNullable<ItemPrices['sold']>

/** The factors of a scale whose half is a round number too. */
const SCALE = [1, 2, 3, 4, 5, 6, 8, 10]
/** A chart of fewer months says nothing about time. */
const LEAST_MONTHS = 3

/** What one item sells for, and where it is for sale now. */
export function itemPage({ item, live, values, sold, soldCount }: ItemPrices, site: PriceSite): Page {
  const title = titleOf(item.name)
  const address = `${site.publicUrl}/prices/${item.slug}`
  const answer = answerOf(sold, soldCount)
  const words = item.name.split(/ ?[/(,&]/)[0]!
  const query = `q=${encodeURIComponent(words)}`
  return {
    title,
    content: html`<p class="trail"><a href="/prices">Prices</a> › ${item.name}</p>
<p class="lead">${answer}</p>
${sold ? histogram(sold) : null}
<section aria-labelledby="live">
<h2 id="live">${live.total === 0 ? 'None live now' : `${count(live.total, 'live lot')} now`}</h2>
${live.total === 0 ? null : lotCards(live.data, values, site.now)}
<p>${live.total > live.data.length ? html`<a href="/search?${query}">Search all lots for “${words}”</a>. ` : null}<a href="/account/alerts/new?${query}" rel="nofollow">Get alerts for new ones</a>.</p>
</section>
${sold ? html`${yearsOf(sold)}${dealsOf(sold)}${monthsOf(sold)}${statesOf(sold)}${basisNote(sold)}` : null}`,
    ...pageData(site, {
      title,
      address,
      description: `${answer} ${count(live.total, 'lot')} live now.`,
      trail: [
        ['Prices', `${site.publicUrl}/prices`],
        [item.name, address],
      ],
      sold,
      isEmpty: !sold && live.total === 0,
    }),
  }
}

/** As people ask, where the name is one thing; else in words that fit all names. */
function titleOf(name: string): string {
  const isOneThing = /^[\w -]+$/.test(name) && !/(s|equipment|gear)$/.test(name)
  const article = /^([aeio]|ul)/i.test(name) ? 'an' : 'a'
  const written = /^[A-Z][a-z -]+$/.test(name) ? name.toLowerCase() : name
  return isOneThing
    ? `What does ${article} ${written} sell for at government auctions?`
    : `${name}: prices at government auctions`
}

function histogram({ edges, bins, median_cents, count: sales }: Spread): Html {
  const counts = new Map(bins.map(each => [each.bin, each.sales]))
  const amounts = edges.map(wholeDollars)
  const bars = [undefined, ...amounts].map((from, n) => {
    const until = amounts[n]
    const height = counts.get(n) ?? 0
    const range = !from ? `under ${until}` : until ? `${from} to ${until}` : `${from} or more`
    return {
      label: from ?? '',
      height,
      words: `${count(height, 'sale')}, ${range}`,
    }
  })
  const most = niceAbove(Math.max(10, ...bins.map(each => each.sales)), SCALE)
  const ends = 'The first bar is all that sold for less, the last bar all that sold for more.'
  const words = html`${count(sales, 'sale')} by price; the median is about ${roundedDollars(median_cents)}. ${ends}`
  const chart = barChart('spread-words', bars, { most, written: formatNumber }, words)
  return section('spread', 'Number of sales by price', chart)
}

/** The numbers stand in the caption too, for readers who do not see the drawing. */
function monthsOf({ months }: Spread): Html | null {
  const medians = months.flatMap(({ median_cents }) => median_cents ?? [])
  if (medians.length < LEAST_MONTHS) return null
  const bars = months.map(({ month, sales, median_cents }) => ({
    label: monthName(month),
    height: median_cents,
    words: `${monthName(month)}: ${median_cents === null ? 'too few sales' : roundedDollars(median_cents)} (${count(sales, 'sale')})`,
  }))
  const axis = { most: niceAbove(Math.max(...medians), SCALE), written: roundedDollars }
  const chart = barChart('month-words', bars, axis, html`${bars.map(({ words }) => words).join(' · ')}`)
  return section('months', 'Median price by month', chart)
}

function yearsOf({ years }: Spread): Html | null {
  if (years.length === 0) return null
  const columns: Column<Spread['years'][number]>[] = [
    ['Model year', ({ year }) => String(year)],
    ['Sales', ({ sold_count }) => sold_count, 'number'],
    ['Median price', ({ median_cents }) => roundedDollars(median_cents), 'number'],
  ]
  const caption = 'The model years with at least five sales'
  return section('years', 'Median price by model year', table(columns, years, { caption }))
}

function statesOf({ states }: Spread): Html | null {
  if (states.length === 0) return null
  const columns: Column<Spread['states'][number]>[] = [
    ['State', ({ state }) => html`<a href="/lots/${pathOfState(state)}">${nameOfState(state)}</a>`],
    ['Sales', ({ sales }) => sales, 'number'],
    ['Median price', ({ median_cents }) => roundedDollars(median_cents), 'number'],
  ]
  const caption = 'The states with the most sales, at least five'
  return section('states', 'Median price by state', table(columns, states, { caption }))
}

function dealsOf({ deals }: Spread): Html | null {
  if (deals.length === 0) return null
  const columns: Column<Spread['deals'][number]>[] = [
    [
      'Lot',
      ({ title, slug, state, sold_at }) =>
        html`<a href="/listings/${slug}">${title}</a><br><span class="quiet">${state ? `${state}, ` : null}${date(sold_at)}</span>`,
    ],
    [
      'Sold for about',
      ({ price_cents, belowPercent }) =>
        html`${roundedDollars(price_cents)}<br><span class="quiet">${belowPercent}% below its estimate</span>`,
      'number',
    ],
  ]
  const caption =
    'The latest sales below what half of such lots sell for. Their condition may explain the price.'
  return section('bargains', 'Recent good buys', table(columns, deals, { caption }))
}

/** @param month as 2026-11. */
function monthName(month: string): string {
  return formatDate(`${month}-01T00:00:00Z`, { month: 'short', year: 'numeric' })
}
