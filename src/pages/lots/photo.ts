import type { Listing } from '../../contract/types.ts'
import { photoOf } from '../../domain/photos.ts'
import { type Html, html } from '../kit/html.ts'
import { drawingOfLot } from './drawing.ts'

/**
 * The photo of a lot, with a larger one behind a press; it needs no script.
 * Behind it is the drawing of what it is, for lots without a photo and photos
 * that do not load. The script of the site takes out the button of a photo that
 * fails.
 */
export function largePhoto(listing: Listing) {
  const address = photoOf(listing)
  const frame = (photo: Html | null) =>
    html`<div class="photo ${listing.category}${photo === null && ' strip'}">${drawingOfLot(listing)}${photo}</div>`
  if (!address) return frame(null)
  const image = (alt: string, more: Html) =>
    html`<img src="${address}" alt="${alt}" decoding="async" referrerpolicy="no-referrer"${more}>`
  return html`${frame(html`<button type="button" popovertarget="large-photo">${image(`Photo of ${listing.title}`, html` fetchpriority="high"`)}</button>`)}
<div id="large-photo" class="large-photo" popover><button type="button" popovertarget="large-photo" popovertargetaction="hide">${image('Close the photo', html` loading="lazy"`)}</button></div>`
}
