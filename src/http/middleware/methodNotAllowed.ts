import type { Router } from 'express'
import { methodNotAllowed } from '../../domain/errors.ts'

/**
 * Closes the addresses of a router, and of those within it, to the methods that none of its routes takes: 405 with `Allow`; OPTIONS tells them. To
 * be called when all routes are there.
 */
export function closedMethods(router: Router): Router {
  const taken = new Map<string, Set<string>>()
  for (const { route, handle } of router.stack) {
    if (!route) {
      if (isRouter(handle)) closedMethods(handle)
      continue
    }
    const methods = taken.get(route.path) ?? new Set()
    for (const { method } of route.stack) methods.add(method.toUpperCase())
    taken.set(route.path, methods)
  }
  for (const [path, methods] of taken) {
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods, 'OPTIONS'].join(', ')
    router.options(path, (_req, res) => void res.set('Allow', allow).status(204).end())
    router.all(path, () => {
      throw methodNotAllowed(allow)
    })
  }
  return router
}

function isRouter(handle: unknown): handle is Router {
  return typeof handle === 'function' && 'stack' in handle
}
