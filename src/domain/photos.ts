import sources from '../../data/sources.json' with { type: 'json' }
import type { Listing } from '../contract/types.ts'
import { formatDate } from './format.ts'

/**
 * The hosts of photos that pages may show, by source: public bodies that
 * publish them for buyers. All others are links.
 */
const HOSTS: Record<string, string[]> = Object.fromEntries(
  sources.flatMap(({ key, photo_hosts }) =>
    photo_hosts ? [[key, photo_hosts]] : [],
  ),
)

/**
 * A photo at a source whose photos pages show, over https: pages show no other.
 */
export function securePhoto(source: string, url: string | null): string | null {
  return (source in HOSTS && url?.replace(/^http:/i, 'https:')) || url
}

/** All hosts that a page may load photos from. */
export const PHOTO_HOSTS = Object.values(HOSTS).flat()

/**
 * The address of the photo that pages show, at the source; null where there is
 * none or it may not be shown.
 */
export function photoOf({
  source,
  image_url,
}: Pick<Listing, 'source' | 'image_url'>): string | null {
  if (image_url === null || !URL.canParse(image_url)) return null
  const { protocol, host } = new URL(image_url)
  return protocol === 'https:' && HOSTS[source]?.includes(host)
    ? image_url
    : null
}

/**
 * What the host of a source's photos answers the public, and since when (RFC
 * 3339); null while unknown.
 */
export interface PhotosState {
  photos_status: number | null
  photos_since: string | null
}

/** "refused (401) since Nov 24, 2026"; null where the photos are shown. */
export function photosRefused({
  photos_status,
  photos_since,
}: PhotosState): string | null {
  if (photos_status === null || photos_since === null || photos_status < 400)
    return null
  return `refused (${photos_status}) since ${formatDate(photos_since)}`
}
