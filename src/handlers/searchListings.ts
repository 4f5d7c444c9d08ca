import { pageJson, RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { BETWEEN_NAMES, readNamedLots } from '../usecases/namedLots.ts'
import { countLots, filterOf, searchLots } from '../usecases/searchLots.ts'
import {
  nullWhileUnavailable,
  suggestWords,
} from '../usecases/suggestSearches.ts'

/**
 * One page of the live lots that match, or of the first of each group of them,
 * with the exact count of all. Where none match, the answer suggests other
 * words that find something, and links to that search.
 * @throws ApiError invalid_request as `filterOf` does.
 */
export async function searchListings(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<RawJson<Ok<'searchListings'>>> {
  const { ids, page, per_page, sort, group } = input
  if (ids !== undefined) return readListings(deps, ids, caller)
  const window = { sort, group, limit: per_page, offset: (page - 1) * per_page }
  const {
    text,
    total,
    twins = null,
  } = await searchLots(deps, filterOf(input), window, caller)
  const countOf = (q: string) => countLots(deps, { ...input, q }, caller)
  const suggestion = await suggestWords(
    deps,
    { ...input, total },
    countOf,
    caller,
  ).catch(nullWhileUnavailable)
  const answer = pageJson<Ok<'searchListings'>>(
    text,
    { page, per_page, total },
    { missing: null, suggestion, twins },
  )
  if (suggestion)
    answer.links.push({
      relation: 'related',
      query: { q: suggestion.q, page: '1' },
    })
  return answer
}

/**
 * These lots, each once, in this order.
 * @param ids ids and slugs, separated by commas.
 */
async function readListings(
  deps: Deps,
  ids: string,
  caller: Caller,
): Promise<RawJson<Ok<'searchListings'>>> {
  const { texts, missing } = await readNamedLots(
    deps,
    ids.split(BETWEEN_NAMES),
    caller,
  )
  const per_page = texts.length
  const page = {
    page: 1,
    per_page,
    total: per_page,
    total_pages: Math.min(per_page, 1),
    missing,
    suggestion: null,
    twins: null,
  }
  return new RawJson(`{"data":[${texts}],${JSON.stringify(page).slice(1)}`)
}
