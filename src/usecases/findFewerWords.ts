import type { Input } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from './deps.ts'
import { searchListings } from './searchListings.ts'

/** The same search with fewer words, and how many live lots match it. */
export interface Shorter {
  q: string
  total: number
}

const MOST_WORDS = 10
/** After this time there is no suggestion: a hint must not delay the response. */
const BUDGET_MS = 1_000

/**
 * For a search for several words that finds nothing: the same with as few words less as find something. Words that no lot has
 * go first; then any one, and where that is not enough, the rarest and any one more.
 * @returns null for a single word or one with an operator, and where nothing was found in about a second.
 */
export async function findFewerWords(
  deps: Deps,
  search: Input<'searchListings'>,
  caller: Caller,
): Promise<Shorter | null> {
  const startedAt = performance.now()
  const words = search.q?.trim().split(/\s+/) ?? []
  const isPlain = words.every(word => /^[\p{Alphabetic}0-9][^"]*$/u.test(word) && !/^or$/i.test(word))
  if (words.length < 2 || words.length > MOST_WORDS || !isPlain) return null

  async function totalOf(q: string): Promise<Shorter> {
    const late = performance.now() - startedAt > BUDGET_MS
    return {
      q,
      total: late ? 0 : (await searchListings(deps, { ...search, q, page: 1, per_page: 1 }, caller)).total,
    }
  }
  const each: Shorter[] = []
  for (const word of words) each.push(await totalOf(word))
  let kept = each.filter(({ total }) => total > 0)
  const joined = (of: Shorter[]) => of.map(({ q }) => q).join(' ')
  if (kept.length === 0) return null
  if (kept.length < words.length) {
    const found = await totalOf(joined(kept))
    if (found.total > 0) return found
  }
  while (kept.length > 1) {
    const found: Shorter[] = []
    for (const word of kept) found.push(await totalOf(joined(kept.filter(other => other !== word))))
    const [best] = found.toSorted((a, b) => b.total - a.total)
    if (best!.total > 0) return best!
    const rarest = Math.min(...kept.map(({ total }) => total))
    kept = kept.filter(({ total }) => total > rarest)
  }
  return null
}
