import { type ListingFilter, type ListingWindow, setFilters } from '../../domain/search/filters.ts'
import { findLots, nextChange } from '../../domain/search/findLots.ts'
import { ID_BYTES } from '../../domain/search/lotTable.ts'
import type { ReadLots } from '../listings/byId.ts'
import type { Counted } from '../listings/listings.ts'
import { type CurrentIndexSettings, createCurrentIndex } from './currentIndex.ts'
import type { BuiltTable } from './readTable.ts'

/** What the index finds: the answer, if the statement that reads the lots of the page confirms it. */
interface IndexedPage {
  total: number
  /** The lots of the page, in order, as 32 hexadecimal digits. */
  ids: string[]
  built: BuiltTable
  filter: ListingFilter
  /** Whether the page depends on the scores or values. */
  needsScores: boolean
  /** The moment searched at, in milliseconds since 1970. */
  at_ms: number
}

/** What the statement of the page reports, from its own snapshot. */
type PageState = Pick<ReadLots, 'offers' | 'scores' | 'now_ms' | 'live'>

export type SearchIndex = ReturnType<typeof createSearchIndex>

/** Searches the open lots in memory. */
export function createSearchIndex(settings: CurrentIndexSettings) {
  const index = createCurrentIndex(settings)
  /** How far the clock of the database is ahead of ours. */
  let ahead_ms = 0
  /** A table whose scores or values have changed since: it still answers what does not depend on them. */
  let outdatedScores: BuiltTable | null = null
  let answered = 0
  let passedOn = 0

  /** A page; null when there is no index that can answer. Then the database must. */
  function find(filter: ListingFilter, window: ListingWindow): IndexedPage | null {
    const built = index.built()
    const rules = setFilters(filter).map(({ rule }) => rule)
    const needsMore = rules.some(({ inMemory }) => inMemory === 'database')
    const needsScores =
      window.sort === 'best_deals' ||
      window.sort === 'most_profit' ||
      rules.some(({ passedBefore }) => passedBefore)
    const lacksScores = needsScores && built === outdatedScores
    if (!built || lacksScores) index.build()
    if (!built || lacksScores || needsMore) return null
    const at_ms = settings.now()?.getTime() ?? Date.now() + ahead_ms
    const { total, ordinals } = findLots(built.table, filter, window, at_ms)
    const ids = Buffer.from(built.table.ids.buffer)
    const idOf = (ordinal: number) => ids.toString('hex', ordinal * ID_BYTES, (ordinal + 1) * ID_BYTES)
    return { total, ids: ordinals.map(idOf), built, filter, needsScores, at_ms }
  }

  /**
   * How many lots match, for a search or an export that the database answers.
   * Why: of a million lots it takes the database two seconds, after each change of scores: `node --import tsx bench/size.ts --lots 1000000`.
   * @returns null where the index does not know.
   */
  function count(filter: ListingFilter): Counted | null {
    passedOn += 1
    const page = find(filter, { limit: 0, offset: 0 })
    if (!page || page.needsScores) return null
    const { built, at_ms, total } = page
    const until_ms = nextChange(built.table, filter, at_ms)
    // As in `confirm`: the table lacks what had ended before it was read.
    return { offers: built.offers, now_ms: Math.max(at_ms, built.table.as_of_ms), until_ms, total }
  }

  /**
   * Checks a page against what its statement reports.
   * @returns until when the page is correct (milliseconds since 1970), or null when it is not: then `find` it again.
   */
  function confirm(page: IndexedPage, state: PageState) {
    const { built, at_ms, ids } = page
    ahead_ms = state.now_ms - Date.now()
    // A database clock that was set back can be before the table, which lacks the lots that had ended by then.
    if (state.offers !== built.offers || state.now_ms < built.table.as_of_ms) {
      index.drop(built)
      return null
    }
    if (state.scores !== built.scores) {
      outdatedScores = built
      index.build()
      if (page.needsScores) return null
    }
    const until_ms = nextChange(built.table, page.filter, Math.min(at_ms, state.now_ms))
    if (until_ms <= Math.max(at_ms, state.now_ms) || state.live !== ids.length) return null
    answered += 1
    return until_ms
  }

  return {
    find,
    count,
    confirm,
    /** Starts to build the index before the first search needs it. */
    prepare: index.build,
    /** How many lots are indexed (0 without an index), and how many searches the index answered or left to the database. */
    status: () => ({ lots: index.built()?.table.lots ?? 0, answered, passedOn }),
    end: index.end,
  }
}
