import type { Listing } from '../../contract/types.ts'
import { CATEGORIES } from '../layout/format.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { lotCards } from './cards.ts'
import { searchBox } from './filterForm.ts'

/** The front page. @param deals live lots with a high score; empty when they cannot be read. */
export function homePage(deals: Listing[], publicUrl: string, now: Date): string {
  const categories = Object.entries(CATEGORIES).map(
    ([key, name]) => html`<li><a href="/search?category=${key}">${name}</a></li>
`,
  )
  return layout(
    'Surplus Auction Data',
    html`<p class="lead">What the US government sells, and whether the price is good: live lots from official auctions, what comparable lots sold for, and a deal score
from 0 to 100. Search here, or use the JSON API.</p>
${searchBox()}
<ul class="chips" aria-label="Categories">
${categories}</ul>
${deals.length === 0 ? null : html`<section aria-labelledby="deals"><h2 id="deals">Best deals now</h2>${lotCards(deals, now)}<p><a href="/search?sort=best_deals">More by Flip Score</a></p></section>`}
<section aria-labelledby="api">
<h2 id="api">For programs</h2>
<pre><code>curl -H "Authorization: Bearer &lt;API_KEY&gt;" \\
  "${publicUrl}/api/v1/listings?category=vehicles&amp;state=TX"</code></pre>
<ul class="cards">
<li><h3><a href="/docs/quickstart">Five-minute start</a></h3><p>curl, TypeScript, Python.</p></li>
<li><h3><a href="/docs/reference">API reference</a></h3><p>Try every operation in the browser.</p></li>
<li><h3><a href="/docs/mcp">MCP for agents</a></h3><p>The same data as tools for AI agents.</p></li>
<li><h3><a href="/pricing">Plans</a></h3><p>Start for free.</p></li>
</ul>
</section>`,
    { canonical: `${publicUrl}/` },
  )
}
