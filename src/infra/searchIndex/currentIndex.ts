import type { ListingWindow } from '../../domain/search/listingFilter.ts'
import { createLotSearch, type LotSearch } from '../../domain/search/lotSearch.ts'
import type { Logger } from '../log.ts'
import { buildApart } from '../openLots/buildApart.ts'
import type { BuiltIndex } from '../openLots/builtIndex.ts'
import { tightenHeap } from '../openLots/tightHeap.ts'

/** The index of the open lots, as new as this process knows the lots. */
export interface KeptIndex {
  /** The one to search by; null while there is none for this order. Builds one, where that is due. */
  current(sort: ListingWindow['sort']): LotSearch | null
  /** Whether an index is as new as what a statement has just told, for this order; else another one is built. */
  holds(search: LotSearch, told: Told, sort?: ListingWindow['sort']): boolean
  /** When one is arriving that was built: the moment it is there. It takes some tenths of a second. */
  arrival(): Promise<void>
  /** How many lots are in it; 0 while there is none. */
  lots(): number
  /** Begins to build one, unless one is being built or was built a moment ago. */
  prepare(): void
  end(): Promise<void>
}

/** What a statement tells about the data it was run on; see `NamedListings`. */
interface Told {
  offers: number
  scores?: number
  now_ms?: number
}

export interface KeptIndexSettings {
  databaseUrl: string
  /** With fewer open lots, PostgreSQL alone is as fast. */
  leastLots: number
  /** Whether there are so many open lots. */
  hasLots(least: number): Promise<boolean>
  now(): Date | null
  log: Logger
}

/** Building may take a third of one core, however often the lots change. */
const PAUSE_PER_BUILD = 2
const LEAST_PAUSE_MS = 200
/** After a failure, and while there are few lots. */
const LONG_PAUSE_MS = 10_000
const MOST_BUILD_MS = 300_000
/** Nobody waits longer for one that is arriving. */
const MOST_ARRIVAL_MS = 1_000
/** An index with more lots that have ended is built anew, so that counting on from it stays cheap. */
const MOST_ENDED_SHARE = 0.02
const MOST_ENDED_LEAST = 1_000

export function createKeptIndex(settings: KeptIndexSettings): KeptIndex {
  const { log, now } = settings
  let built: (BuiltIndex & { search: LotSearch }) | null = null
  /** The best deals of another moment are no longer those of now; everything else holds. */
  let hasOldScores = false
  /** The clock of the database, as far as it was told. */
  let now_ms = Number.NEGATIVE_INFINITY
  const ending = new AbortController()
  let building: Promise<void> | null = null
  let notBefore = 0
  let arrival = Promise.resolve()
  let arrived = () => {}

  function prepare(): void {
    if (building || ending.signal.aborted || performance.now() < notBefore) return
    building = build().finally(() => {
      building = null
    })
  }

  async function build(): Promise<void> {
    try {
      if (!(await settings.hasLots(settings.leastLots))) return pause(LONG_PAUSE_MS)
      const made = await buildApart(
        settings.databaseUrl,
        now(),
        AbortSignal.any([ending.signal, AbortSignal.timeout(MOST_BUILD_MS)]),
        makeRoom,
      )
      built = { ...made, search: createLotSearch(made.index) }
      hasOldScores = false
      tightenHeap(made.index.lots)
      log.debug({ lots: made.index.lots, tookMs: made.tookMs }, 'the open lots are indexed')
      pause(Math.max(LEAST_PAUSE_MS, PAUSE_PER_BUILD * made.tookMs))
    } catch (error) {
      pause(LONG_PAUSE_MS)
      if (!ending.signal.aborted)
        log.warn({ err: error }, 'the open lots could not be indexed; tried again in 10 seconds')
    } finally {
      arrived()
    }
  }

  /** Two indexes would take twice the memory. */
  function makeRoom(): void {
    built = null
    arrival = new Promise(resolve => {
      arrived = resolve
      setTimeout(resolve, MOST_ARRIVAL_MS).unref()
    })
  }

  function pause(ms: number): void {
    notBefore = performance.now() + ms
  }

  function holds(search: LotSearch, told: Told, sort?: ListingWindow['sort']): boolean {
    if (built?.search !== search) return false
    // A clock that was set back is before the index.
    const isBefore = told.now_ms !== undefined && told.now_ms < search.index.as_of_ms
    if (told.offers !== built.offers || isBefore) {
      built = null
      prepare()
      return false
    }
    now_ms = told.now_ms ?? now_ms
    hasOldScores ||= told.scores !== undefined && told.scores !== built.scores
    return sort !== 'best_deals' || !hasOldScores
  }

  function current(sort: ListingWindow['sort']): LotSearch | null {
    const search = built?.search ?? null
    if (!search || hasOldScores || isWorn(search)) prepare()
    return sort === 'best_deals' && hasOldScores ? null : search
  }

  function isWorn(search: LotSearch): boolean {
    return search.ended(now_ms) > Math.max(MOST_ENDED_LEAST, MOST_ENDED_SHARE * search.index.lots)
  }

  return {
    current,
    holds,
    arrival: () => arrival,
    lots: () => built?.index.lots ?? 0,
    prepare,
    end: async () => {
      ending.abort()
      await building
    },
  }
}
