import type { Caller } from '../../domain/caller.ts'
import { filtersOf } from '../../domain/search/filters.ts'
import { searchListings } from '../../handlers/searchListings.ts'
import { readTrip } from '../../site/auctionTrip.ts'
import { countFacets, type SentSearch } from '../../usecases/searchLots.ts'
import {
  aboutSource,
  nullWhileUnavailable,
  suggestBroader,
  suggestWider,
} from '../../usecases/suggestSearches.ts'
import { readAppraisals } from '../../usecases/valuation/readAppraisal.ts'
import { noLots } from '../kit/noLots.ts'
import type { Sent, Site } from '../kit/site.ts'
import { assertPlace } from './readForm.ts'

/**
 * Lots that are alike in a sale are one card where the search has words: a
 * search for monitors would else be a page of one monitor. Without words
 * grouping takes ten times as long, and neighbors are seldom alike.
 */
export function groupingOf(sent: Sent): Record<string, string> {
  const names = sent.map(([name]) => name)
  return names.includes('q') && !names.includes('group')
    ? { group: 'sale' }
    : {}
}

export type Results = Awaited<ReturnType<typeof readResults>>

/**
 * A search, what it found, and what it would find with fewer filters.
 * @throws ApiError invalid_request for an invalid one.
 */
export async function readResults(
  { deps, sources, now }: Site,
  { sent, input }: SentSearch,
  caller: Caller,
) {
  assertPlace(sent)
  const search = input(groupingOf(sent))
  const [answer, facets, trip] = await Promise.all([
    searchListings(deps, search, caller),
    countFacets(deps, search, caller).catch(nullWhileUnavailable),
    readTrip(deps, search, caller).catch(nullWhileUnavailable),
  ])
  const found = answer.value()
  const isEmpty = found.total === 0
  const hasFilters = filtersOf(search).length > 0
  return {
    sent,
    search,
    found,
    /**
     * Why there are no lots at all, for a search without filters that found
     * nothing; null for any other.
     */
    empty: isEmpty && !hasFilters ? await noLots(deps) : null,
    /** Suggestions, for a search that found nothing. */
    broader:
      isEmpty && hasFilters ? await suggestBroader(deps, search, caller) : [],
    wider: isEmpty ? await suggestWider(deps, search, caller) : [],
    /** Of a source that is unknown or was never loaded, that it is. */
    unloaded: isEmpty ? await aboutSource(deps, search, caller) : null,
    values: await readAppraisals(deps, found.data, caller),
    /** What the search can be narrowed to; null while it cannot be counted. */
    facets,
    /** The auction that it asks for; null where it asks for none. */
    trip,
    sources: await sources(),
    now: now(),
  }
}
