import { nameOfState } from '../../domain/feeds/states.ts'
import {
  count,
  formatDate,
  formatNumber,
  niceAbove,
  roundedDollars,
  wholeDollars,
} from '../../domain/format.ts'
import type { ItemPrices } from '../../site/salePrices.ts'
import { barChart } from '../kit/drawings.ts'
import { date } from '../kit/format.ts'
import { html, section } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState } from '../kit/site.ts'
import { table } from '../kit/table.ts'
import { lotCards } from '../lots/cards.ts'
import { answerOf, basisNote, type PriceSite, pageData } from './parts.ts'

type Spread = NonNullable<ItemPrices['sold']>
type Deal = Spread['deals'][number]

/** The factors of a scale whose half is a round number too. */
const SCALE = [1, 2, 3, 4, 5, 6, 8, 10]
/** A chart of fewer months or years shows no trend. */
const LEAST_BARS = 3

/**
 * What one item, or one model year of it, sells for, and where it is for sale
 * now.
 */
export function itemPage(
  { item, year, live, values, sold, soldCount }: ItemPrices,
  site: PriceSite,
): Page {
  const title = titleOf(item.name, year)
  const path = `/prices/${item.slug}`
  const trail: [string, string][] = [
    ['Prices', '/prices'],
    [item.name, path],
  ]
  if (year !== null) trail.push([String(year), `${path}/${year}`])
  const answer = answerOf(sold, soldCount)
  const words = [year, item.name.split(/ ?[/(,&]/)[0]].filter(Boolean).join(' ')
  const query = `q=${encodeURIComponent(words)}`
  return {
    title,
    content: html`<p class="trail"><a href="/prices">Prices</a> › ${year === null ? item.name : html`<a href="${path}">${item.name}</a> › ${year}`}</p>
<p class="lead">${answer}</p>
${sold && histogram(sold)}
<section aria-labelledby="live">
<h2 id="live">${live.total === 0 ? 'None live now' : `${count(live.total, 'live lot')} now`}</h2>
${live.total > 0 && lotCards(live.data, values, site.now)}
<p>${live.total > live.data.length && html`<a href="/search?${query}">Search all lots for “${words}”</a>. `}<a href="/account/alerts/new?${query}" rel="nofollow">Alert me about new ones</a>.</p>
</section>
${sold && html`${year === null && yearsOf(sold, path)}${dealsOf(sold)}${monthsOf(sold)}${statesOf(sold)}${basisNote(sold)}`}`,
    ...pageData(site, {
      title,
      description: `${answer} ${count(live.total, 'lot')} live now.`,
      trail,
      sold,
      isEmpty: !sold && live.total === 0,
    }),
  }
}

/**
 * As people ask, where the name is one thing; else in words that fit all names.
 */
function titleOf(name: string, year: number | null) {
  const isOneThing = /^[\w -]+$/.test(name) && !/(s|equipment|gear)$/.test(name)
  const article = year === null && /^([aeio]|ul)/i.test(name) ? 'an' : 'a'
  const ofYear = year === null ? '' : `${year} `
  const written = /^[A-Z][a-z -]+$/.test(name) ? name.toLowerCase() : name
  return isOneThing
    ? `What does ${article} ${ofYear}${written} sell for at government auctions?`
    : `${ofYear}${name}: prices at government auctions`
}

function histogram({ edges, bins, median_cents, count: sales }: Spread) {
  const counts = new Map(bins.map(each => [each.bin, each.sales]))
  const amounts = edges.map(wholeDollars)
  const bars = [undefined, ...amounts].map((from, n) => {
    const until = amounts[n]
    const height = counts.get(n) ?? 0
    const above = until ? `${from} to ${until}` : `${from} or more`
    const range = from ? above : `under ${until}`
    return {
      label: from ?? '',
      height,
      words: `${count(height, 'sale')}, ${range}`,
    }
  })
  const most = niceAbove(Math.max(10, ...bins.map(each => each.sales)), SCALE)
  const ends = `First bar: under ${amounts[0]}. Last bar: ${amounts.at(-1)} and up.`
  const words = `${count(sales, 'sale')} by price; the median is about ${roundedDollars(median_cents)}. ${ends}`
  return section(
    'spread',
    'Number of sales by price',
    barChart('spread-words', bars, { most, written: formatNumber }, words),
  )
}

/**
 * The numbers stand in the caption too, for readers who do not see the drawing.
 */
function monthsOf({ months, medianName }: Spread) {
  const bars = months.map(({ month, median_cents, sales }) =>
    medianBar(monthName(month), median_cents, sales),
  )
  const chart = medianChart(
    'month-words',
    bars,
    bars.map(({ words }) => words).join(' · '),
  )
  return chart && section('months', `${medianName} by month`, chart)
}

function yearsOf({ years, medianName }: Spread, path: string) {
  const [newest, oldest] = [years[0]?.year, years.at(-1)?.year]
  if (newest === undefined || oldest === undefined) return null
  const bars = Array.from({ length: newest - oldest + 1 }, (_, n) => {
    const found = years.find(({ year }) => year === oldest + n)
    return medianBar(
      String(oldest + n),
      found?.median_cents ?? null,
      found?.sold_count,
    )
  })
  return section('years', `${medianName} by model year`, [
    medianChart(
      'year-words',
      bars,
      'The median of each model year; the table has the numbers.',
    ) ?? html``,
    table(
      [
        [
          'Model year',
          ({ year }) => html`<a href="${path}/${year}">${year}</a>`,
        ],
        ['Sales', ({ sold_count }) => sold_count, 'number'],
        [
          medianName,
          ({ median_cents }) => roundedDollars(median_cents),
          'number',
        ],
      ],
      years,
      { caption: 'The model years with at least five sales' },
    ),
  ])
}

/** @param sales absent where they are too few to be counted. */
function medianBar(label: string, median_cents: number | null, sales?: number) {
  const price =
    median_cents === null ? 'too few sales' : roundedDollars(median_cents)
  const basis = sales ? ` (${count(sales, 'sale')})` : ''
  return { label, height: median_cents, words: `${label}: ${price}${basis}` }
}

/** Null for too few bars to compare. */
function medianChart(
  id: string,
  bars: ReturnType<typeof medianBar>[],
  caption: string,
) {
  const medians = bars.flatMap(({ height }) => height ?? [])
  if (medians.length < LEAST_BARS) return null
  return barChart(
    id,
    bars,
    { most: niceAbove(Math.max(...medians), SCALE), written: roundedDollars },
    caption,
  )
}

function statesOf({ states, medianName }: Spread) {
  if (states.length === 0) return null
  const shown = table(
    [
      [
        'State',
        ({ state }) =>
          html`<a href="/lots/${pathOfState(state)}">${nameOfState(state)}</a>`,
      ],
      ['Sales', ({ sales }) => sales, 'number'],
      [
        medianName,
        ({ median_cents }) => roundedDollars(median_cents),
        'number',
      ],
    ],
    states,
    { caption: 'The states with the most sales, at least five' },
  )
  return section('states', `${medianName} by state`, shown)
}

function dealsOf({ deals }: Spread) {
  if (deals.length === 0) return null
  const lot = ({ title, slug, state, sold_at }: Deal) =>
    html`<a href="/listings/${slug}">${title}</a><br><span class="quiet">${state && `${state}, `}${date(sold_at)}</span>`
  const price = ({ price_cents, belowPercent }: Deal) =>
    html`${roundedDollars(price_cents)}<br><span class="quiet">${belowPercent}% below its estimate</span>`
  const caption =
    'The latest sales below the band in which half of such lots close. Their condition may explain the price.'
  const shown = table(
    [
      ['Lot', lot],
      ['Sold for about', price, 'number'],
    ],
    deals,
    { caption },
  )
  return section('good-buys', 'Recent good buys', shown)
}

/** @param month as 2026-11. */
function monthName(month: string) {
  return formatDate(`${month}-01T00:00:00Z`, {
    month: 'short',
    year: 'numeric',
  })
}
