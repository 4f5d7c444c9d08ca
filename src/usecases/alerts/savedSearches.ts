import { invalidRequest, notFound } from '../../contract/errors.ts'
import { PLAN_IDS, PLANS, type Plan } from '../../contract/plans.ts'
import type {
  MailTimes,
  Owned,
  SavedSearch,
} from '../../domain/alerts/savedSearch.ts'
import { count } from '../../domain/format.ts'
import {
  readEndpoints,
  type StoredEndpoint,
} from '../../infra/alerts/endpoints.ts'
import {
  addSavedSearch,
  applyChange,
  changeSavedSearch,
  readSavedSearches,
  type SearchChange,
  type StoredSearch,
} from '../../infra/alerts/savedSearches.ts'
import type { Deps } from '../deps.ts'

export type { StoredSearch } from '../../infra/alerts/savedSearches.ts'

export interface AlertAccount {
  /** What the plan includes. */
  limits: (typeof PLANS)[Plan]['alerts']
  searches: StoredSearch[]
  plan: Plan
  times: MailTimes
  endpoints: StoredEndpoint[]
}

/**
 * The saved searches of an account, the oldest first, with its plan, the times
 * of its mails and its webhook endpoints.
 */
export async function readAlerts(
  { primary }: Deps,
  accountId: number,
): Promise<AlertAccount> {
  const [account, searches] = await primary(context =>
    Promise.all([
      readEndpoints(context, accountId),
      readSavedSearches(context, accountId),
    ]),
  )
  return { ...account, limits: PLANS[account.plan].alerts, searches }
}

/**
 * Saves a search, or a lot to watch, of which only later changes match.
 * @throws ApiError 400 for settings that the plan does not include, and when
 * the account has as many searches as its plan.
 */
export async function createSavedSearch(
  deps: Deps,
  accountId: number,
  search: SavedSearch,
): Promise<void> {
  const { plan, limits } = await assertAllowed(deps, accountId, search)
  const id = await deps.primary(context =>
    addSavedSearch(context, accountId, search, limits.searches),
  )
  if (id === null) throw invalidRequest(allUsed(plan))
}

/**
 * Changes the settings and the filters of a search; a watched lot and a pause
 * stay.
 * @throws ApiError 400, 404.
 */
export async function editSavedSearch(
  deps: Deps,
  owned: Owned,
  search: SavedSearch,
): Promise<void> {
  const { searches } = await assertAllowed(
    deps,
    owned.accountId,
    search,
    owned.id,
  )
  const { lot_id, is_paused } = searchOf(searches, owned.id)
  const query = lot_id === null ? search.query : {}
  assertFound(
    await deps.primary(context =>
      changeSavedSearch(context, owned, {
        ...search,
        query,
        lot_id,
        is_paused,
      }),
    ),
  )
}

/**
 * Pauses, resumes or deletes a search, or gives its feed another secret URL.
 * @throws ApiError 404.
 */
export async function changeSearch(
  { primary }: Deps,
  owned: Owned,
  change: SearchChange,
): Promise<void> {
  assertFound(await primary(context => applyChange(context, owned, change)))
}

/**
 * The search of an account with this id.
 * @throws ApiError 404: also for one of another account.
 */
export function searchOf(searches: StoredSearch[], id: number): StoredSearch {
  const found = searches.find(search => search.id === id)
  assertFound(found !== undefined)
  return found
}

/** Shown to an account that uses all alerts of its plan. */
export function allUsed(plan: Plan): string {
  const { name, alerts } = PLANS[plan]
  return `The plan ${name} includes ${count(alerts.searches, 'alert')}, and this account has that many. Delete one, or choose a larger plan.`
}

/** The name of the smallest plan with instant alerts. */
export const INSTANT_PLAN =
  PLANS[PLAN_IDS.find(plan => PLANS[plan].alerts.isInstant) ?? 'enterprise']
    .name

/**
 * A search that was instant when its account had a larger plan may stay so; it
 * is instant again with that plan.
 */
async function assertAllowed(
  deps: Deps,
  accountId: number,
  search: SavedSearch,
  id?: number,
) {
  const account = await readAlerts(deps, accountId)
  const { endpoints, limits, searches, plan } = account
  const stored = id === undefined ? null : searchOf(searches, id)
  if (
    search.cadence === 'instant' &&
    !limits.isInstant &&
    stored?.cadence !== 'instant'
  ) {
    throw invalidRequest(
      `Instant alerts need ${INSTANT_PLAN}. Choose daily or weekly.`,
    )
  }
  if (search.by_file && plan !== 'enterprise' && !stored?.by_file) {
    throw invalidRequest(
      'A file each day needs the plan Enterprise. Choose another channel.',
    )
  }
  if (
    !search.endpoint_ids.every(each =>
      endpoints.some(endpoint => endpoint.id === each),
    )
  ) {
    throw invalidRequest(
      'This account has no such webhook endpoint. Reload the page, and choose again.',
    )
  }
  return account
}

function assertFound(isFound: boolean): asserts isFound {
  if (!isFound) throw notFound('This account has no such alert.')
}
