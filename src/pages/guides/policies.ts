import type { Operation } from '../../contract/document.ts'
import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

export function termsPage(publicUrl: string): string {
  return guidePage(
    '/terms',
    html`<ol>
<li>Wherever a listing is displayed, link back to it with its <code>bidprowl_url</code> or <code>source_url</code>.</li>
<li>Do not redistribute the dataset wholesale, and do not rebuild a competing index from it.</li>
<li>Aggregate research data is free to use and to cite under <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</li>
</ol>
<p>These rules apply to the API, its exports, the agent tools, the feeds and the pages. The service takes no bids: bidding happens at the official source, under its terms.</p>
<h2 id="credits">Credits</h2>
<p>Closed federal lots from <a href="https://govauctions.app">GovAuctions</a> (CC BY 4.0) where they are loaded; ZIP code places from the US Census Bureau and from
<a href="https://www.geonames.org">GeoNames</a> (CC BY 4.0). The API reference is rendered by <a href="https://github.com/scalar/scalar">Scalar</a> (MIT).</p>`,
    publicUrl,
  )
}

/** The policy that security.txt links to; SECURITY.md is the same for the source code. */
export function securityPage(contact: string, publicUrl: string): string {
  return guidePage(
    '/docs/security',
    html`<p>Write to <a href="mailto:${contact}">${contact}</a>; do not open a public issue. Programs find the same address in <a href="/.well-known/security.txt">security.txt</a>.</p>
<h2 id="tell">What to send</h2>
<ul>
<li>the request that shows the problem, with the <code>X-Request-Id</code> of its answer, and never a key that is not yours;</li>
<li>what an attacker could do with it.</li>
</ul>
<h2 id="answer">What happens next</h2>
<p>You get an answer within three working days, and a fix as soon as there is one. We name you as the finder if you wish. If a key has leaked, revoke it on the <a href="/account">account page</a>: it stops working at once.</p>
<h2 id="rules">Rules</h2>
<p>Use your own account and keys, stay within its limits, and stop at the first proof: do not access other people’s data, run load tests, or send mail to others. We take no legal action against research that follows these rules.</p>`,
    publicUrl,
  )
}

/** The versioning policy, and the dates of every deprecated operation, from the contract. */
export function versioningPage(operations: Operation[], publicUrl: string): string {
  const rows = operations.flatMap(({ method, path, deprecation }) =>
    deprecation
      ? html`<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${day(deprecation.deprecatedAt)}</td><td>${day(deprecation.sunsetAt)}</td></tr>
`
      : [],
  )
  return guidePage(
    '/docs/versioning',
    html`<p>The version is in the path: <code>/api/v1</code>. Within a version the API only grows: new fields, new values of open strings. A breaking change gets <code>/api/v2</code>.</p>
<h2 id="growth">What your client must accept</h2>
<ul>
<li>fields that it does not know: ignore them;</li>
<li>new values of <code>status</code>, <code>source</code> and <code>condition_grade</code>, and new names of Flip Score factors;</li>
<li>changed wording of <code>error</code>: branch on <code>code</code>.</li>
</ul>
<h2 id="deprecation">Deprecation</h2>
<p>A deprecated operation answers with <code>Deprecation</code> (RFC 9745: since when) and <code>Sunset</code> (RFC 8594: until when), at least 180 days apart. It is announced on this page first.</p>
${rows.length === 0 ? html`<p>No operation is deprecated.</p>` : html`<table><thead><tr><th scope="col">Operation</th><th scope="col">Deprecated</th><th scope="col">Stops answering</th></tr></thead><tbody>${rows}</tbody></table>`}`,
    publicUrl,
  )
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
