import type { RequestHandler } from 'express'
import type { Contract } from '../../contract/document.ts'
import type { Deps } from '../../usecases/deps.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { notice } from '../kit/notice.ts'
import { fixedPage } from '../kit/sendPage.ts'
import {
  REFERENCE_START,
  referenceRenderer,
  type SiteFile,
} from '../kit/staticFiles.ts'
import { renderMarkdown } from './markdown.ts'

/**
 * What the renderer needs, measured with @scalar/api-reference 1.72.1 in
 * Chromium 156: scripts from our own files only, no eval, and inline styles
 * (elements and attributes).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const DESCRIPTION =
  'Every operation, parameter and response of the Government Surplus Auction Data API. Try them in the browser.'

/** Tags that come after all others. */
const LAST_TAGS = ['Archives', 'Alerts', 'Agents']

/**
 * The introduction and the list of operations, which need no script; the
 * renderer fills the rest when a reader comes near it. With demo data it starts
 * with the demo key.
 */
export function reference(
  contract: Contract,
  { publicUrl, demoKey }: Deps,
): RequestHandler {
  const tags = (contract.document.tags ?? []).map(({ name }) => name)
  const order = [...tags.filter(tag => !LAST_TAGS.includes(tag)), ...LAST_TAGS]
  const page = (renderer: SiteFile | null, key: string | null): Page => ({
    title: 'API reference',
    section: '/docs/reference',
    description: DESCRIPTION,
    canonical: '/docs/reference',
    content: html`${introduction(contract, publicUrl, key)}
<div class="operation-groups">${order.map(tag => operationList(contract, tag, renderer !== null))}</div>`,
    ...(renderer && {
      head: html`<script src="${REFERENCE_START.address}" defer></script>`,
      application: html`<div id="reference" data-renderer="${renderer.address}" data-tags="${order.join(',')}" data-key="${key}"></div>`,
    }),
  })
  const pageWith = (renderer: SiteFile | null) =>
    fixedPage(kind => page(renderer, kind === 'demo' ? demoKey : null))
  const bare = pageWith(null)
  let full: RequestHandler | null = null
  return (req, res, next) => {
    res.setHeader('Content-Security-Policy', POLICY)
    const renderer = referenceRenderer()
    if (renderer) full ??= pageWith(renderer)
    return (full ?? bare)(req, res, next)
  }
}

function introduction(
  { document }: Contract,
  publicUrl: string,
  key: string | null,
) {
  const [lead = '', ...rules] = (document.info.description ?? '').split('\n\n')
  const held = key
    ? html`“Test Request” starts with this demo key, which may call everything: <code>${key}</code>`
    : html`To try an operation, <a href="/account">get a free key</a> and enter it under “Authentication”. Your browser keeps it over a reload and sends it only to this service.`
  return html`${{ markup: renderMarkdown(lead) }}
<p>Version ${document.info.version}. Addresses begin with <code>${publicUrl}</code>. The complete contract is <a href="/openapi.yaml">openapi.yaml</a>.</p>
${notice('plain', held)}
<details><summary>Keys, limits, errors and terms</summary>
${{ markup: renderMarkdown(rules.join('\n\n')) }}</details>`
}

/**
 * The operations of a tag.
 * @param isRendered whether they lead to their places in the renderer.
 */
function operationList(
  { operations, document }: Contract,
  tag: string,
  isRendered: boolean,
) {
  const entries = operations.flatMap(({ method, path }) => {
    const { summary, tags } = document.paths?.[path]?.[method] ?? {}
    if (!tags?.includes(tag)) return []
    const words = html`<code>${method.toUpperCase()} ${path}</code>`
    const link = isRendered
      ? html`<a href="#reference" data-open="tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}">${words}</a>`
      : words
    return html`<li>${link} ${summary}</li>`
  })
  if (entries.length === 0) return html``
  return html`<div><h2>${tag}</h2><ul class="operations">
${entries}</ul></div>`
}
