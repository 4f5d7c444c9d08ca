import labels from '../../../data/labels.json' with { type: 'json' }
import { changeInWords } from '../../domain/feeds/publisherChange.ts'
import { count, formatDate, formatPercent } from '../../domain/format.ts'
import { photosRefused } from '../../domain/photos.ts'
import type { SourceShown } from '../../site/serviceStatus.ts'
import { moment } from '../kit/format.ts'
import { type Html, html, outwardLink } from '../kit/html.ts'
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
    content: html`<p class="lead">Where the lots come from, and how fresh they are. ${count(sources.length, 'source')} are tracked, ${fetched.length || 'none'} are fetched.</p>
${
  fetched.length > 0 &&
  html`<h2>Fetched by this service</h2>
<p>${labels.notes.fetched}</p>
${sourcesTable(fetched, now)}`
}
${
  off.length > 0 &&
  html`<h2>Not fetched yet</h2>
<p>${labels.notes.not_fetched}</p>
${sourcesTable(off, now)}`
}
<h2>Loaded from files</h2>
<p>${labels.notes.files_only}</p>
${sourcesTable(others, now)}
<p>${labels.notes.terms}</p>
<p><a href="/status">Is the data current?</a></p>`,
    description:
      'Every source with its live lots, when it was last seen and last changed, and its terms.',
    canonical: '/sources',
  }
}

/**
 * One row a source; when each is fetched and what could not be read is shown to
 * its operator alone.
 */
function sourcesTable(sources: SourceShown[], now: Date): Html {
  const columns: Column<SourceShown>[] = [
    ['Source', ({ homepage, name }) => outwardLink(homepage ?? '', name)],
    ['Live lots', ({ live_count }) => live_count, 'number'],
    ['Last seen', ({ last_success_at: at }) => (at ? moment(at) : 'never')],
    [
      'The publisher changed it last on',
      source => publisherChangeOf(source, now),
    ],
    ['How it may be read', ({ access }) => TERMS[access] ?? access],
    [
      'Premium',
      ({ premium_percent: percent }) =>
        percent === null ? 'unknown' : formatPercent(percent),
      'number',
    ],
    ['Note', source => photosRefused(source) && labels.notes.no_photos],
  ]
  return table(columns, sources)
}

function publisherChangeOf(
  { publisher_changed_at: at }: SourceShown,
  now: Date,
) {
  const isOld = changeInWords(at, now)?.isOld
  return (
    at &&
    html`${formatDate(at)}${isOld && html` <small>Over 90 days ago: it may be out of date.</small>`}`
  )
}
