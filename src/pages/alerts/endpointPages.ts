import type { Request, Response } from 'express'
import labels from '../../../data/webhook-labels.json' with { type: 'json' }
import type { Owned } from '../../domain/alerts/savedSearch.ts'
import {
  changeEndpoint,
  listEndpoints,
  makeEndpoint,
  readDeliveryLog,
  readEndpoint,
  recoverMessages,
  resendMessage,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { Deps } from '../../usecases/deps.ts'
import type { Sessions } from '../account/session.ts'
import type { Viewer } from '../kit/layout.ts'
import { type Addresses, type Fields, idOf, noticeOf, queryOf, refusalOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import { endpointsPage, webhookPage } from './webhookPage.ts'

const HOME = '/account/alerts/endpoints'

/** The pages under /account/alerts/endpoints: webhook endpoints, their secrets and their delivery logs. */
export function endpointPages(deps: Deps, sessions: Sessions): Addresses {
  async function sendList(
    { accountId, formToken }: Viewer,
    res: Response,
    shown: { message: string | null; fields: Fields; problem: string | null },
  ): Promise<void> {
    const page = endpointsPage({ ...(await listEndpoints(deps, accountId)), ...shown, formToken })
    await sendPage(res.req, res.status(shown.problem ? 400 : 200), page)
  }

  const list = sessions.page((viewer, req, res) =>
    sendList(viewer, res, { message: noticeOf(req, labels.messages), fields: {}, problem: null }),
  )

  const make = sessions.change(async (viewer, fields, _req, res) => {
    const { url = '', format = '' } = fields
    const problem = await refusalOf(async () => {
      res.redirect(303, `${HOME}/${await makeEndpoint(deps, viewer.accountId, { url, format })}?done=made`)
    })
    if (problem) await sendList(viewer, res, { message: null, fields, problem })
  })

  const show = sessions.page(async ({ accountId, formToken }, req, res) => {
    const owned = { accountId, id: idOf(req) }
    const endpoint = await readEndpoint(deps, owned)
    const log = await readDeliveryLog(deps, owned, queryOf(req).get('before'))
    const now = deps.now() ?? new Date()
    const message = noticeOf(req, labels.messages)
    await sendPage(req, res, webhookPage({ endpoint, log, now, formToken, message }))
  })

  /** A change of one endpoint; `work` returns the notice after it. */
  function change(
    work: (owned: Owned, fields: Fields, req: Request) => Promise<string>,
    next = (id: number) => `${HOME}/${id}`,
  ): Addresses[string] {
    const post = sessions.change(async ({ accountId }, fields, req, res) => {
      const owned = { accountId, id: idOf(req) }
      res.redirect(303, `${next(owned.id)}?done=${await work(owned, fields, req)}`)
    })
    return { post }
  }

  return {
    [HOME]: { get: list, post: make },
    [`${HOME}/:id`]: { get: show },
    [`${HOME}/:id/rotate`]: change(owned => changeEndpoint(deps, owned, 'rotate').then(() => 'rotated')),
    [`${HOME}/:id/enable`]: change(owned => changeEndpoint(deps, owned, 'enable').then(() => 'enabled')),
    [`${HOME}/:id/delete`]: change(
      owned => changeEndpoint(deps, owned, 'delete').then(() => 'deleted'),
      () => HOME,
    ),
    [`${HOME}/:id/test`]: change(async owned => ((await testEndpoint(deps, owned)) ? 'tested' : 'no-lot')),
    [`${HOME}/:id/recover`]: change(async (owned, { since = '' }) =>
      (await recoverMessages(deps, owned, since)) ? 'recovered' : 'nothing',
    ),
    [`${HOME}/:id/messages/:message/resend`]: change(async (owned, _fields, req) =>
      (await resendMessage(deps, owned, String(req.params.message))) ? 'resent' : 'under-way',
    ),
  }
}
