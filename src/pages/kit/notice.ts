import { type Html, html, type Value } from './html.ts'

/**
 * A sentence that a reader should not miss; null without one. Screen readers
 * announce it.
 * @param kind `good`: something was done; `bad`: something was refused or
 * fails; `plain`: good to know.
 */
export function notice(
  kind: 'good' | 'bad' | 'plain',
  words: Html | string | null,
): Html | null {
  if (!words) return null
  return html`<p class="notice${kind !== 'plain' && ` ${kind}`}" role="${kind === 'bad' ? 'alert' : 'status'}">${words}</p>`
}

/**
 * Why a form was refused, above the form; its input names it by the id
 * "problem".
 */
export function problemNotice(words: string | null): Html | false {
  return words !== null && html`<p role="alert" id="problem">${words}</p>`
}

/** A state in one or two words, in a color. */
export function badge(
  words: Value,
  kind: 'good' | 'poor' | 'neutral' | null = null,
): Html {
  return html`<span class="badge${kind !== null && ` ${kind}`}">${words}</span>`
}
