import type { Request, RequestHandler, Response } from 'express'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { ApiError } from '../../domain/errors.ts'
import {
  changeEndpoint,
  listEndpoints,
  makeEndpoint,
  type OwnedEndpoint,
  readDeliveryLog,
  readEndpoint,
  recoverMessages,
  resendMessage,
  testEndpoint,
} from '../../usecases/alerts/endpoints.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Fields, queryOf } from '../account/forms.ts'
import type { Sessions, Visitor } from '../account/session.ts'
import { newEndpointPage, webhookPage } from './webhookPage.ts'

const HOME = '/account/alerts/endpoints'

type Addresses = Record<string, { get?: RequestHandler; post?: RequestHandler }>

/** The pages under /account/alerts/endpoints: webhook endpoints, their secrets and their delivery logs. */
export function endpointPages(deps: Deps, sessions: Sessions): Addresses {
  async function showList(
    visitor: Visitor,
    res: Response,
    query: string,
    refused?: Fields,
    problem?: string,
  ) {
    const account = await listEndpoints(deps, visitor.accountId)
    const shown = { ...account, formToken: formToken(visitor.token), query, refused, problem }
    res.status(problem ? 400 : 200).send(newEndpointPage(shown))
  }

  const list = sessions.page((visitor, req, res) => showList(visitor, res, queryOf(req).toString()))

  const make = sessions.change(async (visitor, fields, _req, res) => {
    const { url = '', format = '' } = fields
    try {
      res.redirect(303, `${HOME}/${await makeEndpoint(deps, visitor.accountId, { url, format })}?done=made`)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      await showList(visitor, res, '', fields, error.message)
    }
  })

  const show = sessions.page(async ({ accountId, token }, req, res) => {
    const owned = ownedBy(accountId, req)
    const endpoint = await readEndpoint(deps, owned)
    const query = queryOf(req)
    const log = await readDeliveryLog(deps, owned, query.get('before'))
    const now = deps.now() ?? new Date()
    res.send(webhookPage({ endpoint, log, now, formToken: formToken(token), query: query.toString() }))
  })

  /** A change of one endpoint; `work` returns the notice after it. */
  function change(
    work: (owned: OwnedEndpoint, fields: Fields, req: Request) => Promise<string>,
  ): RequestHandler {
    return sessions.change(async ({ accountId }, fields, req, res) => {
      const owned = ownedBy(accountId, req)
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
        await changeEndpoint(deps, ownedBy(accountId, req), 'delete')
        res.redirect(303, `${HOME}?done=deleted`)
      }),
    },
  }
}

/** Zero, which no endpoint has, for what is no number. */
function ownedBy(accountId: number, req: Request): OwnedEndpoint {
  const id = String(req.params.id)
  return { accountId, id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0 }
}
