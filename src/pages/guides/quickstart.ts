import { PLANS } from '../../contract/plans.ts'
import { formatNumber } from '../../domain/format.ts'
import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** From no key to the second page of a search. */
export function quickstartPage(publicUrl: string): string {
  const { calls_per_month, calls_per_minute } = PLANS.free
  return guidePage(
    '/docs/quickstart',
    html`<ol class="steps">
<li><h2 id="key">Get a key</h2>
<p>Create one on <a href="/account">your account page</a>. A key is <code>bp_live_</code> followed by 36 letters and digits. A free key needs no card and makes ${formatNumber(calls_per_month)} calls a month, ${calls_per_minute} a minute.</p>
<pre><code>export SURPLUS_KEY=bp_live_…</code></pre></li>
<li><h2 id="call">Make the first call</h2>
<p>Search for trucks in Texas, those that end soonest first:</p>
<h3>curl</h3>
<pre><code>curl -H "Authorization: Bearer $SURPLUS_KEY" \\
  "${publicUrl}/api/v1/listings?q=truck&amp;state=TX"</code></pre>
<h3>TypeScript</h3>
<p>Node 20, Deno, Bun or a browser; nothing to install.</p>
<pre><code>${TYPESCRIPT(publicUrl)}</code></pre>
<h3>Python</h3>
<p>Python 3, standard library only.</p>
<pre><code>${PYTHON(publicUrl)}</code></pre></li>
<li><h2 id="read">Read the response</h2>
<p>Amounts are US cents, times are UTC, unknown values are <code>null</code>. <code>bidprowl_url</code> is the page of the lot on this site; <code>source_url</code> is the official page,
where bidding happens. <a href="/terms">Link to either</a> wherever you show a lot. <code>total</code> is exact; request <code>page=2</code>, or follow
<code>rel="next"</code> in the <code>Link</code> header.</p></li>
<li><h2 id="on">Next steps</h2>
<ul>
<li><a href="/docs/reference">Try every operation</a> in the browser.</li>
<li>Generate a client: <code>npx openapi-typescript ${publicUrl}/openapi.json -o surplus.ts</code></li>
<li>Learn <a href="/docs/authentication">which calls count</a> and what the <a href="/docs/errors">errors</a> mean.</li>
</ul></li>
</ol>`,
    publicUrl,
  )
}

const TYPESCRIPT = (
  publicUrl: string,
) => `const response = await fetch('${publicUrl}/api/v1/listings?q=truck&state=TX', {
  headers: { Authorization: \`Bearer \${process.env.SURPLUS_KEY}\` },
})
const body = await response.json()
if (!response.ok) throw new Error(\`\${body.code}: \${body.error}\`)
for (const lot of body.data) {
  console.log(lot.end_date, lot.title, lot.current_bid_cents, lot.bidprowl_url)
}`

const PYTHON = (publicUrl: string) => `import json, os, urllib.request

request = urllib.request.Request(
    "${publicUrl}/api/v1/listings?q=truck&state=TX",
    headers={"Authorization": f"Bearer {os.environ['SURPLUS_KEY']}"},
)
with urllib.request.urlopen(request) as response:
    body = json.load(response)
for lot in body["data"]:
    print(lot["end_date"], lot["title"], lot["current_bid_cents"], lot["bidprowl_url"])`
