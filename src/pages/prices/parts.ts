import labels from '../../../data/labels.json' with { type: 'json' }
import { STATE_NAMES } from '../../domain/feeds/states.ts'
import { count, roundedDollars } from '../../domain/format.ts'
import type { Sold } from '../../site/salePrices.ts'
import { date } from '../kit/format.ts'
import { type Html, html, structuredData } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState } from '../kit/site.ts'

/** What every page of prices needs to know. */
export interface PriceSite {
  publicUrl: string
  now: Date
  isDemo: boolean
}

interface PageFacts {
  title: string
  description: string
  /** The pages above this one and the page itself. */
  trail: [name: string, path: string][]
  sold: Sold | null
  /** Whether there is nothing on it to find. */
  isEmpty: boolean
}

/**
 * The code of each state and territory by its name in an address, such as
 * new-york.
 */
export const STATES_BY_PATH = new Map(
  [...STATE_NAMES].map(([code]) => [pathOfState(code), code]),
)

/**
 * What the sales of 365 days say, in one sentence.
 * @param sold null where they are too few.
 */
export function answerOf(sold: Sold | null, soldCount: number) {
  if (!sold) {
    const few =
      soldCount === 0 ? 'No sale is known' : `Only ${count(soldCount, 'sale')}`
    return `${few} from the last 365 days: too few to name a price.`
  }
  const {
    count: sales,
    isReal,
    pieces,
    median_cents,
    p25_cents,
    p75_cents,
  } = sold
  const single =
    pieces && pieces.count < sales
      ? ` Single items: about ${roundedDollars(pieces.median_cents)} (${count(pieces.count, 'sale')}).`
      : ''
  const half = isReal
    ? 'half of them sold for'
    : 'half of them were last seen at'
  return `The ${isReal ? 'median' : 'median last bid seen'} of ${count(sales, 'sale')} in the last 365 days is about ${roundedDollars(median_cents)}; ${half} ${roundedDollars(p25_cents)} to ${roundedDollars(p75_cents)}.${single}`
}

/** Where the amounts come from, and how exact they are. */
export function basisNote({ isReal, window_start, window_end }: Sold): Html {
  return html`<p class="quiet">Sales from ${date(window_start)} to ${date(window_end)}. ${isReal ? labels.notes.real_prices : labels.notes.seen_prices}
<a href="/docs/flip-score">How values are calculated</a>. <a href="/pricing">Exact numbers from the API</a>.</p>`
}

/**
 * The options of a page, with structured data for search engines: its place in
 * the site, and its statistics as a data set. No offer: an average is not for
 * sale. What does not exist, or says nothing, is not listed.
 */
export function pageData(
  { publicUrl, isDemo }: PriceSite,
  { title, description, trail, sold, isEmpty }: PageFacts,
): Omit<Page, 'title' | 'content'> {
  const [, canonical] = trail.at(-1)!
  const breadcrumbs = {
    '@type': 'BreadcrumbList',
    itemListElement: trail.map(([name, path], n) => {
      return {
        '@type': 'ListItem',
        position: n + 1,
        name,
        item: publicUrl + path,
      }
    }),
  }
  const dataset = sold && {
    '@type': 'Dataset',
    name: title,
    description,
    url: publicUrl + canonical,
    temporalCoverage: `${sold.window_start}/${sold.window_end}`,
    spatialCoverage: 'United States',
    variableMeasured: [
      {
        '@type': 'PropertyValue',
        name: sold.medianName,
        value: sold.median_cents / 100,
        unitText: 'USD',
      },
      { '@type': 'PropertyValue', name: 'Sales', value: sold.count },
    ],
  }
  const graph = {
    '@context': 'https://schema.org',
    '@graph': [breadcrumbs, ...(dataset ? [dataset] : [])],
  }
  return {
    description,
    canonical,
    unlisted: isDemo || isEmpty,
    head: isDemo || isEmpty ? undefined : structuredData(graph),
  }
}
