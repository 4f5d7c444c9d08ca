import sources from '../../data/sources.json' with { type: 'json' }
import type { Listing } from '../contract/types.ts'

/** The hosts of photos that pages may show, by source: public bodies that publish them for buyers. All others are links. */
const HOSTS: Record<string, string[]> = Object.fromEntries(
  sources.flatMap(({ key, photo_hosts }) => (photo_hosts ? [[key, photo_hosts]] : [])),
)

/** All hosts that a page may load photos from. */
export const PHOTO_HOSTS = Object.values(HOSTS).flat()

/** The address of the photo that pages show, at the source; null where there is none or it may not be shown. */
export function photoOf({ source, image_url }: Pick<Listing, 'source' | 'image_url'>): string | null {
  if (image_url === null || !URL.canParse(image_url)) return null
  const { protocol, host } = new URL(image_url)
  return protocol === 'https:' && HOSTS[source]?.includes(host) ? image_url : null
}
