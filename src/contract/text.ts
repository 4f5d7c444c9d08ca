/** Text that somebody else wrote, for messages, markup and comparison. */

/**
 * Foreign text on one line: no line ends, which could look like lines of ours,
 * and nothing that turns the direction of writing.
 */
export function oneLine(text: string): string {
  return text
    .replace(
      /[\s\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu,
      ' ',
    )
    .trim()
}

/** The letters and digits of a text, in lower case. */
export function bareLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z\d]/g, '')
}

/**
 * At most so many characters, the last of them an ellipsis where the text is
 * longer.
 */
export function ellipsized(text: string, longest: number): string {
  const characters = [...text]
  return characters.length > longest
    ? `${characters.slice(0, longest - 1).join('')}…`
    : text
}

/** What a client sent, for a message to it: printable ASCII, and short. */
export function printable(sent: string, longest: number): string {
  const ascii = sent.replace(/[^\x20-\x7e]/g, '?')
  return ascii.length > longest ? `${ascii.slice(0, longest)}…` : ascii
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * A text for HTML or XML, in an element or a quoted attribute. Control
 * characters are removed: XML 1.0 cannot hold them, and feed readers reject the
 * whole feed for one.
 */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

/** A text whose `{name}` are the values; every name needs one. */
export function filled(
  text: string,
  values: Record<string, string | number>,
): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}

/**
 * Any value as text; empty for one that holds others, whose own `toString`
 * would be called.
 */
export function writtenValue(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}
