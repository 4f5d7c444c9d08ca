import { ApiError, ClientLeft } from '../contract/errors.ts'
import { printable } from '../contract/text.ts'
import type { Input, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { type FilterName, filtersOf } from '../domain/search/filters.ts'
import { nearWords, wantedWords } from '../domain/search/nearWords.ts'
import { readTitleVocabulary } from '../infra/search/listings.ts'
import { readSources } from '../infra/site/sources.ts'
import type { Deps } from './deps.ts'
import { countLots, withDefaults } from './searchLots.ts'

type Search = Input<'searchListings'>
type Suggestion = NonNullable<Schemas['Suggestion']>

export interface Broader {
  /** The filter to drop. */
  filter: FilterName
  /** How many live lots match without it. */
  total: number
}

type Bound = 'radius_miles' | 'closing_within_hours'

/** The nearest first; both together where neither alone finds something. */
const WIDER: Partial<Record<Bound, number>>[] = [
  { radius_miles: 100 },
  { radius_miles: 200 },
  { closing_within_hours: 168 },
  { radius_miles: 200, closing_within_hours: 168 },
]

/**
 * After this time, what was counted so far is returned: a hint must not delay
 * the response.
 */
const BUDGET_MS = 1_000

/** A search without one of its filters. */
export interface BroaderSearch {
  filter: FilterName
  /** How many lots it finds. */
  total: number
}

/**
 * For a search that finds nothing: how many lots are live without each of its
 * filters but what names the thing that is wanted: the words, the make, and
 * without these the category. The most first. Filters whose removal finds
 * nothing are left out. At most one count for each filter, for about a second
 * in all.
 */
export async function suggestBroader(
  deps: Deps,
  search: Search,
  caller: Caller,
): Promise<BroaderSearch[]> {
  const startedAt = performance.now()
  const broader: BroaderSearch[] = []
  const isNamed = search.q !== undefined || search.vehicle_make !== undefined
  // One after the other: a page that finds nothing takes no more connections
  // than one that finds something.
  for (const filter of filtersOf(search)) {
    if (
      filter === 'q' ||
      filter === 'vehicle_make' ||
      (filter === 'category' && !isNamed)
    )
      continue
    if (performance.now() - startedAt > BUDGET_MS) break
    const { [filter]: _dropped, sort: _sort, ...rest } = search
    const total = await countLots(deps, withDefaults(rest), caller)
    if (total > 0) broader.push({ filter, total })
  }
  return broader.toSorted((a, b) => b.total - a.total)
}

/** A search with other values of filters, which finds so many live lots. */
export interface Wider {
  values: Partial<Record<Bound, number>>
  total: number
}

/**
 * For a search that finds nothing: how many lots are live in a wider circle,
 * and until a later end.
 */
export async function suggestWider(
  deps: Deps,
  search: Search,
  caller: Caller,
): Promise<Wider[]> {
  const wider: Wider[] = []
  for (const values of WIDER) {
    const bounds = Object.entries(values) as [Bound, number][]
    const isWider = bounds.every(([name, value]) => {
      const now =
        name === 'radius_miles' && !search.zip ? undefined : search[name]
      return now !== undefined && now < value
    })
    if (!isWider || (bounds.length > 1 && wider.length > 0)) continue
    const total = await countLots(deps, { ...search, ...values }, caller)
    if (total > 0) wider.push({ values, total })
  }
  return wider
}

const MOST_WORDS = 10
/**
 * With 100,000 lots, one ends every few seconds, and reading the words of their
 * titles takes half a second of a quiet machine.
 */
const WORDS_GOOD_FOR_MS = 60_000

/**
 * For a search that finds nothing: its words in a spelling that finds
 * something, else with as few words less as find something.
 * @param countOf how many other words find.
 * @returns null where the search found something or has no words, and where
 * nothing was found in about a second.
 * @throws ClientLeft: the words are read for all callers, and would be for
 * nobody then.
 */
export async function suggestWords(
  deps: Deps,
  { q, total }: { q?: string; total: number },
  countOf: (q: string) => Promise<number>,
  caller: Caller,
): Promise<Suggestion | null> {
  if (q === undefined || total > 0) return null
  const startedAt = performance.now()
  if (caller.hasLeft()) throw new ClientLeft()
  const known = await deps.counts('words of titles', readTitleVocabulary, {
    goodForMs: WORDS_GOOD_FOR_MS,
  })
  async function suggested(other: string): Promise<Suggestion> {
    const late = performance.now() - startedAt > BUDGET_MS
    return { q: other, total: late ? 0 : await countOf(other) }
  }
  const spelled = nearWords(q, known)
  const found = spelled === null ? null : await suggested(spelled)
  return found?.total ? found : fewerWords(q, suggested)
}

/**
 * Leaves out the one word without which most is found, else all that do not say
 * what is wanted.
 * @returns null for a single word or one with an operator, and where nothing
 * was found.
 */
async function fewerWords(
  q: string,
  suggested: (q: string) => Promise<Suggestion>,
) {
  const words = q.trim().split(/\s+/)
  const isPlain = words.every(
    word => /^[\p{Alphabetic}0-9][^"]*$/u.test(word) && !/^or$/i.test(word),
  )
  const wanted = wantedWords(words)
  if (
    wanted.length === 0 ||
    wanted.length === words.length ||
    words.length > MOST_WORDS ||
    !isPlain
  )
    return null
  const bare = await suggested(wanted.join(' '))
  if (bare.total === 0) return null
  const found = []
  for (const less of words)
    if (!wanted.includes(less))
      found.push(await suggested(words.filter(word => word !== less).join(' ')))
  const [best] = found.toSorted((a, b) => b.total - a.total)
  return best!.total > 0 ? best! : bare
}

/**
 * For a search of one source that found nothing: that the source is unknown or
 * was never loaded; null for any other.
 */
export async function aboutSource(
  deps: Deps,
  { source }: Search,
  caller: Caller,
): Promise<string | null> {
  if (source === undefined) return null
  const known = (await deps.reads.read(caller, readSources)).find(
    one => one.source === source,
  )
  if (!known) return `No source has the key "${printable(source, 64)}".`
  return known.last_success_at === null
    ? `${known.name} is tracked, but was never loaded here.`
    : null
}

/**
 * For a hint beside an answer: a database that is unreachable or slow now costs
 * only the hint.
 */
export function nullWhileUnavailable(error: unknown): null {
  if (error instanceof ApiError && error.status === 503) return null
  throw error
}
