import { escapeMarkup } from '../../contract/text.ts'

/** Markup that is safe to send: only `html` creates it. */
export interface Html {
  readonly markup: string
}

/**
 * What `html` takes: text and numbers are escaped; false, null and undefined
 * are nothing.
 */
export type Value = Html | Html[] | string | number | false | null | undefined

/**
 * A template tag for markup (HTML, SVG or XML). Escapes every value that this
 * tag did not create itself.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return {
    markup: parts.map((part, index) => part + rendered(values[index])).join(''),
  }
}

/** A text whose `{name}` are values, escaped as `html` escapes them. */
export function filledHtml(text: string, values: Record<string, Value>): Html {
  return {
    markup: escapeMarkup(text).replace(/\{(\w+)\}/g, (_, name) =>
      rendered(values[name]),
    ),
  }
}

/** A part of a page under a heading of its own. @param id of the heading. */
export function section(id: string, heading: Value, content: Value): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}</section>`
}

/**
 * A list whose items beyond the first ones are folded.
 * @param style its class.
 */
export function foldedList(items: Html[], shown: number, style: string): Html {
  const list = (part: Html[]) => html`<ul class="${style}">\n${part}</ul>`
  const rest = items.slice(shown)
  return html`${list(items.slice(0, shown))}${rest.length > 0 && html`<details><summary>${rest.length} more</summary>${list(rest)}</details>`}`
}

/**
 * A link that a source published; plain words when the address is not http or
 * https.
 */
export function outwardLink(
  address: string,
  words: string,
  name?: string,
): Html {
  if (!/^https?:\/\//i.test(address)) return html`${words}`
  return html`<a${name && html` class="${name}"`} href="${address}" rel="noopener">${words}</a>`
}

/**
 * Structured data for machines: JSON that cannot end its script element.
 * Browsers do not execute it.
 */
export function structuredData(data: unknown): Html {
  return html`<script type="application/ld+json">${{ markup: JSON.stringify(data).replaceAll('<', '\\u003c') }}</script>`
}

function rendered(value: Value) {
  if (value == null || value === false) return ''
  if (Array.isArray(value)) return value.map(item => item.markup).join('')
  if (typeof value === 'object') return value.markup
  return escapeMarkup(String(value))
}
