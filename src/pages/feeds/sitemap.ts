import { GUIDES } from '../guides/guides.ts'
import { html } from '../layout/html.ts'

/** The lots are told in sixteen parts, by the first digit of their id: a lot stays in its part as long as it lives. */
const SITEMAP_PARTS = [...'0123456789abcdef']

const PAGES = ['/', '/search', '/docs', '/pricing', ...GUIDES.map(({ path }) => path)]

/** The index of the parts (https://www.sitemaps.org/protocol.html). */
export function sitemapIndex(publicUrl: string): string {
  const parts = ['pages', ...SITEMAP_PARTS.map(part => `listings-${part}`)]
  return html`<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${parts.map(
  part => html`<sitemap><loc>${publicUrl}/sitemaps/${part}.xml</loc></sitemap>
`,
)}</sitemapindex>
`.markup
}

/** The pages that are always there. */
export function pagesSitemap(publicUrl: string): string {
  return sitemap(PAGES.map(path => ({ address: publicUrl + path, changedAt: null })))
}

/** One part: addresses, and when their content was seen last. */
export function sitemap(entries: { address: string; changedAt: string | null }[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.map(
  ({
    address,
    changedAt,
  }) => html`<url><loc>${address}</loc>${changedAt ? html`<lastmod>${changedAt}</lastmod>` : null}</url>
`,
)}</urlset>
`.markup
}

/** Lots and guides may be listed; searches are endless combinations of the same lots. */
export function robots(publicUrl: string): string {
  return `User-agent: *
Disallow: /api/
Disallow: /search?
Disallow: /feeds/
Disallow: /account

Sitemap: ${publicUrl}/sitemap.xml
`
}

/** What is where, for language models (https://llmstxt.org). */
export function llmsText(publicUrl: string): string {
  const guides = GUIDES.map(({ path, title, summary }) => `- [${title}](${publicUrl}${path}): ${summary}`)
  return `# Government Surplus Auction Data API

> A read-only JSON API and site over US government surplus auctions: live lots of official sources, what comparable lots sold for, and a Flip Score from 0 (dear) to 100 (cheap). It takes no bids.

Send \`Authorization: Bearer <API_KEY>\` with every call. Amounts are US cents, times are UTC, unknown is null. Wherever a lot is shown, link to its bidprowl_url or source_url. Do not redistribute the dataset wholesale.

## Contract

- [openapi.yaml](${publicUrl}/openapi.yaml): every operation, parameter and answer (OpenAPI 3.1)
- [openapi.json](${publicUrl}/openapi.json): the same as JSON

## Guides

${guides.join('\n')}

## Without a key

- [Search](${publicUrl}/search): live lots, with the parameters of the API
- [RSS](${publicUrl}/feeds/listings.rss) and [JSON Feed](${publicUrl}/feeds/listings.json) of any search
- [Plans and prices](${publicUrl}/pricing)
`
}
