import items from '../../../data/items.json' with { type: 'json' }
import { nearestName } from '../../contract/parameterFaults.ts'
import { notFound } from '../errors.ts'

/** By slug. */
export const TRACKED_ITEMS = items
  .map(({ slug, name, category }) => ({ slug, name, category }))
  .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
const SLUGS = TRACKED_ITEMS.map(({ slug }) => slug)

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The slug that contains what was written, such as ford-f-150 for F150; without one the slug that is spelled most like it. */
function nearestSlug(written: string): string | null {
  const letters = lettersOf(written)
  const containing = SLUGS.filter(slug => letters !== '' && lettersOf(slug).includes(letters))
  return nearestName(written, containing.length > 0 ? containing : SLUGS)
}

/**
 * Checks that an item is tracked.
 * @throws ApiError not_found that names the nearest slug of `data/items.json`.
 */
export function assertTrackedItem(slug: string): void {
  if (SLUGS.includes(slug)) return
  throw notFound(
    `This item is not tracked. Did you mean "${nearestSlug(slug)}"? GET /api/v1/items lists all items.`,
  )
}
