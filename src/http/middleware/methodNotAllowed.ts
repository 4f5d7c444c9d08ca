import type { Router } from 'express'
import { methodNotAllowed } from '../../contract/errors.ts'

/**
 * Answers the methods that no route of a router takes with 405 and `Allow`, and
 * OPTIONS with `Allow`, also for the routers within it. Call it when all routes
 * are defined.
 */
export function refuseOtherMethods(router: Router): Router {
  const methodsByPath = new Map<string, Set<string>>()
  for (const { route, handle } of router.stack) {
    if (!route) {
      if (isRouter(handle)) refuseOtherMethods(handle)
      continue
    }
    const methods = methodsByPath.get(route.path) ?? new Set()
    for (const { method } of route.stack) methods.add(method.toUpperCase())
    methodsByPath.set(route.path, methods)
  }
  for (const [path, methods] of methodsByPath) {
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods, 'OPTIONS'].join(', ')
    router.options(
      path,
      (_req, res) => void res.set('Allow', allow).status(204).end(),
    )
    router.all(path, () => {
      throw methodNotAllowed(allow)
    })
  }
  return router
}

function isRouter(handle: unknown): handle is Router {
  return typeof handle === 'function' && 'stack' in handle
}
