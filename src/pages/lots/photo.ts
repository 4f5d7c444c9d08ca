import type { Listing } from '../../contract/types.ts'
import { photoOf } from '../../domain/photos.ts'
import { type Html, html } from '../kit/html.ts'
import { DRAWINGS } from '../kit/staticFiles.ts'

/** The drawing of a category, in the color of the text around it. */
export function drawingOf(category: Listing['category']): Html {
  return html`<svg class="drawing" viewBox="0 0 24 24" aria-hidden="true"><use href="${DRAWINGS.address}#${category}"/></svg>`
}

/**
 * The photo of a lot in a frame, loaded from its source. Behind it is the drawing of the category, for lots without a photo and photos
 * that do not load: sources may refuse them.
 * @param alt empty where the title is beside it.
 */
export function photoFrame(listing: Listing, alt = ''): Html {
  const address = photoOf(listing)
  const photo = html`<img src="${address}" alt="${alt}" width="400" height="300" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
  return html`<div class="photo ${listing.category}">${drawingOf(listing.category)}${address ? photo : null}</div>`
}
