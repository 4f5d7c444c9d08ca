import { pageJson, type RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { filterOf, searchLots } from '../usecases/searchLots.ts'
import { nullWhileUnavailable, suggestSpelling } from '../usecases/suggestSearches.ts'

/**
 * One page of the live lots that match, with the exact count of all. Where none match, the answer links to the same search in a
 * spelling that finds something.
 * @throws ApiError invalid_request as `filterOf` does.
 */
export async function searchListings(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<RawJson<Ok<'searchListings'>>> {
  const { page, per_page, sort, q } = input
  const window = { sort, limit: per_page, offset: (page - 1) * per_page }
  const { text, total, ...validity } = await searchLots(deps, filterOf(input), window, caller)
  const answer = pageJson<Ok<'searchListings'>>(text, { page, per_page, total }, validity)
  if (total === 0 && q !== undefined) {
    const related = await suggestSpelling(deps, { ...input, q }, validity, caller).catch(nullWhileUnavailable)
    if (related !== null) answer.links.push({ relation: 'related', query: { q: related, page: '1' } })
  }
  return answer
}
