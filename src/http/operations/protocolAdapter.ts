import type { IncomingHttpHeaders } from 'node:http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Operation } from '../../contract/document.ts'
import type { Caller } from '../../domain/caller.ts'
import type { ApiError } from '../../domain/errors.ts'
import type { Deps } from '../../usecases/deps.ts'
import { jsonBody } from '../middleware/jsonBody.ts'
import { admission, keylessAdmission } from './admission.ts'
import type { Reply } from './reply.ts'
import type { SentQuery } from './requestValidation.ts'

/** An operation whose body is a protocol of its own (src/mcp). */
export interface ProtocolAdapter {
  /** Runs before the key is read. @throws ApiError forbidden for a page of an origin that may not call. */
  assertOrigin(origin: string | undefined): void
  /** Whether a message without a key is charged to its address. */
  costs(body: unknown): boolean
  /** @throws ApiError for a message that is refused, and what the service failed with. */
  answer(call: ProtocolCall): Promise<ProtocolAnswer>
  /** The protocol's own form of a refusal: more headers, and another body (null: the error body of the contract). */
  refuse(error: ApiError): { headers: Record<string, string>; body: object | null }
}

interface ProtocolCall {
  body: unknown
  query: SentQuery
  headers: IncomingHttpHeaders
  caller: Caller
}

interface ProtocolAnswer {
  status: number
  /** JSON; null for a response without a body. */
  text: string | null
}

/** The route of an adapter: the same admission as elsewhere, then the body, then the allowance of callers without a key. */
export function throughAdapter(
  operation: Operation,
  adapter: ProtocolAdapter,
  deps: Deps,
  reply: Reply,
): RequestHandler[] {
  return [
    (req: Request, res: Response, next: NextFunction) => {
      res.locals.refuse = adapter.refuse
      adapter.assertOrigin(req.headers.origin)
      next()
    },
    admission(operation, deps),
    ...jsonBody(),
    keylessAdmission(adapter.costs, deps),
    async (req: Request, res: Response) => {
      const { query, caller } = res.locals
      const { status, text } = await adapter.answer({
        body: req.body,
        query,
        headers: req.headers,
        caller,
      })
      // Ending the response of a client that has left ends the call for load shedding.
      if (res.closed) return void res.end()
      res.status(status)
      res.setHeader('Cache-Control', 'no-store')
      res.setHeader('Vary', 'Accept-Encoding')
      res.setHeader('Link', `<${deps.publicUrl}/terms>; rel="terms-of-service"`)
      if (text === null) return void res.end()
      await reply.json(req, res, text, null)
    },
  ]
}
