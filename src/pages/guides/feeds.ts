import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** The feeds and files that need no key. */
export function feedsPage(publicUrl: string): string {
  return guidePage(
    '/docs/feeds',
    html`<h2 id="feeds">A feed of any search</h2>
<p>Every search has a feed: in the address of a <a href="/search">search</a>, replace <code>/search</code> by <code>/feeds/listings.rss</code> (RSS 2.0) or
<code>/feeds/listings.json</code> (JSON Feed 1.1). The parameters are those of <a href="/docs/reference">the API</a>. By default a feed has the 50 newest lots; <code>sort</code> and
<code>per_page</code> change that.</p>
<pre><code>${publicUrl}/feeds/listings.rss?category=vehicles&amp;state=TX</code></pre>
<p>Feeds are for people who follow a search. They need no key and share the rate limit of the pages. Programs that need every field, or many calls, use the
API.</p>
<h2 id="files">Machine-readable files</h2>
<ul>
<li><a href="/openapi.yaml">/openapi.yaml</a>, <a href="/openapi.json">/openapi.json</a>: the contract, OpenAPI 3.1; <a href="/openapi-3.0.json">/openapi-3.0.json</a> for older generators</li>
<li><a href="/llms.txt">/llms.txt</a>: an overview for language models</li>
<li><a href="/sitemap.xml">/sitemap.xml</a>: the pages and all live lots</li>
</ul>`,
    publicUrl,
  )
}
