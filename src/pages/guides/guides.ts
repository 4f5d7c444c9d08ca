import type { Html } from '../layout/html.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

/** The guides in reading order, for their navigation, the front page of the docs and llms.txt. */
export const GUIDES = [
  {
    path: '/docs/quickstart',
    title: 'Five-minute start',
    summary: 'Get a key, make the first call, read the next page: curl, TypeScript, Python.',
  },
  {
    path: '/docs/reference',
    title: 'API reference',
    summary: 'Every operation, parameter and response. Try them in the browser.',
  },
  {
    path: '/docs/authentication',
    title: 'Authentication and limits',
    summary: 'How to send a key, which calls count, and what the headers mean.',
  },
  {
    path: '/docs/errors',
    title: 'Errors',
    summary: 'Every code, what it means and what to do.',
  },
  {
    path: '/docs/flip-score',
    title: 'Flip Score',
    summary: 'How value, costs and points are calculated, with a worked example.',
  },
  {
    path: '/docs/mcp',
    title: 'MCP for agents',
    summary: 'The same data as tools for AI agents.',
  },
  {
    path: '/docs/feeds',
    title: 'Feeds and files',
    summary: 'RSS and JSON feeds of any search, the sitemap, the machine-readable contract.',
  },
  {
    path: '/docs/versioning',
    title: 'Versioning and deprecation',
    summary: 'What may change, what never does, and how much notice you get.',
  },
  {
    path: '/docs/security',
    title: 'Reporting a vulnerability',
    summary: 'Where to write, what to send, and what happens next.',
  },
  { path: '/terms', title: 'Terms of use', summary: 'Three rules, and the credits.' },
] as const

export type GuidePath = (typeof GUIDES)[number]['path']

/** One guide with the navigation of all. Its title and summary come from GUIDES. */
export function guidePage(path: GuidePath, content: Html, publicUrl: string, heading?: string): string {
  const guide = GUIDES.find(one => one.path === path) ?? GUIDES[0]
  return layout(heading ?? guide.title, content, {
    section: '/docs',
    description: guide.summary,
    canonical: publicUrl + path,
    aside: guideNavigation(path),
  })
}

/** The front page of the docs. */
export function docsPage(publicUrl: string): string {
  const cards = GUIDES.map(
    ({ path, title, summary }) => html`<li><h2><a href="${path}">${title}</a></h2><p>${summary}</p></li>
`,
  )
  return layout(
    'Documentation',
    html`<p>A read-only JSON API over live government surplus auctions. The contract is <a href="/openapi.yaml">openapi.yaml</a> (OpenAPI 3.1), also
as <a href="/openapi.json">JSON</a> and as a derived <a href="/openapi-3.0.json">3.0.3 version</a> for older generators.</p>
<ul class="cards">
${cards}</ul>`,
    {
      section: '/docs',
      description: 'Guides and reference of the Government Surplus Auction Data API.',
      canonical: `${publicUrl}/docs`,
    },
  )
}

function guideNavigation(current: GuidePath): Html {
  const links = GUIDES.map(
    ({ path, title }) =>
      html`<li><a href="${path}"${path === current ? html` aria-current="page"` : null}>${title}</a></li>
`,
  )
  return html`<nav class="guides" aria-label="Documentation"><ul>
${links}</ul></nav>`
}
