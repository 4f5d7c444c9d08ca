import labels from '../../../data/labels.json' with { type: 'json' }
import { formatNumber, formatPercent, span } from '../../domain/format.ts'
import type { SourceShown } from '../../usecases/site/serviceStatus.ts'
import { moment } from '../kit/format.ts'
import { type Html, html, outwardLink } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'

/** What the `access` of a source means; it is an open list. */
const TERMS: Record<string, string> = labels.access

type Fetched = SourceShown & { traffic: NonNullable<SourceShown['traffic']> }

/** Where the lots come from, how fresh they are, and what fetching them costs the sources. */
export function sourcesPage(publicUrl: string, sources: SourceShown[]): Page {
  const fetched = sources.filter((source): source is Fetched => source.traffic !== null)
  const others = sources.filter(({ traffic }) => traffic === null)
  return {
    title: 'Sources',
    content: html`<p class="lead">Where the lots come from, how fresh they are, and how often each source is asked.</p>
<h2>Fetched by this service</h2>
<p>A source is asked only for what is new, in the rhythm in which it was seen to change, and within a budget: at most a fifth of the calls
that its key permits, and a number of bytes, in any 24 hours.</p>
${fetchedTable(fetched)}
<h2>Loaded from files</h2>
<p>These have no feed that a program may read without permission. Their lots come from files of an operator who is licensed to use them.</p>
${table<SourceShown>([NAME, LIVE_LOTS, ['Last load', lastSuccess]], others)}
<h2>Terms and coverage</h2>
<p>Bids are made on the official page, under the terms of the source; many add a buyer’s premium to the bid. The last three columns say how many of its live lots have a photo, a ZIP code and a time of their end.</p>
${coverageTable(sources)}
<p><a href="/status">Is the data current?</a></p>`,
    description:
      'Every source with its live lots, its last good fetch, its terms and coverage, and what fetching it costs.',
    canonical: `${publicUrl}/sources`,
  }
}

const NAME: Column<SourceShown> = ['Source', ({ name }) => name]
const LIVE_LOTS: Column<SourceShown> = ['Live lots', ({ live_count }) => live_count, 'number']

function lastSuccess({ last_success_at }: SourceShown): Html | string {
  return last_success_at ? moment(last_success_at) : 'never'
}

function fetchedTable(sources: Fetched[]): Html {
  const rhythm = ({ traffic: { rhythm_seconds } }: Fetched) =>
    rhythm_seconds === null ? 'not known yet' : span(rhythm_seconds * 1000)
  return table<Fetched>(
    [
      NAME,
      LIVE_LOTS,
      ['Last good fetch', lastSuccess],
      ['Changes every', rhythm],
      ['Next fetch', nextFetch],
      ['Requests in 24 h', ({ traffic: { calls, most_calls } }) => outOf(calls, most_calls, formatNumber)],
      ['Data in 24 h', ({ traffic: { bytes, most_bytes } }) => outOf(bytes, most_bytes, megabytes)],
    ],
    sources,
  )
}

function nextFetch({ traffic: { next_due_at, budget_free_at } }: Fetched): Html {
  const due = next_due_at ? moment(next_due_at) : html`not planned`
  return budget_free_at ? html`${due} (the budget is used up)` : due
}

function coverageTable(sources: SourceShown[]): Html {
  const premium = ({ premium_percent }: SourceShown) =>
    premium_percent === null ? 'unknown' : formatPercent(premium_percent)
  return table<SourceShown>(
    [
      ['Source', ({ homepage, name }) => outwardLink(homepage ?? '', name)],
      ['How it may be read', ({ access }) => TERMS[access] ?? access],
      ['Premium', premium, 'number'],
      ['Photo', ({ photo_percent }) => formatPercent(photo_percent), 'number'],
      ['ZIP', ({ zip_percent }) => formatPercent(zip_percent), 'number'],
      ['End', ({ end_percent }) => formatPercent(end_percent), 'number'],
    ],
    sources,
  )
}

function outOf(used: number, most: number | null, written: (value: number) => string): string {
  return most === null ? written(used) : `${written(used)} of ${written(most)}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
}
