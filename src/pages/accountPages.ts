import express, { type Router } from 'express'
import { ApiError, methodNotAllowed } from '../domain/errors.ts'
import { callsCsv, callsPage } from './account/calls.ts'
import { makeNewKey, revoke, rotate, showNewKey } from './account/keys.ts'
import { overview, payments, upgrade } from './account/overview.ts'
import type { Sessions } from './account/session.ts'
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
import { confirmSignIn, openLink, sendLink, showSignIn, signOutHere, signOutOfAll } from './account/signIn.ts'
import { alertPages } from './alerts/alertPages.ts'
import { endpointPages } from './alerts/endpointPages.ts'
import { type Addresses, formChecks, keepPrivate } from './kit/requests.ts'
import type { Site } from './kit/site.ts'

/** The pages under /account. Only POST changes anything, and only forms of these pages are accepted. */
export function accountPages(reads: Site, sessions: Sessions): Router {
  const { deps } = reads
  const router = express.Router({ caseSensitive: true, strict: true })
  const checks = formChecks(deps.publicUrl)
  const addresses: Addresses = {
    '/account': { get: overview(deps, sessions) },
    '/account/sign-in': { get: showSignIn(sessions), post: sendLink(deps) },
    '/account/sign-in/link': { get: openLink(deps), post: confirmSignIn(deps, sessions) },
    '/account/sign-out': { post: signOutHere(deps, sessions) },
    '/account/sign-out-everywhere': { post: signOutOfAll(deps, sessions) },
    '/account/keys': { post: makeNewKey(deps, sessions) },
    '/account/keys/:id': { get: showNewKey(deps, sessions) },
    '/account/keys/:id/rotate': { post: rotate(deps, sessions) },
    '/account/keys/:id/revoke': { post: revoke(deps, sessions) },
    '/account/calls': { get: callsPage(deps, sessions) },
    '/account/calls.csv': { get: callsCsv(deps, sessions) },
    '/account/settings': { get: settings(deps, sessions) },
    '/account/address': { post: askForChange(deps, sessions) },
    '/account/address/confirm': { get: openChange(deps), post: confirmAddress(deps) },
    '/account/data.json': { get: ownData(deps, sessions) },
    '/account/sessions/:id/end': { post: endOneSession(deps, sessions) },
    '/account/delete': { post: removeAccount(deps, sessions) },
    '/account/deleted': { get: showDeleted },
    '/account/plan': { post: upgrade(deps, sessions) },
    '/account/payments': { post: payments(deps, sessions) },
    ...endpointPages(deps, sessions),
    // Last: its `/account/alerts/:id` would also answer at addresses of pages after it.
    ...alertPages(reads, sessions),
  }
  router.use('/account', keepPrivate)
  for (const [path, { get, post }] of Object.entries(addresses)) {
    const route = router.route(path)
    if (get) route.get(get)
    if (post) route.post(...checks, post)
    const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ')
    route.all(() => {
      throw methodNotAllowed(allow)
    })
  }
  router.use('/account', () => {
    throw new ApiError('not_found', 'There is no page at this address.')
  })
  return router
}
