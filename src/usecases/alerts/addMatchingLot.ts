import { demoLotLimits } from '../../domain/accounts/limits.ts'
import type { Caller } from '../../domain/caller.ts'
import { searchListings } from '../../handlers/searchListings.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import { wakeInstantSearch } from '../../infra/alerts/demoAlerts.ts'
import type { Deps } from '../deps.ts'
import { inputOf } from './savedSearches.ts'

/**
 * Loads one more demo lot, like one that the newest instant search finds, so that its owner sees an alert arrive.
 * @returns the name of the search; null where no search is instant, or where it finds no lot to imitate.
 * @throws ApiError 429 after 20 lots in an hour.
 */
export async function addMatchingLot(
  deps: Deps,
  runCommand: NonNullable<Deps['runCommand']>,
  caller: Caller,
): Promise<string | null> {
  await deps.primary(sql => assertAttempt(sql, 'Many lots were added.', demoLotLimits(), deps.now()))
  const search = await deps.primary(wakeInstantSearch)
  if (search === null) return null
  const { data } = await searchListings(deps, { ...inputOf(search.query), page: 1, per_page: 1 }, caller)
  if (!data[0]) return null
  await runCommand(['demo', '--like', data[0].id])
  // What waited before was mailed meanwhile, after which the mail of this lot would wait.
  await deps.primary(wakeInstantSearch)
  return search.name
}
