import type { Router } from 'express'
import { methodNotAllowed, notFound } from '../contract/errors.ts'
import { createRouter } from '../infra/createRouter.ts'
import { CONSENT_PATH } from '../usecases/accounts/agentSignIn.ts'
import { CALL_LOG_PATH } from '../usecases/accounts/signIn.ts'
import { callLogPage, callsCsv, callsPage } from './account/calls.ts'
import { answerConsent, showConsent } from './account/connect.ts'
import { changeCosts, showCosts, showTrips } from './account/costs.ts'
import { makeNewKey, revoke, rotate, showNewKey } from './account/keys.ts'
import { overview, payments, upgrade } from './account/overview.ts'
import { accountHandlers, type Sessions } from './account/session.ts'
import {
  askForChange,
  confirmAddress,
  endOneSession,
  openChange,
  ownData,
  removeAccount,
  settings,
  showDeleted,
} from './account/settings.ts'
import {
  confirmSignIn,
  openLink,
  sendLink,
  showSignIn,
  signOutHere,
  signOutOfAll,
} from './account/signIn.ts'
import { alertPages } from './alerts/alertPages.ts'
import { endpointPages } from './alerts/endpointPages.ts'
import { type Addresses, formChecks, keepPrivate } from './kit/requests.ts'
import type { Site } from './kit/site.ts'

/**
 * The pages under /account. Only POST changes anything, and only forms of these
 * pages are accepted.
 */
export function accountPages(site: Site, sessions: Sessions): Router {
  const handlers = accountHandlers(site, sessions)
  const { anyone, page, change } = handlers
  const router = createRouter()
  const checks = formChecks(site.deps.publicUrl)
  const addresses: Addresses = {
    '/account': { get: page(overview) },
    '/account/sign-in': { get: anyone(showSignIn), post: anyone(sendLink) },
    '/account/sign-in/link': {
      get: anyone(openLink),
      post: anyone(confirmSignIn),
    },
    '/account/sign-out': { post: change(signOutHere) },
    '/account/sign-out-everywhere': { post: change(signOutOfAll) },
    '/account/keys': { post: change(makeNewKey) },
    '/account/keys/:id': { get: page(showNewKey) },
    '/account/keys/:id/rotate': { post: change(rotate) },
    '/account/keys/:id/revoke': { post: change(revoke) },
    '/account/calls': { get: page(callsPage) },
    [CALL_LOG_PATH]: { get: page(callLogPage) },
    '/account/costs': { get: anyone(showCosts), post: anyone(changeCosts) },
    '/account/trips': { get: anyone(showTrips) },
    '/account/calls.csv': { get: page(callsCsv) },
    '/account/settings': { get: page(settings) },
    '/account/address': { post: change(askForChange) },
    '/account/address/confirm': {
      get: anyone(openChange),
      post: anyone(confirmAddress),
    },
    '/account/data.json': { get: page(ownData) },
    '/account/sessions/:id/end': { post: change(endOneSession) },
    ...(site.deps.agentsUrl && {
      [CONSENT_PATH]: { get: page(showConsent), post: change(answerConsent) },
    }),
    '/account/delete': { post: change(removeAccount) },
    '/account/deleted': { get: anyone(showDeleted) },
    '/account/plan': { post: change(upgrade) },
    '/account/payments': { post: change(payments) },
    ...endpointPages(handlers),
    // Last: its `/account/alerts/:id` would also answer at addresses of pages
    // after it.
    ...alertPages(handlers),
  }
  router.use('/account', site.limit, keepPrivate)
  for (const [path, { get, post }] of Object.entries(addresses)) {
    const route = router.route(path)
    if (get) route.get(get)
    if (post) route.post(...checks, post)
    const allow = [
      ...(get ? ['GET', 'HEAD'] : []),
      ...(post ? ['POST'] : []),
    ].join(', ')
    route.all(() => {
      throw methodNotAllowed(allow)
    })
  }
  router.use('/account', () => {
    throw notFound('There is no page at this address.')
  })
  return router
}
