import { readFileSync } from 'node:fs'
import { Marked, type Tokens } from 'marked'
import { projectFile } from '../../contract/projectFile.ts'
import { type Html, html } from '../layout/html.ts'
import { type GuidePath, guidePage } from './guides.ts'

/** The documents in `docs/` that are also pages; links between them become links between the pages. */
const PAGES: Record<string, GuidePath> = {
  'flip-score.md': '/docs/flip-score',
  'mcp.md': '/docs/mcp',
}

/** A document in `docs/` as a guide. */
export function markdownGuide(name: 'flip-score.md' | 'mcp.md', publicUrl: string): string {
  const document = readFileSync(projectFile('docs', name), 'utf8')
  const [, heading, text = ''] = /^# (.+)\n([\s\S]*)$/.exec(document) ?? []
  const content = { markup: renderer().parse(text, { async: false }) }
  return guidePage(PAGES[name] as GuidePath, content, publicUrl, heading)
}

type Inline = { parser: { parseInline(tokens: Tokens.Generic[]): string } }

/** Our own text, so its markup is not escaped. Headings get ids; links to files that are not pages become plain words. */
function renderer(): Marked {
  return new Marked({
    renderer: {
      heading(this: Inline, { tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link(this: Inline, { href, tokens }: Tokens.Link) {
        const words: Html = { markup: this.parser.parseInline(tokens) }
        const address = addressOf(href)
        return (address === null ? words : html`<a href="${address}">${words}</a>`).markup
      },
    },
  })
}

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
  const path = PAGES[file.replace(/^(\.\/|docs\/)/, '')]
  if (!path) return null
  return anchor ? `${path}#${anchor}` : path
}
