import { PLANS } from '../../contract/plans.ts'
import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** From nothing to the second page of a search. */
export function quickstartPage(publicUrl: string): string {
  const { calls_per_month, calls_per_minute } = PLANS.free
  return guidePage(
    '/docs/quickstart',
    html`<ol class="steps">
<li><h2 id="key">Get a key</h2>
<p>Make one on <a href="/account">your account page</a>. A key is <code>bp_live_</code> and 36 letters and digits. A free one needs no card and makes ${calls_per_month.toLocaleString('en-US')} calls a month, ${calls_per_minute} a minute.</p>
<pre><code>export SURPLUS_KEY=bp_live_…</code></pre></li>
<li><h2 id="call">Make the first call</h2>
<p>Trucks in Texas, those that end soonest first:</p>
<h3>curl</h3>
<pre><code>curl -H "Authorization: Bearer $SURPLUS_KEY" \\
  "${publicUrl}/api/v1/listings?q=truck&amp;state=TX"</code></pre>
<h3>TypeScript</h3>
<p>Node 20, Deno, Bun or a browser; nothing to install.</p>
<pre><code>${TYPESCRIPT(publicUrl)}</code></pre>
<h3>Python</h3>
<p>Python 3, its own library only.</p>
<pre><code>${PYTHON(publicUrl)}</code></pre></li>
<li><h2 id="read">Read the answer</h2>
<p>Amounts are US cents, times are UTC, what is not known is <code>null</code>. <code>bidprowl_url</code> is the page of the lot here, <code>source_url</code> the official one
where bidding happens; <a href="/terms">link to either</a> wherever you show a lot. <code>total</code> is exact; ask for <code>page=2</code>, or follow
<code>rel="next"</code> in the <code>Link</code> header.</p></li>
<li><h2 id="on">Go on</h2>
<ul>
<li><a href="/docs/reference">Try every operation</a> in the browser.</li>
<li>Generate a client: <code>npx openapi-typescript ${publicUrl}/openapi.json -o surplus.ts</code></li>
<li>Learn <a href="/docs/authentication">what counts</a> and what the <a href="/docs/errors">errors</a> mean.</li>
</ul></li>
</ol>`,
    publicUrl,
  )
}

const TYPESCRIPT = (
  publicUrl: string,
) => `const answer = await fetch('${publicUrl}/api/v1/listings?q=truck&state=TX', {
  headers: { Authorization: \`Bearer \${process.env.SURPLUS_KEY}\` },
})
const body = await answer.json()
if (!answer.ok) throw new Error(\`\${body.code}: \${body.error}\`)
for (const lot of body.data) {
  console.log(lot.end_date, lot.title, lot.current_bid_cents, lot.bidprowl_url)
}`

const PYTHON = (publicUrl: string) => `import json, os, urllib.request

request = urllib.request.Request(
    "${publicUrl}/api/v1/listings?q=truck&state=TX",
    headers={"Authorization": f"Bearer {os.environ['SURPLUS_KEY']}"},
)
with urllib.request.urlopen(request) as answer:
    body = json.load(answer)
for lot in body["data"]:
    print(lot["end_date"], lot["title"], lot["current_bid_cents"], lot["bidprowl_url"])`
