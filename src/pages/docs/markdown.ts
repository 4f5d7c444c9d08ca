import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { scrolling } from '../kit/table.ts'

type Inline = { parser: { parseInline(tokens: Token[]): string } }

const OWN_ID = / \{#([a-z_-]+)\}$/
/** Neighboring sections with these headings become tabs. */
const TAB_NAMES = new Set(['curl', 'TypeScript', 'Python'])

const MARKDOWN = new Marked({
  renderer: {
    heading(this: Inline, { tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens).replace(OWN_ID, '')}</h${depth}>\n`
    },
    table(this: Renderer, token: Tokens.Table) {
      return scrolling({ markup: Renderer.prototype.table.call(this, token) })
        .markup
    },
    tablecell(this: Inline, { tokens, header, align }: Tokens.TableCell) {
      const name = align === 'right' ? ' class="number"' : ''
      const words = this.parser.parseInline(tokens)
      return header
        ? `<th scope="col"${name}>${words}</th>`
        : `<td${name}>${words}</td>`
    },
  },
})

/**
 * A document, our own text, as markup. Headings get ids, or the one that
 * `{#id}` names; neighboring sections named after programs (curl, TypeScript,
 * Python) become tabs that work without a script.
 */
export function renderMarkdown(text: string) {
  const tokens = MARKDOWN.lexer(text)
  let markup = ''
  let groups = 0
  for (let from = 0; from < tokens.length; ) {
    const isTabs = tabName(tokens[from]) !== null
    const until = endOf(tokens, from, isTabs)
    const part = tokens.slice(from, until)
    markup += isTabs ? tabs(part, ++groups) : MARKDOWN.parser(part)
    from = until
  }
  return markup
}

function tabName(token: Token | undefined): string | null {
  if (token?.type !== 'heading') return null
  const name = token.text.replace(OWN_ID, '')
  return TAB_NAMES.has(name) ? name : null
}

/**
 * Tabs end at the next heading that is none, and at markup, which may close
 * what is around them; all else ends at the next tab.
 */
function endOf(tokens: Token[], from: number, isTabs: boolean) {
  const end = tokens.findIndex((token, index) => {
    if (index <= from) return false
    const isTab = tabName(token) !== null
    return isTabs
      ? token.type === 'html' || (token.type === 'heading' && !isTab)
      : isTab
  })
  return end < 0 ? tokens.length : end
}

function tabs(tokens: Token[], group: number) {
  const starts = tokens.flatMap((token, index) => (tabName(token) ? index : []))
  const parts = starts.map((start, number) => {
    const name = tabName(tokens[start])!
    const id = group === 1 ? idOf(name) : `${idOf(name)}-${group}`
    return `<input type="radio" name="language-${group}" id="${id}"${number === 0 ? ' checked' : ''}><label for="${id}">${name}</label>
<div>${MARKDOWN.parser(tokens.slice(start + 1, starts[number + 1]))}</div>
`
  })
  return `<div class="languages" role="group" aria-label="Language">\n${parts.join('')}</div>\n`
}

function idOf(heading: string) {
  const own = OWN_ID.exec(heading)?.[1]
  if (own) return own
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-$/g, '')
}
