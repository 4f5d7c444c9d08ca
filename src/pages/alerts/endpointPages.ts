import labels from '../../../data/webhook-labels.json' with { type: 'json' }
import {
  changeEndpoint,
  listEndpoints,
  makeEndpoint,
  readDeliveryLog,
  readEndpoint,
  resumeEndpoint,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { AccountHandlers, AccountVisit } from '../account/session.ts'
import { type Addresses, idOf, noticeOf, queryOf, refusalOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import { buttons } from './buttons.ts'
import { endpointsPage, type ListShown, webhookPage } from './webhookPage.ts'

const HOME = '/account/alerts/endpoints'

/** The pages under /account/alerts/endpoints: webhook endpoints, their secrets and their delivery logs. */
export function endpointPages(handlers: AccountHandlers): Addresses {
  const { page, change } = handlers
  const works: Parameters<typeof buttons>[2] = {
    rotate: ({ deps }, owned) => changeEndpoint(deps, owned, 'rotate').then(() => 'rotated'),
    delete: ({ deps }, owned) => changeEndpoint(deps, owned, 'delete').then(() => 'deleted'),
    test: async ({ deps }, owned) => ((await testEndpoint(deps, owned)) ? 'tested' : 'no-lot'),
    resume: async ({ deps }, owned) => ((await resumeEndpoint(deps, owned)) ? 'resumed' : 'nothing'),
  }
  return {
    [HOME]: { get: page(list), post: change(make) },
    [`${HOME}/:id`]: { get: page(show) },
    ...buttons(handlers, HOME, works, (id, done) => (done === 'deleted' ? HOME : `${HOME}/${id}`)),
  }
}

async function list(visit: AccountVisit) {
  await sendList(visit, { message: noticeOf(visit.req, labels.messages), fields: {}, problem: null })
}

async function sendList(
  { deps, viewer, req, res }: AccountVisit,
  shown: Pick<ListShown, 'message' | 'fields' | 'problem'>,
) {
  const endpoints = await listEndpoints(deps, viewer.accountId)
  const page = endpointsPage({ ...endpoints, ...shown, formToken: viewer.formToken })
  await sendPage(req, res.status(shown.problem ? 400 : 200), page)
}

async function make(visit: AccountVisit) {
  const { deps, viewer, fields, res } = visit
  const { url = '' } = fields
  const problem = await refusalOf(async () => {
    res.redirect(303, `${HOME}/${await makeEndpoint(deps, viewer.accountId, url)}?done=made`)
  })
  if (problem) await sendList(visit, { message: null, fields, problem })
}

async function show({ deps, viewer, req, res }: AccountVisit) {
  const { accountId, formToken } = viewer
  const owned = { accountId, id: idOf(req) }
  const endpoint = await readEndpoint(deps, owned)
  const log = await readDeliveryLog(deps, owned, queryOf(req).get('before'))
  await sendPage(req, res, webhookPage({ endpoint, log, formToken, message: noticeOf(req, labels.messages) }))
}
