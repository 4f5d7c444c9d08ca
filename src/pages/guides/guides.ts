import { Marked, type Tokens } from 'marked'
import guides from '../../../data/guides.json' with { type: 'json' }
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { readTemplate } from '../layout/template.ts'

interface Guide {
  path: string
  /** The file in `docs/`; null for the API reference, which is a page of its own. */
  document: string | null
  title: string
  summary: string
}

/** The guides in reading order, for their navigation, the front page of the docs and llms.txt. */
export const GUIDES: Guide[] = guides

/** The page of every document, by path. @param values the placeholders of the documents. */
export function guidePages(
  publicUrl: string,
  values: Record<string, string>,
): [path: string, page: string][] {
  return GUIDES.flatMap(({ path, document, summary }): [string, string][] => {
    if (!document) return []
    const { heading, markup } = readDocument(document, values)
    const links = GUIDES.map(
      one => html`<li><a href="${one.path}"${one.path === path ? html` aria-current="page"` : null}>${one.title}</a></li>
`,
    )
    const page = layout(
      heading,
      { markup },
      {
        section: '/docs',
        description: summary,
        canonical: publicUrl + path,
        aside: html`<nav class="guides" aria-label="Documentation"><ul>
${links}</ul></nav>`,
      },
    )
    return [[path, page]]
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

/**
 * Reads a document in `docs/`, our own text, as the heading and the markup of a page. Headings get ids, or the one that `{#id}` names;
 * links to documents that are guides lead to their pages, and links to other files become plain words.
 * @param values the text of each `{placeholder}`, as Markdown or HTML.
 */
function readDocument(name: string, values: Record<string, string>): { heading: string; markup: string } {
  const document = readTemplate(`docs/${name}`, values)
  const [, heading = '', text = ''] = /^# (.+)\n([\s\S]*)$/.exec(document) ?? []
  return { heading, markup: MARKDOWN.parse(text, { async: false }) }
}

type Inline = { parser: { parseInline(tokens: Tokens.Generic[]): string } }

const OWN_ID = / \{#([a-z-]+)\}$/

const MARKDOWN = new Marked({
  renderer: {
    heading(this: Inline, { tokens, depth, text }: Tokens.Heading) {
      const id = OWN_ID.exec(text)?.[1] ?? idOf(text)
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens).replace(OWN_ID, '')}</h${depth}>\n`
    },
    link(this: Inline, { href, tokens }: Tokens.Link) {
      const words = { markup: this.parser.parseInline(tokens) }
      const address = addressOf(href)
      return (address === null ? words : html`<a href="${address}">${words}</a>`).markup
    },
  },
})

function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** The address of a link's target on the site; null for a file that is not a page. */
function addressOf(href: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const guide = GUIDES.find(({ document }) => document === file.replace(/^(\.\/|docs\/)/, ''))
  if (!guide) return null
  return anchor ? `${guide.path}#${anchor}` : guide.path
}
