import type { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import { nearWords } from '../domain/search/nearWords.ts'
import { readTitleVocabulary } from '../infra/listings/titleVocabulary.ts'
import type { Deps } from './deps.ts'
import { searchListings, searchListingsText } from './searchListings.ts'

/** A page of a search, and for one that finds nothing the same `q` in a spelling that finds something. */
export async function searchOrSuggest(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<RawJson<Ok<'searchListings'>>> {
  const found = await searchListingsText(deps, input, caller)
  if (found.place?.total_pages === 0 && input.q !== undefined) {
    found.related = await suggestSpelling(deps, { ...input, q: input.q }, found, caller).catch(noSuggestion)
  }
  return found
}

/** The words of live titles are read once for each version of the data, and only where a search found nothing. */
async function suggestSpelling(
  deps: Deps,
  input: Input<'searchListings'> & { q: string },
  { validity }: RawJson<unknown>,
  caller: Caller,
): Promise<string | null> {
  const { reads, vocabulary } = deps
  let known = vocabulary.get('titles', validity)
  if (!known) {
    known = await reads.read(caller, ({ sql, now }) => readTitleVocabulary(sql, now))
    vocabulary.set('titles', known)
  }
  const q = nearWords(input.q, known.value)
  if (q === null) return null
  const { total } = await searchListings(deps, { ...input, q, page: 1, per_page: 1 }, caller)
  return total > 0 ? q : null
}

/** The search itself was answered: a database that is away or slow now costs only the suggestion. */
function noSuggestion(error: unknown): null {
  if (error instanceof ApiError && error.status === 503) return null
  throw error
}
