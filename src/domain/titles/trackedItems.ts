import { closest, distance } from 'fastest-levenshtein'
import items from '../../../data/items.json' with { type: 'json' }
import { notFound } from '../../contract/errors.ts'
import { bareLetters } from '../../contract/text.ts'

/** By slug. */
export const TRACKED_ITEMS = items
  .map(({ slug, name, category }) => ({ slug, name, category }))
  .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
/** Fewer are in many slugs by chance. */
const LEAST_LETTERS = 3
const SLUGS = TRACKED_ITEMS.map(({ slug }) => slug)

/**
 * The slug that contains what was written, such as ford-f-150 for F150; else
 * the one whose words each have at most two letters wrong; else null.
 */
function nearestSlug(written: string) {
  const letters = bareLetters(written)
  const containing = SLUGS.filter(
    slug =>
      letters.length >= LEAST_LETTERS && bareLetters(slug).includes(letters),
  )
  const words = written.toLowerCase().split('-')
  const isNear = (slug: string) => {
    const own = slug.split('-')
    return (
      own.length === words.length &&
      own.every((word, at) => distance(word, words[at]!) <= 2)
    )
  }
  const near = containing.length > 0 ? containing : SLUGS.filter(isNear)
  return near.length > 0 ? closest(written, near) : null
}

/**
 * Checks that an item is tracked.
 * @throws ApiError not_found that names a slug of `data/items.json` that is
 * spelled almost like it.
 */
export function assertTrackedItem(slug: string): void {
  if (SLUGS.includes(slug)) return
  const near = nearestSlug(slug)
  const meant = near === null ? '' : ` Did you mean "${near}"?`
  throw notFound(
    `This item is not tracked.${meant} See the list of tracked items.`,
  )
}
