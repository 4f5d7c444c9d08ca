import type { Request, RequestHandler, Response } from 'express'
import labels from '../../../data/webhook-labels.json' with { type: 'json' }
import { formToken } from '../../domain/accounts/secretToken.ts'
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
import type { Sessions, Visitor } from '../account/session.ts'
import { type Addresses, type Fields, idOf, noticeOf, queryOf, refusalOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import { endpointsPage, webhookPage } from './webhookPage.ts'

const HOME = '/account/alerts/endpoints'

/** The pages under /account/alerts/endpoints: webhook endpoints, their secrets and their delivery logs. */
export function endpointPages(deps: Deps, sessions: Sessions): Addresses {
  async function showList(
    visitor: Visitor,
    res: Response,
    form: { message: string | null; refused?: Fields; problem?: string },
  ) {
    const account = await listEndpoints(deps, visitor.accountId)
    const page = endpointsPage({ ...account, ...form, formToken: formToken(visitor.token) })
    await sendPage(res.req, res.status(form.problem ? 400 : 200), page)
  }

  const list = sessions.page((visitor, req, res) =>
    showList(visitor, res, { message: noticeOf(req, labels.messages) }),
  )

  const make = sessions.change(async (visitor, fields, _req, res) => {
    const { url = '', format = '' } = fields
    const problem = await refusalOf(async () => {
      res.redirect(303, `${HOME}/${await makeEndpoint(deps, visitor.accountId, { url, format })}?done=made`)
    })
    if (problem) await showList(visitor, res, { message: null, refused: fields, problem })
  })

  const show = sessions.page(async ({ accountId, token }, req, res) => {
    const owned = { accountId, id: idOf(req) }
    const endpoint = await readEndpoint(deps, owned)
    const log = await readDeliveryLog(deps, owned, queryOf(req).get('before'))
    const now = deps.now() ?? new Date()
    const message = noticeOf(req, labels.messages)
    await sendPage(req, res, webhookPage({ endpoint, log, now, formToken: formToken(token), message }))
  })

  /** A change of one endpoint; `work` returns the notice after it. */
  function change(work: (owned: Owned, fields: Fields, req: Request) => Promise<string>): RequestHandler {
    return sessions.change(async ({ accountId }, fields, req, res) => {
      const owned = { accountId, id: idOf(req) }
      res.redirect(303, `${HOME}/${owned.id}?done=${await work(owned, fields, req)}`)
    })
  }

  return {
    [HOME]: { get: list, post: make },
    [`${HOME}/:id`]: { get: show },
    [`${HOME}/:id/rotate`]: {
      post: change(owned => changeEndpoint(deps, owned, 'rotate').then(() => 'rotated')),
    },
    [`${HOME}/:id/enable`]: {
      post: change(owned => changeEndpoint(deps, owned, 'enable').then(() => 'enabled')),
    },
    [`${HOME}/:id/test`]: {
      post: change(async owned => ((await testEndpoint(deps, owned)) ? 'tested' : 'no-lot')),
    },
    [`${HOME}/:id/recover`]: {
      post: change(async (owned, { since = '' }) =>
        (await recoverMessages(deps, owned, since)) ? 'recovered' : 'nothing',
      ),
    },
    [`${HOME}/:id/messages/:message/resend`]: {
      post: change(async (owned, _fields, req) =>
        (await resendMessage(deps, owned, String(req.params.message))) ? 'resent' : 'under-way',
      ),
    },
    [`${HOME}/:id/delete`]: {
      post: sessions.change(async ({ accountId }, _fields, req, res) => {
        await changeEndpoint(deps, { accountId, id: idOf(req) }, 'delete')
        res.redirect(303, `${HOME}?done=deleted`)
      }),
    },
  }
}
