import type { Owned } from '../../domain/alerts/savedSearch.ts'
import {
  changeEndpoint,
  makeEndpoint,
  resumeEndpoint,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { Deps } from '../../usecases/deps.ts'
import {
  type AccountHandlers,
  type AccountVisit,
  ownedBy,
} from '../account/session.ts'
import { type Addresses, unlessRefused } from '../kit/requests.ts'
import { ENDPOINTS_PATH, endpointsPage, webhookPage } from './webhookPage.ts'

/**
 * The pages under /account/alerts/endpoints: webhook endpoints, their secrets
 * and their delivery logs.
 */
export function endpointPages({ page, change }: AccountHandlers): Addresses {
  /** @param work returns the notice after it. */
  const press = (work: (deps: Deps, owned: Owned) => Promise<string>) => ({
    post: change(async visit => {
      const owned = ownedBy(visit)
      const done = await work(visit.deps, owned)
      return `${done === 'deleted' ? ENDPOINTS_PATH : `${ENDPOINTS_PATH}/${owned.id}`}?done=${done}`
    }),
  })
  return {
    [ENDPOINTS_PATH]: {
      get: page(visit => endpointsPage(visit, null)),
      post: change(make),
    },
    [`${ENDPOINTS_PATH}/:id`]: { get: page(webhookPage) },
    [`${ENDPOINTS_PATH}/:id/rotate`]: press((deps, owned) =>
      changeEndpoint(deps, owned, 'rotate').then(() => 'rotated'),
    ),
    [`${ENDPOINTS_PATH}/:id/delete`]: press((deps, owned) =>
      changeEndpoint(deps, owned, 'delete').then(() => 'deleted'),
    ),
    [`${ENDPOINTS_PATH}/:id/test`]: press(async (deps, owned) =>
      (await testEndpoint(deps, owned)) ? 'tested' : 'no-lot',
    ),
    [`${ENDPOINTS_PATH}/:id/resume`]: press(async (deps, owned) =>
      (await resumeEndpoint(deps, owned)) ? 'resumed' : 'nothing',
    ),
  }
}

function make(visit: AccountVisit) {
  return unlessRefused(
    async () =>
      `${ENDPOINTS_PATH}/${await makeEndpoint(visit.deps, visit.viewer.accountId, visit.fields.url ?? '')}?done=made`,
    problem => endpointsPage(visit, problem),
  )
}
