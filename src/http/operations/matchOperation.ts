import type { RequestHandler, Response } from 'express'
import type { Operation } from '../../contract/document.ts'
import { methodNotAllowed } from '../../contract/errors.ts'
import { callOf } from '../call.ts'
import type { Dispatcher } from './dispatcher.ts'
import { readQuery } from './requestValidation.ts'

const API = '/api/'

/**
 * Names the operation of a call. Leaves the router where a request is for none.
 * @throws ApiError invalid_request (405) where the path takes other methods.
 */
export function matchOperation(
  dispatcher: Dispatcher,
  publicUrl: string,
): RequestHandler {
  return (req, res, next) => {
    // Pages are not looked up in the contract.
    if (!req.path.startsWith(API)) return next('router')
    const call = callOf(res)
    // Some clients of agents end every address with a slash.
    req.url = req.url.replace(/^(\/api\/v1\/mcp)\/(?=$|\?)/, '$1')
    call.operation = dispatcher.match(req.method, req.path)
    if (call.operation) {
      call.query = readQuery(req.url)
      announceDeprecation(res, call.operation, publicUrl)
      return next()
    }
    const others = dispatcher.operationsAt(req.path)
    if (others.length === 0) return next('router')
    call.operation = others[0]!
    const allowed = others
      .map(({ method }) => (method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST'))
      .join(', ')
    if (req.method !== 'OPTIONS') throw methodNotAllowed(allowed)
    res.set('Allow', allowed).status(204).end()
  }
}

/**
 * Of a deprecated operation: since when (RFC 9745, a structured date), until
 * when it answers (RFC 8594, an HTTP date), and the page that announced it.
 */
function announceDeprecation(
  res: Response,
  { deprecation }: Operation,
  publicUrl: string,
) {
  if (!deprecation) return
  res.setHeader(
    'Deprecation',
    `@${Math.floor(deprecation.deprecatedAt.getTime() / 1000)}`,
  )
  res.setHeader('Sunset', deprecation.sunsetAt.toUTCString())
  res.append(
    'Link',
    `<${publicUrl}/docs/versioning>; rel="deprecation"; type="text/html"`,
  )
}
