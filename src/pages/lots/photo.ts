import type { Listing } from '../../contract/types.ts'
import { photoOf } from '../../domain/photos.ts'
import { type Html, html } from '../kit/html.ts'
import { drawingOf } from './cards.ts'

/**
 * The photo of a lot, with a larger one behind a press; it needs no script. Behind it is the drawing of the category, for lots without a
 * photo and photos that do not load. The script of the site takes out the button of a photo that fails.
 */
export function largePhoto(listing: Listing) {
  const { category, title } = listing
  const address = photoOf(listing)
  const frame = (photo: Html | null) =>
    html`<div class="photo ${category}">${drawingOf(category)}${photo}</div>`
  if (!address) return frame(null)
  const image = (alt: string, more: Html) =>
    html`<img src="${address}" alt="${alt}" decoding="async" referrerpolicy="no-referrer"${more}>`
  return html`${frame(html`<button type="button" popovertarget="large-photo">${image(`Photo of ${title}`, html` fetchpriority="high"`)}</button>`)}
<div id="large-photo" class="large-photo" popover><button type="button" popovertarget="large-photo" popovertargetaction="hide">${image('Close the photo', html` loading="lazy"`)}</button></div>`
}
