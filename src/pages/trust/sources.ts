import labels from '../../../data/labels.json' with { type: 'json' }
import { count, formatDate, formatPercent, span } from '../../domain/format.ts'
import { photosRefused } from '../../domain/photos.ts'
import { changeInWords } from '../../domain/publisherChange.ts'
import type { SourceShown } from '../../usecases/site/serviceStatus.ts'
import { moment } from '../kit/format.ts'
import { html, outwardLink } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'

/** What the `access` of a source means; it is an open list. */
const TERMS: Record<string, string> = labels.access

/** Where the lots come from, and how fresh they are. */
export function sourcesPage(sources: SourceShown[], now: Date): Page {
  const fetched = sources.filter(({ sweep }) => sweep !== null)
  const off = sources.filter(({ isOff }) => isOff)
  const others = sources.filter(({ sweep, isOff }) => sweep === null && !isOff)
  return {
    title: 'Sources',
    content: html`<p class="lead">Where the lots come from, how fresh they are, and how often each source is fetched. ${count(sources.length, 'source')} are tracked, ${fetched.length || 'none'} are fetched.</p>
${
  fetched.length > 0 &&
  html`<h2>Fetched by this service</h2>
<p>${labels.notes.fetched}</p>
${freshnessTable(fetched, now)}`
}
${
  off.length > 0 &&
  html`<h2>Not fetched yet</h2>
<p>${labels.notes.not_fetched}</p>
${freshnessTable(off, now)}`
}
<h2>Loaded from files</h2>
<p>${labels.notes.files_only}</p>
${freshnessTable(others, now)}
<h2>Terms and coverage</h2>
<p>${labels.notes.terms_and_coverage}</p>
${coverageTable(sources)}
<p><a href="/status">Is the data current?</a></p>`,
    description:
      'Every source with its live lots, when it was last seen and last changed, its terms and its coverage.',
    canonical: '/sources',
  }
}

/** One row a source. */
function freshnessTable(sources: SourceShown[], now: Date) {
  const columns: Column<SourceShown>[] = [
    ['Source', ({ name, sweep }) => (sweep?.beside ? `${name} (also ${sweep.beside})` : name)],
    ['Live lots', ({ live_count }) => live_count, 'number'],
    ['Last seen', ({ last_success_at: at }) => (at ? moment(at) : 'never')],
    ['The publisher changed it last on', source => publisherChangeOf(source, now)],
    ['Read every', ({ sweep }) => (sweep?.interval_seconds ? span(sweep.interval_seconds * 1000) : null)],
    ['Next fetch', ({ sweep }) => (sweep?.next_due_at ? moment(sweep.next_due_at) : null)],
    ['Held back', heldBack],
  ]
  return table(columns, sources)
}

function publisherChangeOf({ publisher_changed_at: at }: SourceShown, now: Date) {
  const isOld = changeInWords(at, now)?.isOld
  return (
    at && html`${formatDate(at)}${isOld && html` <small>Over 90 days ago: it may be out of date.</small>`}`
  )
}

/** What is not taken from a source, and why. */
function heldBack(source: SourceShown) {
  const { sweep, isOff, rows_set_aside: rows } = source
  const photos = photosRefused(source)
  const reasons = [
    isOff && 'Everything: its operator has not turned it on.',
    sweep?.fault && `Last try: ${sweep.fault}`,
    rows && `${count(rows, 'row')} could not be read.`,
    photos && `Photos: ${photos}.`,
  ]
  return reasons.filter(Boolean).join(' ') || null
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
