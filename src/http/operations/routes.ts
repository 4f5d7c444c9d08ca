import type { Express, Request, RequestHandler, Response } from 'express'
import type { Contract, Operation } from '../../contract/document.ts'
import { methodNotAllowed } from '../../domain/errors.ts'
import { handlers } from '../../handlers/index.ts'
import type { Deps } from '../../usecases/deps.ts'
import { callOf } from '../call.ts'
import type { ResponseCache } from '../responseCache.ts'
import { admission, agentAdmission } from './admission.ts'
import { createReply } from './reply.ts'
import { createRequestChecks } from './requestValidation.ts'

interface Operations {
  contract: Contract
  deps: Deps
  responseCache: ResponseCache
  /** Of the requests of an address. */
  limit: RequestHandler
}

/**
 * One Express route per operation, in the order of refusals: method (405), key, burst, month, plan, validation, handler.
 * @throws Error when an operation has no handler, or a handler no operation: the service then refuses to start.
 */
export function mountOperations(app: Express, { contract, deps, responseCache, limit }: Operations) {
  assertHandlersMatch(contract)
  const requestChecks = createRequestChecks(contract)
  const reply = createReply(deps, responseCache)
  for (const operation of contract.operations) {
    const { operationId, hasBody } = operation
    const handler: (deps: Deps, input: never, caller: never) => Promise<unknown> = handlers[operationId]
    const route = app.route(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all((_req, res, next) => {
      callOf(res).operationId = operationId
      next()
    })
    route[operation.method](
      ...deprecationHeaders(operation, deps.publicUrl),
      ...(hasBody
        ? agentAdmission(operation, deps, limit)
        : [admission(operation, deps), ...requestChecks(operation)]),
      async (req: Request, res: Response) => {
        const { query, caller } = callOf(res)
        const { body, headers } = req
        const input = hasBody ? { body, query, headers } : { ...req.query, ...req.params }
        // The steps before this made the input fit the type of this operation's handler.
        await reply(req, res, operation, await handler(deps, input as never, caller as never))
      },
    )
    route.options((_req, res) => void res.set('Allow', methodsOf(operation)).status(204).end())
    route.all(() => {
      throw methodNotAllowed(methodsOf(operation))
    })
  }
}

function assertHandlersMatch({ operations }: Contract) {
  const named = new Set<string>(operations.map(({ operationId }) => operationId))
  const missing = [...named].filter(name => !Object.hasOwn(handlers, name))
  const unknown = Object.keys(handlers).filter(name => !named.has(name))
  if (missing.length > 0)
    throw new Error(`The contract has operations without a handler: ${missing.join(', ')}.`)
  if (unknown.length > 0)
    throw new Error(`There are handlers that the contract does not know: ${unknown.join(', ')}.`)
}

/**
 * For a deprecated operation: since when (RFC 9745, a structured date), until when it answers (RFC 8594, an HTTP date),
 * and the page that announced it. No middleware for any other operation.
 */
function deprecationHeaders({ deprecation }: Operation, publicUrl: string): RequestHandler[] {
  if (!deprecation) return []
  return [
    (_req, res, next) => {
      res.setHeader('Deprecation', `@${Math.floor(deprecation.deprecatedAt.getTime() / 1000)}`)
      res.setHeader('Sunset', deprecation.sunsetAt.toUTCString())
      res.append('Link', `<${publicUrl}/docs/versioning>; rel="deprecation"; type="text/html"`)
      next()
    },
  ]
}

function methodsOf(operation: Operation) {
  return operation.method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST'
}
