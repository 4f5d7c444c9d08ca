import type { Owned } from '../../domain/alerts/savedSearch.ts'
import {
  changeEndpoint,
  makeEndpoint,
  resumeEndpoint,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type AccountHandlers, type AccountVisit, ownedBy } from '../account/session.ts'
import { type Addresses, unlessRefused } from '../kit/requests.ts'
import { endpointsPage, webhookPage } from './webhookPage.ts'

const HOME = '/account/alerts/endpoints'

/** The pages under /account/alerts/endpoints: webhook endpoints, their secrets and their delivery logs. */
export function endpointPages({ page, change }: AccountHandlers): Addresses {
  /** @param work returns the notice after it. */
  const press = (work: (deps: Deps, owned: Owned) => Promise<string>) => ({
    post: change(async visit => {
      const owned = ownedBy(visit)
      const done = await work(visit.deps, owned)
      return `${done === 'deleted' ? HOME : `${HOME}/${owned.id}`}?done=${done}`
    }),
  })
  return {
    [HOME]: { get: page(visit => endpointsPage(visit, null)), post: change(make) },
    [`${HOME}/:id`]: { get: page(webhookPage) },
    [`${HOME}/:id/rotate`]: press((deps, owned) =>
      changeEndpoint(deps, owned, 'rotate').then(() => 'rotated'),
    ),
    [`${HOME}/:id/delete`]: press((deps, owned) =>
      changeEndpoint(deps, owned, 'delete').then(() => 'deleted'),
    ),
    [`${HOME}/:id/test`]: press(async (deps, owned) =>
      (await testEndpoint(deps, owned)) ? 'tested' : 'no-lot',
    ),
    [`${HOME}/:id/resume`]: press(async (deps, owned) =>
      (await resumeEndpoint(deps, owned)) ? 'resumed' : 'nothing',
    ),
  }
}

function make(visit: AccountVisit) {
  return unlessRefused(
    async () =>
      `${HOME}/${await makeEndpoint(visit.deps, visit.viewer.accountId, visit.fields.url ?? '')}?done=made`,
    problem => endpointsPage(visit, problem),
  )
}
