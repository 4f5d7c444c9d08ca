/** Markup that is safe to send: what `html` made, and nothing else. */
export interface Html {
  readonly markup: string
}

type Value = Html | Html[] | string | number | null | undefined

/** A template of markup (HTML, SVG or XML): every value in it is escaped, unless it was made by this tag too. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return {
    markup: parts
      .map((part, index) => part + (index < values.length ? rendered(values[index]) : ''))
      .join(''),
  }
}

/** A link to another host, as a source gave it; only its words where the address is none of the web. */
export function outwardLink(address: string, words: string, name?: string): Html {
  if (!/^https?:\/\//i.test(address)) return html`${words}`
  const named = name ? html` class="${name}"` : null
  return html`<a${named} href="${address}" rel="noopener">${words}</a>`
}

/** A data block for machines: JSON that cannot end its script element. The browser runs nothing of it. */
export function dataBlock(type: string, data: unknown): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="${type}">${{ markup: json }}</script>`
}

function rendered(value: Value): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(item => item.markup).join('')
  if (typeof value === 'object') return value.markup
  return escaped(String(value))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters go: XML 1.0 cannot hold them, and a feed with one is refused as a whole. */
function escaped(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}
