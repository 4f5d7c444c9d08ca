import type { Operation } from '../contract/document.ts'
import type { ErrorCode } from '../contract/types.ts'
import { ERRORS } from '../domain/errors.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

export function homePage(publicUrl: string): string {
  return layout(
    'Government Surplus Auction Data API',
    html`<p>Live US government surplus auction lots, what comparable lots sold for, and a deal score from 0 to 100, as a read-only JSON API.</p>
<pre>curl -H "Authorization: Bearer &lt;API_KEY&gt;" "${publicUrl}/api/v1/listings?category=vehicles&amp;state=TX"</pre>
<p><a href="/docs">How to call it</a> · <a href="/openapi.yaml">OpenAPI 3.1 description</a> · <a href="/pricing">Plans</a></p>`,
  )
}

export function docsPage(publicUrl: string): string {
  return layout(
    'Documentation',
    html`<p>The service is described by its contract: <a href="/openapi.yaml">openapi.yaml</a> (OpenAPI 3.1), the same as <a href="/openapi.json">JSON</a>,
and a derived <a href="/openapi-3.0.json">3.0.3 version</a> for older generators.</p>
<p>Send your key with every call:</p>
<pre>curl -H "Authorization: Bearer &lt;API_KEY&gt;" "${publicUrl}/api/v1/listings?q=forklift&amp;sort=best_deals"</pre>
<p>See also: <a href="/docs/errors">errors</a>, <a href="/docs/versioning">versioning and deprecation</a>, <a href="/pricing">plans and limits</a>, <a href="/terms">terms of use</a>.</p>`,
  )
}

/** One anchor per code, from the table that the service answers with. */
export function errorsPage(): string {
  const sections = (Object.keys(ERRORS) as ErrorCode[]).map(code => {
    const { status, condition, remedy } = ERRORS[code]
    return html`<section id="${code}"><h2><code>${code}</code> (${status})</h2><p>${condition}</p><p>${remedy}</p></section>
`
  })
  return layout(
    'Errors',
    html`<p>Every error is JSON: <code>error</code> (a sentence for people), <code>code</code> (branch on this), <code>docs</code> (the address of its section here), and
<code>upgrade</code> where a higher plan would have let the call through. Keys and plans are on <a href="/account">your account</a>.</p>
${sections}`,
  )
}

/** The policy, and the announced dates of every deprecated operation, as the contract states them. */
export function versioningPage(operations: Operation[]): string {
  const rows = operations.flatMap(({ method, path, deprecation }) =>
    deprecation
      ? html`<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${day(deprecation.deprecatedAt)}</td><td>${day(deprecation.sunsetAt)}</td></tr>
`
      : [],
  )
  return layout(
    'Versioning and deprecation',
    html`<p>The version is in the path: <code>/api/v1</code>. It only grows: new fields, new values of open strings. A breaking change gets <code>/api/v2</code>.</p>
<p>A deprecated operation answers with <code>Deprecation</code> (RFC 9745, since when) and <code>Sunset</code> (RFC 8594, until when), at least 180 days apart, and is announced here before.</p>
${rows.length === 0 ? html`<p>No operation is deprecated.</p>` : html`<table><thead><tr><th>Operation</th><th>Deprecated</th><th>Stops answering</th></tr></thead><tbody>${rows}</tbody></table>`}`,
  )
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}

export function termsPage(): string {
  return layout(
    'Terms of use',
    html`<ol>
<li>Wherever a listing is displayed, link back to it with its <code>bidprowl_url</code> or <code>source_url</code>.</li>
<li>Do not redistribute the dataset wholesale, and do not rebuild a competing index from it.</li>
<li>Aggregate research data is free to use and to cite under <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</li>
</ol>
<p>Credits: closed federal lots from GovAuctions (https://govauctions.app, CC BY 4.0) where they are loaded; ZIP code places from the US Census Bureau and from GeoNames (CC BY 4.0).</p>`,
  )
}
