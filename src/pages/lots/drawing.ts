import kinds from '../../../data/drawings.json' with { type: 'json' }
import type { Listing } from '../../contract/types.ts'
import { type Html, html } from '../kit/html.ts'
import { DRAWINGS } from '../kit/staticFiles.ts'

/**
 * What has a drawing of its own, with the words of an item or a title that name
 * it; the first one counts.
 */
const KINDS = kinds.map(([name = '', words = '']) => ({
  name,
  words: new RegExp(words, 'i'),
}))

/** The drawing of what a lot is, else of its category. */
export function drawingOfLot({ category, item, title }: Listing): Html {
  const named = `${item ?? ''} ${title}`
  return drawing(KINDS.find(({ words }) => words.test(named))?.name ?? category)
}

/**
 * A drawing of `assets/icons.svg`, in the color of the text around it.
 * @param name a category, or a kind of `data/drawings.json`.
 */
export function drawing(name: string): Html {
  return html`<svg class="drawing" viewBox="0 0 24 24" aria-hidden="true"><use href="${DRAWINGS.address}#${name}"/></svg>`
}
