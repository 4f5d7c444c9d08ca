import type { Request } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { ellipsized } from '../../contract/text.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import { type DataKind, DEMO_NOTICE } from '../../infra/postgres/dataKind.ts'
import { postForm, submit } from './forms.ts'
import { type Html, html } from './html.ts'
import { SITE_SCRIPT, STYLE_SHEET } from './staticFiles.ts'

const SITE = 'Surplus Auction Data'
const DESCRIPTION =
  'Live US government surplus auction lots, what comparable lots sold for, and a deal score from 0 to 100: a site and a JSON API.'

/**
 * A page before it is sent: `sendPage` adds the header, the banner and the
 * footer.
 */
export interface Page {
  /** The heading, and the first part of the title of the window. */
  title: string
  content: Html
  /** One sentence for search engines and shared links. */
  description?: string
  /** The canonical path of the content, with its query. */
  canonical?: string
  /**
   * The address of the image for shared links; null or absent: that of the
   * site. Only pages with a canonical path have one.
   */
  image?: string | null
  /** More for the head: feeds, structured data, a script. */
  head?: Html
  /**
   * A second link for the keyboard, past what stands above: the id of a
   * heading, and words.
   */
  skip?: [id: string, words: string]
  /**
   * The path of the navigation entry that this page belongs to; `sendPage`
   * takes the first part of its own path otherwise.
   */
  section?: string
  /** The navigation of a group of pages, beside the content. */
  aside?: Html
  /** The status of the answer, where it is not that of the response. */
  status?: number
  /** Whether search engines should leave the page out. */
  unlisted?: boolean
  /**
   * An application below the content, in place of the footer: it fills the
   * window.
   */
  application?: Html
}

/** The account that is signed in in a browser. */
export interface Viewer extends SignedIn {
  /** The token of the session. */
  token: string
  /** The token that every form of this session carries. */
  formToken: string
}

/**
 * What every page is shown with; `createApp` sets it as
 * `app.locals.pageContext`.
 */
export interface PageContext {
  publicUrl: string
  /**
   * Read for each page: the data can become demo data while the process runs.
   */
  data: { kind: DataKind; creditsOpenData?: boolean }
  /**
   * Whether mails are kept in the demo mailbox, because there is no mail
   * server.
   */
  hasMailbox: boolean
  /** Whom people may write to; null where nobody is named. */
  contactEmail: string | null
  /**
   * The account that is signed in in the browser of a request; null for none.
   */
  viewerOf(req: Request): Promise<Viewer | null>
}

/** Drawn in the page: it takes the colors of the theme. */
const LOGO = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M6 22.5h20M10 22v-6M16 22V12M22 22v-8"/><circle cx="16" cy="7" r="2.4"/></svg>`
const NAVIGATION = Object.entries(labels.navigation)
const FOOTER = Object.entries(labels.footer)

/** The complete document. */
export function renderPage(
  page: Page,
  context: PageContext,
  viewer: Viewer | null,
) {
  const { data, hasMailbox, publicUrl } = context
  const { title, content, section, aside, application } = page
  return html`<!DOCTYPE html>
<html lang="en">
<head>
${headOf(page, publicUrl)}
</head>
<body${application && html` class="reference"`}>
<a class="skip unseen" href="#content">Skip to the content</a>
${page.skip && html`<a class="skip unseen" href="#${page.skip[0]}">${page.skip[1]}</a>`}
${data.kind === 'demo' && demoBanner(hasMailbox)}
${siteHeader(section, viewer)}
<div class="frame">
${aside}
<main id="content" class="page">
${headingOf(title)}
${content}
</main>
</div>
${application ?? siteFooter(context)}
</body>
</html>`.markup
}

/** A title this long fills the first screen of a phone. */
const LONGEST_UNFOLDED = 120

/** A long title is folded to its first lines; a press shows all of it. */
function headingOf(title: string) {
  const heading = html`<h1 dir="auto">${title}</h1>`
  return title.length > LONGEST_UNFOLDED
    ? html`<details class="folded"><summary>${heading}</summary></details>`
    : heading
}

function demoBanner(hasMailbox: boolean) {
  return html`<aside class="demo" aria-label="Demo data">${DEMO_NOTICE}${hasMailbox && html` <a href="/demo/mailbox">See the demo inbox</a>.`}</aside>`
}

function siteFooter({ data, contactEmail }: PageContext) {
  const credit = html` Sold prices include the <a href="/terms">open dataset by GovAuctions (CC BY 4.0)</a>.`
  return html`<footer class="site-footer">
<nav aria-label="More">${FOOTER.map(footerColumn)}</nav>
<p>Bidding happens on the official pages; this site takes no bids. Prices and scores are not financial advice.${data.creditsOpenData && credit}${contactEmail && html` <a href="mailto:${contactEmail}">Contact</a>`}</p>
</footer>`
}

function footerColumn([title, links]: [
  title: string,
  links: Record<string, string>,
]) {
  return html`<div><h2>${title}</h2><ul>${Object.entries(links).map(([path, name]) => html`<li><a href="${path}">${name}</a></li>`)}</ul></div>`
}

function headOf(
  { title, description, canonical, image, head, unlisted }: Page,
  publicUrl: string,
) {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${windowTitle(title)}</title>
<meta name="description" content="${description ?? DESCRIPTION}">
<meta name="color-scheme" content="light dark">
${unlisted && html`<meta name="robots" content="noindex">`}
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description ?? DESCRIPTION}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${SITE}">
${
  canonical &&
  html`<meta property="og:url" content="${publicUrl}${canonical}">
<meta property="og:image" content="${image ?? `${publicUrl}/share.png`}">
<meta name="twitter:card" content="summary_large_image">
<link rel="canonical" href="${publicUrl}${canonical}">`
}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="stylesheet" href="${STYLE_SHEET.address}">
<script src="${SITE_SCRIPT.address}" defer></script>
${head}`
}

/** Search engines cut longer titles. */
const LONGEST_TITLE = 70

function windowTitle(title: string) {
  const full = `${title} · ${SITE}`
  return full.length <= LONGEST_TITLE ? full : ellipsized(title, LONGEST_TITLE)
}

function siteHeader(section: string | undefined, viewer: Viewer | null) {
  const links = NAVIGATION.map(
    ([path, name]) =>
      html`<a href="${path}"${path === section && html` aria-current="true"`}>${name}</a> `,
  )
  const account =
    viewer &&
    html`<div class="signed-in"><a href="/account">${viewer.emailAddress}</a>
${postForm('/account/sign-out', viewer.formToken, submit('Sign out'))}</div>`
  return html`<header class="site-header">
<a class="home" href="/">${LOGO}${SITE}</a>
<nav aria-label="Main">${links}</nav>
${account}</header>`
}
