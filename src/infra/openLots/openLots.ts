import { LRUCache } from 'lru-cache'
import type { LotSearch } from '../../domain/search/lotSearch.ts'
import { type WordMatches, wordMatches } from '../../domain/search/wordMatches.ts'
import {
  type Found,
  findWords,
  type ListingContext,
  type NamedListings,
  type PageQuery,
  readListings,
} from '../listings.ts'
import { idsOf } from './idsOf.ts'
import type { KeptIndex } from './keptIndex.ts'

/** Runs one statement for the caller. */
export type RunStatement = <T>(statement: (context: ListingContext) => Promise<T>) => Promise<T>

/** For whoever watches. */
export interface OpenLotsStatus {
  /** Lots in the index; 0 while there is none. */
  lots: number
  /** Searches that the index has answered, and those that it left to the database. */
  answered: number
  passedOn: number
}

/** Searches by the index of the open lots. */
export interface OpenLots {
  /**
   * Total and order come from the index, the lots from the database, which tells in the same statement whether the index still
   * holds. @returns null when it does not, or there is none: then the database must search.
   */
  find(query: PageQuery, run: RunStatement): Promise<Found | null>
  /** Makes ready for the first search. */
  prepare(): void
  status(): OpenLotsStatus
  end(): Promise<void>
}

const WORDS_BYTES = 16_000_000
/** A lot may begin or end between the search and the statement; it does not do so again and again. */
const MOST_TRIES = 3

export function createOpenLots(kept: KeptIndex): OpenLots {
  const matchesByWords = new LRUCache<string, WordMatches>({
    maxSize: WORDS_BYTES,
    sizeCalculation: ({ bytes }, words) => bytes + words.length,
  })
  let searched: LotSearch | null = null
  /** How far the clock of the database is ahead of ours. */
  let ahead_ms = 0
  let answered = 0
  let passedOn = 0

  async function find(query: PageQuery, run: RunStatement): Promise<Found | null> {
    const search = kept.current(query.window.sort)
    if (!search) return null
    if (search !== searched) matchesByWords.clear()
    searched = search
    const { words } = query.filter
    const matches = words === null ? null : await matchesOf(search, words, run)
    if (words !== null && matches === null) return null
    return findAt(query, search, matches, run)
  }

  async function matchesOf(search: LotSearch, words: string, run: RunStatement): Promise<WordMatches | null> {
    const known = matchesByWords.get(words)
    if (known) return known
    const { offers, ids } = await run(context => findWords(context, words))
    if (!kept.holds(search, { offers })) return null
    const matches = wordMatches(search.index, ids)
    if (search === searched) matchesByWords.set(words, matches)
    return matches
  }

  async function findAt(
    { filter, window, columns }: PageQuery,
    search: LotSearch,
    matches: WordMatches | null,
    run: RunStatement,
  ): Promise<Found | null> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { found, asked_ms, read } = await run(async context => {
        const asked_ms = context.now?.getTime() ?? Date.now() + ahead_ms
        const found = search.find(filter, window, matches, asked_ms)
        const ids = idsOf(search.index, found.ordinals)
        const read = await readListings(context, ids, { center: filter.center, columns })
        ahead_ms = read.now_ms - Date.now()
        return { found, asked_ms, read }
      })
      if (!kept.holds(search, read, window.sort)) return null
      const isSameMoment =
        search.nextChange(Math.min(asked_ms, read.now_ms)) > Math.max(asked_ms, read.now_ms)
      if (isSameMoment)
        return isWhole(found.ordinals.length, read) ? foundOf(search, found.total, read) : null
    }
    return null
  }

  return {
    find: async (query, run) => {
      const found = await find(query, run)
      if (found) answered += 1
      else passedOn += 1
      return found
    },
    prepare: kept.prepare,
    status: () => ({ lots: kept.lots(), answered, passedOn }),
    end: kept.end,
  }
}

/** Less than was asked for would be a lot that the index shows and the database does not: then the database is right. */
function isWhole(asked: number, { live }: NamedListings): boolean {
  return live === asked
}

function foundOf(search: LotSearch, total: number, { version, now_ms, text }: NamedListings): Found {
  return { version, now_ms, until_ms: search.nextChange(now_ms), total, text }
}
