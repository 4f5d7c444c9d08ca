import { LRUCache } from 'lru-cache'
import type { Schemas } from '../../contract/types.ts'
import type { ListingWindow } from '../../domain/search/listingFilter.ts'
import type { LotSearch } from '../../domain/search/lotSearch.ts'
import { type WordMatches, wordMatches } from '../../domain/search/wordMatches.ts'
import type { Found, ListingContext, PageQuery } from '../listings/listings.ts'
import { idsOf } from '../openLots/idsOf.ts'
import type { OfferState } from '../postgres/dataVersion.ts'
import type { KeptIndex } from './currentIndex.ts'
import { findWords, readListings, readSources } from './listingsById.ts'

/** Runs one statement for the caller. */
export type RunStatement = <T>(statement: (context: ListingContext) => Promise<T>) => Promise<T>

/** For whoever watches. */
interface OpenLotsStatus {
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
  /** Every source with its live lots, by key; null as above. */
  countBySource(run: RunStatement): Promise<Schemas['Source'][] | null>
  /** Makes ready for the first search. */
  prepare(): void
  status(): OpenLotsStatus
  end(): Promise<void>
}

const WORDS_BYTES = 16_000_000
/** More lots are read faster along an index of the database than each by its id: 5,000 for an export in half the time. */
const MOST_NAMED = 1_000
const NONE_OF_THEM: ListingWindow = { sort: 'ending_soon', limit: 0, offset: 0 }
/** A lot may begin or end between the search and the statement; it does not do so again and again. */
const MOST_TRIES = 3

export function createOpenLots(kept: KeptIndex): OpenLots {
  /** Weakly, so that an index goes when it is given up. */
  const matchesOfIndex = new WeakMap<LotSearch, LRUCache<string, WordMatches>>()
  /** How far the clock of the database is ahead of ours. */
  let ahead_ms = 0
  let answered = 0
  let passedOn = 0
  const expectedNow = () => Date.now() + ahead_ms

  async function current(sort: ListingWindow['sort']): Promise<LotSearch | null> {
    await kept.arrival()
    return kept.current(sort)
  }

  async function matchesOf(search: LotSearch, words: string, run: RunStatement): Promise<WordMatches | null> {
    const remembered = matchesOfIndex.get(search) ?? wordsCache()
    matchesOfIndex.set(search, remembered)
    const known = remembered.get(words)
    if (known) return known
    const { offers, ids } = await run(context => findWords(context, words))
    if (!kept.holds(search, { offers })) return null
    const matches = wordMatches(search.index, ids)
    remembered.set(words, matches)
    return matches
  }

  /** Looks into the index and reads from the database, until both were at one moment; null when the index holds no more. */
  async function together<Seen, State extends OfferState>(
    search: LotSearch,
    run: RunStatement,
    look: (now_ms: number) => Seen,
    read: (context: ListingContext, seen: Seen) => Promise<State>,
    sort?: ListingWindow['sort'],
  ): Promise<{ seen: Seen; told: State } | null> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { seen, asked_ms, told } = await run(async context => {
        const asked_ms = context.now?.getTime() ?? expectedNow()
        const seen = look(asked_ms)
        const told = await read(context, seen)
        ahead_ms = told.now_ms - Date.now()
        return { seen, asked_ms, told }
      })
      if (!kept.holds(search, told, sort)) return null
      if (search.nextChange(Math.min(asked_ms, told.now_ms)) > Math.max(asked_ms, told.now_ms))
        return { seen, told }
    }
    return null
  }

  async function find({ filter, window, columns }: PageQuery, run: RunStatement): Promise<Found | null> {
    const search = await current(window.sort)
    if (!search) return null
    const words = filter.words === null ? null : await matchesOf(search, filter.words, run)
    if (filter.words !== null && !words) return null
    if (
      window.limit > MOST_NAMED &&
      search.find(filter, NONE_OF_THEM, words, expectedNow()).total > MOST_NAMED
    )
      return null
    const found = await together(
      search,
      run,
      now_ms => search.find(filter, window, words, now_ms),
      (context, { ordinals }) =>
        readListings(context, idsOf(search.index, ordinals), { center: filter.center, columns }),
      window.sort,
    )
    if (!found) return null
    const { seen, told } = found
    // Less than was asked for would be a lot that the index shows and the database does not: then the database is right.
    if (told.live !== seen.ordinals.length) return null
    const { version, now_ms, text } = told
    return { version, now_ms, until_ms: search.nextChange(now_ms), total: seen.total, text }
  }

  async function countBySource(run: RunStatement): Promise<Schemas['Source'][] | null> {
    const search = await current('ending_soon')
    if (!search) return null
    const counted = await together(search, run, now_ms => search.liveBySource(now_ms), readSources)
    if (!counted) return null
    const { seen, told } = counted
    return told.sources.map(({ source, name, last_success_at }) => {
      return { source, name, live_count: seen.get(source) ?? 0, last_success_at }
    })
  }

  return {
    find: async (query, run) => {
      const found = await find(query, run)
      if (found) answered += 1
      else passedOn += 1
      return found
    },
    countBySource,
    prepare: kept.prepare,
    status: () => ({ lots: kept.lots(), answered, passedOn }),
    end: kept.end,
  }
}

function wordsCache(): LRUCache<string, WordMatches> {
  return new LRUCache({
    maxSize: WORDS_BYTES,
    sizeCalculation: ({ bytes }, words) => bytes + words.length,
  })
}
