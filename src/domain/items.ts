import items from '../../data/items.json' with { type: 'json' }

interface TrackedItem {
  slug: string
  include: RegExp
  exclude: RegExp | null
}

/** In the order of data/items.json: exact models before kinds of things, so that the first match is the closest. */
const ITEMS: TrackedItem[] = items.map(({ slug, include, exclude }) => ({
  slug,
  include: new RegExp(include, 'i'),
  exclude: exclude ? new RegExp(exclude, 'i') : null,
}))

/** The slug of the tracked item that a title names, or null. Parts of a thing are not the thing. */
export function tagItem(title: string): string | null {
  return ITEMS.find(({ include, exclude }) => include.test(title) && !exclude?.test(title))?.slug ?? null
}

/** Whether there is a tracked item of this slug. */
export function isTrackedItem(slug: string): boolean {
  return ITEMS.some(item => item.slug === slug)
}
