import { existsSync, readFileSync } from 'node:fs'
import { Marked, type Tokens } from 'marked'
import { projectFile } from '../../contract/projectFile.ts'
import { type Html, html } from '../layout/html.ts'
import { type GuidePath, guidePage } from './guides.ts'

/** Documents of the repository that are pages here too; links between them lead to the pages. */
const PAGES: Record<string, GuidePath> = {
  'flip-score.md': '/docs/flip-score',
  'mcp.md': '/docs/mcp',
}

/** A document of `docs/` as a guide; null when there is none of that name. */
export function markdownGuide(name: keyof typeof PAGES, publicUrl: string): string | null {
  const path = PAGES[name]
  const file = projectFile('docs', name)
  if (!path || !existsSync(file)) return null
  const [, heading, text = ''] = /^# (.+)\n([\s\S]*)$/.exec(readFileSync(file, 'utf8')) ?? []
  return guidePage(path, { markup: renderer().parse(text, { async: false }) }, publicUrl, heading)
}

/** The text is our own, so its markup is let through; headings get addresses, and links to other files lose theirs. */
function renderer(): Marked {
  return new Marked({
    renderer: {
      heading(
        this: { parser: { parseInline(tokens: Tokens.Generic[]): string } },
        { tokens, depth, text }: Tokens.Heading,
      ) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link(
        this: { parser: { parseInline(tokens: Tokens.Generic[]): string } },
        { href, tokens }: Tokens.Link,
      ) {
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

/** Where a link of a document leads on the site; null for a file that is no page. */
function addressOf(href: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const path = PAGES[file.replace(/^(\.\/|docs\/)/, '')]
  if (!path) return null
  return anchor ? `${path}#${anchor}` : path
}
