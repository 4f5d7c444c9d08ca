import labels from '../../../data/webhook-labels.json' with { type: 'json' }
import type { Owned } from '../../domain/alerts/savedSearch.ts'
import { queryOf } from '../../http/call.ts'
import {
  changeEndpoint,
  listEndpoints,
  makeEndpoint,
  readDeliveryLog,
  readEndpoint,
  resumeEndpoint,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type AccountHandlers, type AccountVisit, ownedBy } from '../account/session.ts'
import { type Addresses, noticeOf, unlessRefused } from '../kit/requests.ts'
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
    [HOME]: { get: page(visit => list(visit, null)), post: change(make) },
    [`${HOME}/:id`]: { get: page(show) },
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

/** @param problem why the form for a new one was refused. */
async function list({ deps, viewer, req, fields }: AccountVisit, problem: string | null) {
  const endpoints = await listEndpoints(deps, viewer.accountId)
  const message = noticeOf(req, labels.messages)
  return endpointsPage({ ...endpoints, message, fields, problem, formToken: viewer.formToken })
}

function make(visit: AccountVisit) {
  const { deps, viewer, fields } = visit
  return unlessRefused(
    async () => `${HOME}/${await makeEndpoint(deps, viewer.accountId, fields.url ?? '')}?done=made`,
    problem => list(visit, problem),
  )
}

async function show(visit: AccountVisit) {
  const { deps, viewer, req } = visit
  const endpoint = await readEndpoint(deps, ownedBy(visit))
  const log = await readDeliveryLog(deps, ownedBy(visit), queryOf(req).get('before'))
  return webhookPage({ endpoint, log, formToken: viewer.formToken, message: noticeOf(req, labels.messages) })
}
