import express, { type RequestHandler, type Router } from 'express'
import { ApiError } from '../../domain/errors.ts'
import type { Deps } from '../../usecases/deps.ts'
import { formChecks } from './forms.ts'
import { changeKey, makeNewKey } from './keyForms.ts'
import { overview } from './overview.ts'
import { payments, upgrade } from './paymentForms.ts'
import { keepPrivate } from './privatePages.ts'
import { problemPages } from './problemPage.ts'
import { createSessionDoor } from './sessionDoor.ts'
import { askForLink, leave, leaveEverywhere, openLink, showSignIn, useLink } from './signInForms.ts'

interface Handlers {
  get?: RequestHandler
  post?: RequestHandler
}

/** The pages under /account. Only POST changes anything, and only a form of these pages is taken for one. */
export function accountPages(deps: Deps): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const door = createSessionDoor(deps)
  const checks = formChecks(deps.publicUrl)
  const addresses: Record<string, Handlers> = {
    '/account': { get: overview(deps, door) },
    '/account/sign-in': { get: showSignIn(door), post: askForLink(deps) },
    '/account/sign-in/link': { get: openLink(deps), post: useLink(deps, door) },
    '/account/sign-out': { post: leave(deps, door) },
    '/account/sign-out-everywhere': { post: leaveEverywhere(deps, door) },
    '/account/keys': { post: makeNewKey(deps, door) },
    '/account/keys/:id/rotate': { post: changeKey(deps, door, 'rotate') },
    '/account/keys/:id/revoke': { post: changeKey(deps, door, 'revoke') },
    '/account/plan': { post: upgrade(deps, door) },
    '/account/payments': { post: payments(deps, door) },
  }
  router.use('/account', keepPrivate)
  for (const [path, { get, post }] of Object.entries(addresses)) {
    const route = router.route(path)
    if (get) route.get(get)
    if (post) route.post(...checks, post)
    route.all(refuseMethod([...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ')))
  }
  router.use('/account', () => {
    throw new ApiError('not_found', 'There is no such page.')
  })
  router.use('/account', problemPages)
  return router
}

function refuseMethod(allow: string): RequestHandler {
  return () => {
    throw new ApiError('invalid_request', `This address takes ${allow} only.`, { status: 405, allow })
  }
}
