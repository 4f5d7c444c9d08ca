import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { Contract, Operation } from '../contract/document.ts'
import { methodNotAllowed } from '../domain/errors.ts'
import { type AnyHandler, handlers } from '../handlers/index.ts'
import type { Deps } from '../usecases/deps.ts'
import { admission } from './admission.ts'
import { deprecationHeaders } from './deprecation.ts'
import { assertHandlersMatch } from './operationTable.ts'
import { createReply } from './reply.ts'
import { createRequestChecks } from './requests.ts'
import { observe, type Witness } from './witness.ts'

const LARGEST_BODY = '64kb'

/** One Express route per operation, in the order of refusals: method (405), key, burst, month, plan, validation, handler. */
export async function mountOperations(
  app: Express,
  contract: Contract,
  deps: Deps,
  witness: Witness | null,
): Promise<void> {
  await assertHandlersMatch(contract, handlers)
  const requestChecks = createRequestChecks(contract)
  const reply = createReply(contract, deps)
  for (const operation of contract.operations) {
    const handler: AnyHandler = handlers[operation.operationId]
    const route = app.route(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all((_req: Request, res: Response, next: NextFunction) => {
      res.locals.operationId = operation.operationId
      next()
    })
    route[operation.method](
      observe(operation, witness),
      deprecationHeaders(operation, deps.publicUrl),
      admission(operation, deps),
      ...bodyOf(operation),
      ...requestChecks(operation),
      async (req: Request, res: Response) => {
        // The checks before this made the input what the handler of this operation is typed for.
        const input = { ...req.query, ...req.params } as never
        reply(req, res, operation, await handler(deps, input, res.locals.caller ?? null, req.body))
      },
    )
    route.options((_req, res) => void res.set('Allow', allowed(operation)).status(204).end())
    route.all(() => {
      throw methodNotAllowed(allowed(operation))
    })
  }
}

function allowed(operation: Operation): string {
  return operation.method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
}

function bodyOf(operation: Operation): RequestHandler[] {
  return operation.method === 'post' ? [express.json({ limit: LARGEST_BODY })] : []
}
