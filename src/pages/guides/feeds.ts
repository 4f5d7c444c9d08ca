import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** What can be read without a key. */
export function feedsPage(publicUrl: string): string {
  return guidePage(
    '/docs/feeds',
    html`<h2 id="feeds">A feed of any search</h2>
<p>Every search has one: take the address of a <a href="/search">search</a> and put <code>/feeds/listings.rss</code> (RSS 2.0) or <code>/feeds/listings.json</code>
(JSON Feed 1.1) in the place of <code>/search</code>. The parameters are those of <a href="/docs/reference">the API</a>. Without <code>sort</code> a feed shows the newest lots
first, without <code>per_page</code> fifty of them.</p>
<pre><code>${publicUrl}/feeds/listings.rss?category=vehicles&amp;state=TX</code></pre>
<p>Feeds are for people who follow a search. They need no key and are limited by address, like the pages. Programs that need every field, or more than a feed
reader asks for, use the API.</p>
<h2 id="files">Files for machines</h2>
<ul>
<li><a href="/openapi.yaml">/openapi.yaml</a>, <a href="/openapi.json">/openapi.json</a>: the contract, OpenAPI 3.1; <a href="/openapi-3.0.json">/openapi-3.0.json</a> for older generators</li>
<li><a href="/llms.txt">/llms.txt</a>: what is where, for language models</li>
<li><a href="/sitemap.xml">/sitemap.xml</a>: the pages and all live lots</li>
</ul>`,
    publicUrl,
  )
}
