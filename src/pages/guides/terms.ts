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
<p>These rules hold for the API, its exports, the agent tools, the feeds and the pages alike. The service takes no bids: bidding happens at the official source, under its terms.</p>
<h2 id="credits">Credits</h2>
<p>Closed federal lots from <a href="https://govauctions.app">GovAuctions</a> (CC BY 4.0) where they are loaded; ZIP code places from the US Census Bureau and from
<a href="https://www.geonames.org">GeoNames</a> (CC BY 4.0). The API reference is drawn by <a href="https://github.com/scalar/scalar">Scalar</a> (MIT).</p>`,
    publicUrl,
  )
}
