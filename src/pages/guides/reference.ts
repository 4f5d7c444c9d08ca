import type { RequestHandler } from 'express'
import type { Contract, Operation } from '../../contract/document.ts'
import { type Html, html } from '../layout/html.ts'
import { headOf, layout, siteHeader } from '../layout/layout.ts'
import { REFERENCE_START, referenceRenderer, type SiteFile } from '../layout/staticFiles.ts'

/**
 * What the renderer needs, measured with @scalar/api-reference 1.72.1 in Chromium 156: scripts from our own files only,
 * no eval, and inline styles (elements and attributes).
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

const OPTIONS = {
  section: '/docs/reference',
  description:
    'Every operation, parameter and response of the Government Surplus Auction Data API. Try them in the browser.',
}

/** The page that the renderer fills in the browser. Without the renderer or without scripts it lists the operations. */
export function reference(contract: Contract, publicUrl: string): RequestHandler {
  const options = { ...OPTIONS, canonical: `${publicUrl}/docs/reference` }
  const list = operationList(contract)
  const plainPage = layout('API reference', list, options)
  const pageWith = (renderer: SiteFile) =>
    html`<!DOCTYPE html>
<html lang="en">
<head>
${headOf('API reference', options)}
<script src="${renderer.address}" defer></script>
<script src="${REFERENCE_START.address}" defer></script>
</head>
<body class="reference">
${siteHeader(options.section)}
<div id="reference"></div>
<noscript><main class="page"><h1>API reference</h1>${list}</main></noscript>
</body>
</html>
`.markup
  return (_req, res) => {
    const renderer = referenceRenderer()
    res.setHeader('Content-Security-Policy', POLICY)
    res.send(renderer ? pageWith(renderer) : plainPage)
  }
}

function operationList({ operations, document }: Contract): Html {
  const summary = ({ path, method }: Operation) => document.paths?.[path]?.[method]?.summary
  return html`<p>The complete contract is <a href="/openapi.yaml">openapi.yaml</a>. Its operations:</p>
<dl class="facts">${operations.map(
    operation =>
      html`<div><dt><code>${operation.method.toUpperCase()} ${operation.path}</code></dt><dd>${summary(operation)}</dd></div>`,
  )}</dl>`
}
