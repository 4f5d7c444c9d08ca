import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import { type Contract, type Operation, planNeeded } from '../../contract/document.ts'
import type { Plan } from '../../contract/plans.ts'
import { RawJson } from '../../contract/rawJson.ts'
import { methodNotAllowed } from '../../domain/errors.ts'
import { type AnyHandler, handlers } from '../../handlers/index.ts'
import type { Deps } from '../../usecases/deps.ts'
import { deprecationHeaders } from '../middleware/deprecation.ts'
import { jsonBody } from '../middleware/jsonBody.ts'
import { assertHandlersMatch } from '../operationTable.ts'
import type { OtherDoor } from '../otherDoor.ts'
import type { SentQuery } from '../query.ts'
import type { NoteReply } from '../responseCache.ts'
import { admission, keylessAdmission } from './admission.ts'
import { createReply } from './reply.ts'
import { createRequestChecks } from './requestValidation.ts'
import { observe, type Witness } from './responseValidation.ts'

/** The operations that are not this door's to answer. */
type OtherDoors = { callMcp: OtherDoor }

/** One Express route per operation, in the order of refusals: method (405), key, burst, month, plan, validation, handler. */
export async function mountOperations(
  app: Express,
  contract: Contract,
  deps: Deps,
  witness: Witness | null,
  note: NoteReply,
  otherDoors: OtherDoors,
): Promise<void> {
  await assertHandlersMatch(contract, { ...handlers, ...otherDoors })
  const requestChecks = createRequestChecks(contract)
  const reply = createReply(deps)
  for (const operation of contract.operations) {
    const { operationId } = operation
    const route = app.route(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all((_req: Request, res: Response, next: NextFunction) => {
      res.locals.operationId = operationId
      next()
    })
    const before = [observe(operation, witness), deprecationHeaders(operation, deps.publicUrl)]
    if (operationId === 'callMcp') {
      route[operation.method](...before, ...throughOtherDoor(operation, otherDoors[operationId], deps))
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
          reply(req, res, operation, body)
          if (body instanceof RawJson) {
            const { text, validity } = body
            note(res, { operationId, plan: planOf(operation, res), text, validity })
          }
        },
      )
    }
    route.options((_req, res) => void res.set('Allow', allowed(operation)).status(204).end())
    route.all(() => {
      throw methodNotAllowed(allowed(operation))
    })
  }
}

/** The plan that this call needed. */
function planOf(operation: Operation, res: Response): Plan | null {
  const { pairs } = res.locals.query as SentQuery
  return planNeeded(
    operation,
    pairs.map(([name]) => name),
  ).plan
}

function allowed(operation: Operation): string {
  return operation.method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST'
}

/** The same turnstile, and a body; what the message says and how it is answered is the other door's. */
function throughOtherDoor(operation: Operation, door: OtherDoor, deps: Deps): RequestHandler[] {
  return [
    (_req: Request, res: Response, next: NextFunction) => {
      res.locals.refuse = door.refuse
      next()
    },
    door.guard,
    admission(operation, deps),
    ...jsonBody(),
    keylessAdmission(door.costs, deps),
    door.answer,
  ]
}
