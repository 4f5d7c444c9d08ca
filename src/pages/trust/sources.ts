import labels from '../../../data/labels.json' with { type: 'json' }
import { count, formatPercent, span } from '../../domain/format.ts'
import { photosRefused } from '../../domain/photos.ts'
import type { SourceShown } from '../../usecases/site/serviceStatus.ts'
import { moment } from '../kit/format.ts'
import { html, outwardLink } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'

/** What the `access` of a source means; it is an open list. */
const TERMS: Record<string, string> = labels.access

type Fetched = SourceShown & { sweep: NonNullable<SourceShown['sweep']> }

/** Where the lots come from, and how fresh they are. */
export function sourcesPage(sources: SourceShown[]): Page {
  const fetched = sources.filter((source): source is Fetched => source.sweep !== null)
  const off = sources.filter(({ isOff }) => isOff)
  const others = sources.filter(({ sweep, isOff }) => sweep === null && !isOff)
  return {
    title: 'Sources',
    content: html`<p class="lead">Where the lots come from, how fresh they are, and how often each source is fetched. ${count(sources.length, 'source')} are tracked, ${fetched.length || 'none'} are fetched.</p>
${
  fetched.length > 0 &&
  html`<h2>Fetched by this service</h2>
<p>${labels.notes.fetched}</p>
${fetchedTable(fetched)}`
}
${
  off.length > 0 &&
  html`<h2>Not fetched yet</h2>
<p>${labels.notes.not_fetched}</p>
${loaded(off)}`
}
<h2>Loaded from files</h2>
<p>${labels.notes.files_only}</p>
${loaded(others)}
<h2>Terms and coverage</h2>
<p>${labels.notes.terms_and_coverage}</p>
${coverageTable(sources)}
<p><a href="/status">Is the data current?</a></p>`,
    description: 'Every source with its live lots, its last good fetch, its terms and its coverage.',
    canonical: '/sources',
  }
}

const NAME: Column<SourceShown> = ['Source', ({ name }) => name]
const LIVE_LOTS: Column<SourceShown> = ['Live lots', ({ live_count }) => live_count, 'number']

function lastSuccess({ last_success_at, sweep }: SourceShown) {
  return html`${last_success_at ? moment(last_success_at) : 'never'}${sweep?.fault && html` <small>Last try: ${sweep.fault}</small>`}`
}

/** A table of the sources that were loaded, and the names of the others. */
function loaded(sources: SourceShown[]) {
  const some = sources.filter(({ last_success_at }) => last_success_at !== null)
  const never = sources.filter(source => !some.includes(source)).map(({ name }) => name)
  return html`${some.length > 0 && table([NAME, LIVE_LOTS, ['Last load', lastSuccess]], some)}
${never.length > 0 && html`<p>Never loaded here: ${never.join(', ')}.</p>`}`
}

function fetchedTable(sources: Fetched[]) {
  return table(
    [
      ['Source', ({ name, sweep: { beside } }) => (beside ? `${name} (also ${beside})` : name)],
      LIVE_LOTS,
      ['Last updated', lastSuccess],
      [
        'Updated every',
        ({ sweep: { interval_seconds: every } }) => (every ? span(every * 1000) : 'not planned'),
      ],
      ['Next fetch', ({ sweep: { next_due_at: due } }) => (due ? moment(due) : 'not planned')],
    ],
    sources,
  )
}

function coverageTable(sources: SourceShown[]) {
  const premium = ({ premium_percent }: SourceShown) =>
    premium_percent === null ? 'unknown' : formatPercent(premium_percent)
  return table(
    [
      ['Source', ({ homepage, name }) => outwardLink(homepage ?? '', name)],
      ['How it may be read', ({ access }) => TERMS[access] ?? access],
      ['Premium', premium, 'number'],
      ['Photo', source => photosRefused(source) ?? formatPercent(source.photo_percent), 'number'],
      ['ZIP', ({ zip_percent }) => formatPercent(zip_percent), 'number'],
      ['End', ({ end_percent }) => formatPercent(end_percent), 'number'],
    ],
    sources,
  )
}
