import items from '../../data/items.json' with { type: 'json' }
import { nearestName, shown } from '../contract/parameterFaults.ts'
import { ApiError } from '../domain/errors.ts'

const SLUGS = items.map(({ slug }) => slug)

/**
 * Checks that an item is tracked.
 * @throws ApiError not_found that names the nearest slug of `data/items.json`.
 */
export function assertTrackedItem(slug: string): void {
  if (SLUGS.includes(slug)) return
  throw new ApiError(
    'not_found',
    `No tracked item has the slug "${shown(slug)}". Did you mean "${nearestName(slug, SLUGS)}"? GET /api/v1/items lists all.`,
  )
}
