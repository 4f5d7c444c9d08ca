/** Markup that is safe to send: what `html` made, and nothing else. */
export interface Html {
  readonly markup: string
}

type Value = Html | Html[] | string | number | null | undefined

/** A template of markup: every value in it is escaped, unless it was made by this tag too. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return {
    markup: parts
      .map((part, index) => part + (index < values.length ? rendered(values[index]) : ''))
      .join(''),
  }
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

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}
