import labels from '../../../data/labels.json' with { type: 'json' }
import { ellipsized } from '../../domain/format.ts'
import { type Html, html } from './html.ts'
import { SITE_SCRIPT, STYLE_SHEET } from './staticFiles.ts'

const SITE = 'Surplus Auction Data'
const DESCRIPTION =
  'Live US government surplus auction lots, what comparable lots sold for, and a deal score from 0 to 100: a site and a JSON API.'

/** The optional parts of a page. */
export interface PageOptions {
  /** One sentence for search engines and shared links. */
  description?: string
  /** The canonical address of the content. */
  canonical?: string
  /** The address of the image for shared links; absent: that of the site. Only pages with a canonical address have one. */
  image?: string
  /** More for the head: feeds, structured data. */
  head?: Html
  /** The address of the navigation entry that this page belongs to. */
  section?: string
  /** The navigation of a group of pages, beside the content. */
  aside?: Html
  /** Whether search engines should leave the page out. */
  unlisted?: boolean
}

/** Drawn in the page: it takes the colors of the theme. */
const LOGO = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M6 22.5h20M10 22v-6M16 22V12M22 22v-8"/><circle cx="16" cy="7" r="2.4"/></svg>`
const NAVIGATION = Object.entries(labels.navigation)
const FOOTER = Object.entries(labels.footer)

/** A complete page around its content. On narrow screens tables scroll by themselves. */
export function layout(title: string, content: Html, options: PageOptions = {}): string {
  const { aside } = options
  return html`<!DOCTYPE html>
<html lang="en">
<head>
${headOf(title, options)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(options.section)}
<div class="frame">
${aside}
<main id="content" class="page">
<h1>${title}</h1>
${scrollable(content)}
</main>
</div>
<footer class="site-footer">
<nav aria-label="More">${FOOTER.map(footerColumn)}</nav>
<p>Bidding happens on the official pages; this site takes no bids. Prices and scores are not financial advice.</p>
</footer>
</body>
</html>
`.markup
}

function footerColumn([title, links]: [title: string, links: Record<string, string>]): Html {
  const entries = Object.entries(links).map(
    ([address, name]) => html`<li><a href="${address}">${name}</a></li>`,
  )
  return html`<div><h2>${title}</h2><ul>${entries}</ul></div>
`
}

/** The head of a page: title, description, style sheet, and the metadata for shared links. */
export function headOf(title: string, { description, canonical, image, head, unlisted }: PageOptions): Html {
  const name = shortTitle(title === SITE ? [SITE] : [`${title} · ${SITE}`, title])
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<meta name="description" content="${description ?? DESCRIPTION}">
<meta name="color-scheme" content="light dark">
${unlisted ? html`<meta name="robots" content="noindex">` : null}
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description ?? DESCRIPTION}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${SITE}">
${
  canonical
    ? html`<meta property="og:url" content="${canonical}">
<meta property="og:image" content="${image ?? new URL('/share.png', canonical).href}">
<meta name="twitter:card" content="summary_large_image">
<link rel="canonical" href="${canonical}">`
    : null
}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="stylesheet" href="${STYLE_SHEET.address}">
<script src="${SITE_SCRIPT.address}" defer></script>
${head}`
}

/** Search engines cut longer titles. */
const LONGEST_TITLE = 70

/** The first of these that is short enough, or the start of the last one. */
function shortTitle(titles: string[]): string {
  const fits = titles.find(title => title.length <= LONGEST_TITLE)
  return fits ?? ellipsized(titles.at(-1)!, LONGEST_TITLE)
}

/** The header of every page. */
export function siteHeader(section?: string): Html {
  const links = NAVIGATION.map(
    ([address, name]) =>
      html`<a href="${address}"${address === section ? html` aria-current="true"` : null}>${name}</a> `,
  )
  return html`<header class="site-header">
<a class="home" href="/">${LOGO}${SITE}</a>
<nav aria-label="Main">${links}</nav>
</header>`
}

/** Puts each table in a scrolling frame that the keyboard can reach. */
function scrollable(content: Html): Html {
  return {
    markup: content.markup
      .replaceAll(/<table\b/g, '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table')
      .replaceAll('</table>', '</table></div>'),
  }
}
