import type { Express, NextFunction, Request, Response } from 'express'
import { OpenAPIBackend } from 'openapi-backend'
import type { Contract, Operation } from '../../contract/document.ts'
import { methodNotAllowed } from '../../domain/errors.ts'
import { type AnyHandler, handlers } from '../../handlers/index.ts'
import type { Deps } from '../../usecases/deps.ts'
import { deprecationHeaders } from '../middleware/deprecation.ts'
import type { ResponseCache } from '../responseCache.ts'
import { admission } from './admission.ts'
import { type ProtocolAdapter, throughAdapter } from './protocolAdapter.ts'
import { createReply } from './reply.ts'
import { createRequestChecks } from './requestValidation.ts'
import { type ResponseValidator, validateSample } from './responseValidation.ts'

interface Operations {
  contract: Contract
  deps: Deps
  responseValidator: ResponseValidator | null
  responseCache: ResponseCache
  mcp: ProtocolAdapter
}

/** One Express route per operation, in the order of refusals: method (405), key, burst, month, plan, validation, handler. */
export async function mountOperations(app: Express, operations: Operations): Promise<void> {
  const { contract, deps, responseValidator, responseCache, mcp } = operations
  await assertHandlersMatch(contract, { ...handlers, callMcp: mcp })
  const requestChecks = createRequestChecks(contract)
  const reply = createReply(deps, responseCache)
  for (const operation of contract.operations) {
    const { operationId } = operation
    const route = app.route(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all((_req: Request, res: Response, next: NextFunction) => {
      res.locals.operationId = operationId
      next()
    })
    const before = [
      ...(responseValidator?.share ? [validateSample(operation, responseValidator)] : []),
      ...deprecationHeaders(operation, deps.publicUrl),
    ]
    if (operationId === 'callMcp') {
      route[operation.method](...before, ...throughAdapter(operation, mcp, deps, reply))
    } else {
      const handler: AnyHandler = handlers[operationId]
      route[operation.method](
        ...before,
        admission(operation, deps),
        ...requestChecks(operation),
        async (req: Request, res: Response) => {
          // The checks before this made the input what the handler of this operation is typed for.
          const input = { ...req.query, ...req.params } as never
          const body = await handler(deps, input, res.locals.caller)
          await reply.result(req, res, operation, body)
        },
      )
    }
    route.options((_req, res) => void res.set('Allow', methodsOf(operation)).status(204).end())
    route.all(() => {
      throw methodNotAllowed(methodsOf(operation))
    })
  }
}

/**
 * Compares the handlers with the operations of the contract.
 * @throws Error when an operation has no handler, or a handler no operation: the service then refuses to start.
 */
async function assertHandlersMatch(contract: Contract, handlers: Record<string, unknown>): Promise<void> {
  const api = new OpenAPIBackend({
    definition: structuredClone(contract.document),
    quick: true,
    validate: false,
  })
  await api.init()
  const named = new Set(api.router.getOperations().map(operation => String(operation.operationId)))
  const missing = [...named].filter(name => !Object.hasOwn(handlers, name))
  const unknown = Object.keys(handlers).filter(name => !named.has(name))
  if (missing.length > 0)
    throw new Error(`The contract has operations without a handler: ${missing.join(', ')}.`)
  if (unknown.length > 0)
    throw new Error(`There are handlers that the contract does not know: ${unknown.join(', ')}.`)
}

function methodsOf(operation: Operation): string {
  return operation.method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST'
}
