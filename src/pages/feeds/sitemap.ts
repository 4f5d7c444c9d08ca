import { DAY_MS } from '../../domain/durations.ts'
import { type DataKind, DEMO_NOTICE } from '../../infra/postgres/dataKind.ts'
import { GUIDES, readTemplate } from '../docs/guides.ts'
import { html } from '../kit/html.ts'

/**
 * Lots are listed in sixteen parts, by the first digit of their id, so that a
 * lot always stays in the same part.
 */
const SITEMAP_PARTS = [...'0123456789abcdef']

const PAGES = [
  ...'/ /search /docs /pricing /prices /accuracy /sources /status /data'.split(
    ' ',
  ),
  ...GUIDES.map(({ path }) => path),
]

/** The index of the parts (https://www.sitemaps.org/protocol.html). */
export function sitemapIndex(publicUrl: string): string {
  const parts = [
    'pages',
    'prices',
    ...SITEMAP_PARTS.map(part => `listings-${part}`),
  ]
  return html`<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${parts.map(part => html`<sitemap><loc>${publicUrl}/sitemaps/${part}.xml</loc></sitemap>`)}</sitemapindex>`
    .markup
}

/** The fixed pages. */
export function pagesSitemap(publicUrl: string): string {
  return sitemap(PAGES.map(path => publicUrl + path))
}

/**
 * One part, without `lastmod`: that a lot was seen again is no change of it.
 */
export function sitemap(addresses: string[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map(address => html`<url><loc>${address}</loc></url>`)}</urlset>`
    .markup
}

/**
 * Lots and guides may be indexed; searches are endless combinations of the same
 * lots.
 */
export function robots(publicUrl: string): string {
  return readTemplate('assets/robots.txt', { base_url: publicUrl })
}

/** An overview for language models (https://llmstxt.org). */
export function llmsText(publicUrl: string, kind: DataKind): string {
  const guides = GUIDES.map(
    ({ path, title, summary }) =>
      `- [${title}](${publicUrl}${path}): ${summary}`,
  )
  return readTemplate('assets/llms.txt', {
    base_url: publicUrl,
    guides: guides.join('\n'),
    notice: kind === 'demo' ? `${DEMO_NOTICE}\n\n` : '',
  })
}

const SECURITY_TXT_DAYS = 180

/**
 * Where to report a vulnerability, for programs (RFC 9116).
 * @param contactEmail null: reporters find the operator through the policy, as
 * the RFC requires a contact.
 * @param now the moment of the request; the text is valid for half a year from
 * then.
 */
export function securityText(
  publicUrl: string,
  contactEmail: string | null,
  now: Date,
): string {
  const expires = new Date(now.getTime() + SECURITY_TXT_DAYS * DAY_MS)
  const contact = contactEmail
    ? `mailto:${contactEmail}`
    : `${publicUrl}/docs/security`
  return readTemplate('assets/security.txt', {
    contact,
    expires: expires.toISOString().replace(/\.\d+Z$/, 'Z'),
    base_url: publicUrl,
  })
}
