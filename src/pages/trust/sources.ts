import labels from '../../../data/labels.json' with { type: 'json' }
import { formatNumber, formatPercent, span } from '../../domain/format.ts'
import type { SourceShown } from '../../usecases/site/showSources.ts'
import { moment } from '../kit/format.ts'
import { type Html, html, outwardLink } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'

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
<table><thead><tr><th>Source</th><th>Live lots</th><th>Last good fetch</th><th>Changes every</th><th>Next fetch</th><th>Requests in 24 h</th><th>Data in 24 h</th></tr></thead><tbody>
${fetched.map(fetchedRow)}</tbody></table>
<h2>Loaded from files</h2>
<p>These have no feed that a program may read without permission. Their lots come from files of an operator who is licensed to use them.</p>
<table><thead><tr><th>Source</th><th>Live lots</th><th>Last load</th></tr></thead><tbody>
${others.map(
  ({ name, live_count, last_success_at }) =>
    html`<tr><td>${name}</td><td>${formatNumber(live_count)}</td><td>${last_success_at ? moment(last_success_at) : 'never'}</td></tr>
`,
)}</tbody></table>
<h2>Terms and coverage</h2>
<p>Bids are made on the official page, under the terms of the source; many add a buyer’s premium to the bid. The last three columns say how many of its live lots have a photo, a ZIP code and a time of their end.</p>
<table><thead><tr><th>Source</th><th>How it may be read</th><th class="number">Premium</th><th class="number">Photo</th><th class="number">ZIP</th><th class="number">End</th></tr></thead><tbody>
${sources.map(coverageRow)}</tbody></table>
<p><a href="/status">Is the data current?</a></p>`,
    description:
      'Every source with its live lots, its last good fetch, its terms and coverage, and what fetching it costs.',
    canonical: `${publicUrl}/sources`,
  }
}

function fetchedRow({ name, live_count, last_success_at, traffic }: Fetched): Html {
  const { rhythm_seconds, next_due_at, budget_free_at, calls, most_calls, bytes, most_bytes } = traffic
  const rhythm = rhythm_seconds === null ? 'not known yet' : span(rhythm_seconds * 1000)
  const due = next_due_at ? moment(next_due_at) : html`not planned`
  const next = budget_free_at ? html`${due} (the budget is used up)` : due
  return html`<tr><td>${name}</td><td>${formatNumber(live_count)}</td><td>${last_success_at ? moment(last_success_at) : 'never'}</td><td>${rhythm}</td><td>${next}</td><td>${outOf(formatNumber(calls), most_calls === null ? null : formatNumber(most_calls))}</td><td>${outOf(megabytes(bytes), most_bytes === null ? null : megabytes(most_bytes))}</td></tr>
`
}

function coverageRow(source: SourceShown): Html {
  const { name, homepage, access, premium_percent, photo_percent, zip_percent, end_percent } = source
  const premium = premium_percent === null ? 'unknown' : formatPercent(premium_percent)
  return html`<tr><td>${outwardLink(homepage ?? '', name)}</td><td>${TERMS[access] ?? access}</td><td class="number">${premium}</td><td class="number">${formatPercent(photo_percent)}</td><td class="number">${formatPercent(zip_percent)}</td><td class="number">${formatPercent(end_percent)}</td></tr>
`
}

function outOf(used: string, most: string | null): string {
  return most === null ? used : `${used} of ${most}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
}
