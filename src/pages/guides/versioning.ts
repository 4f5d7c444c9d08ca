import type { Operation } from '../../contract/document.ts'
import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** The policy, and the announced dates of every deprecated operation, as the contract states them. */
export function versioningPage(operations: Operation[], publicUrl: string): string {
  const rows = operations.flatMap(({ method, path, deprecation }) =>
    deprecation
      ? html`<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${day(deprecation.deprecatedAt)}</td><td>${day(deprecation.sunsetAt)}</td></tr>
`
      : [],
  )
  return guidePage(
    '/docs/versioning',
    html`<p>The version is in the path: <code>/api/v1</code>. It only grows: new fields, new values of open strings. A breaking change gets <code>/api/v2</code>.</p>
<h2 id="growth">Be ready for</h2>
<ul>
<li>fields that you do not know yet: ignore them;</li>
<li>new values of <code>status</code>, <code>source</code> and <code>condition_grade</code>, and new names of Flip Score factors;</li>
<li>words of <code>error</code> that change: branch on <code>code</code>.</li>
</ul>
<h2 id="deprecation">Deprecation</h2>
<p>A deprecated operation answers with <code>Deprecation</code> (RFC 9745, since when) and <code>Sunset</code> (RFC 8594, until when), at least 180 days apart, and is announced here before.</p>
${rows.length === 0 ? html`<p>No operation is deprecated.</p>` : html`<table><thead><tr><th scope="col">Operation</th><th scope="col">Deprecated</th><th scope="col">Stops answering</th></tr></thead><tbody>${rows}</tbody></table>`}`,
    publicUrl,
  )
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
