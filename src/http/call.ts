import type { NextFunction, Request, Response } from 'express'
import type { Operation } from '../contract/document.ts'
import type { ApiError } from '../contract/errors.ts'
import type { ErrorCode, OperationId, SentQuery } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Charge, KeyCharge } from '../infra/metering/counters.ts'
import type { AgentEndpoint } from '../usecases/deps.ts'

/** One request, and what the middlewares have found out about it so far. */
export class Call {
  /**
   * As it was sent: request validation changes `req.method` of a HEAD for a
   * while.
   */
  readonly method: string
  /** When it arrived, by `performance.now()`, in milliseconds. */
  readonly arrivedAt: number
  /**
   * Without a key until admission has charged one. Its deadlines count from
   * when the entrance let it in.
   */
  readonly caller: Caller
  /**
   * On the address of agents, whether it is for the endpoint or to sign in;
   * null on any other address.
   */
  agents: 'endpoint' | 'sign-in' | null = null
  /** Null until it is matched, and where it is for none. */
  operation: Operation | null = null
  query: SentQuery = { pairs: [], fault: null }
  charge: Charge | KeyCharge | null = null
  /** Whether the charge is given back whatever the answer. */
  isFree = false
  /**
   * What the entrance refuses it with, which happens once it has its headers;
   * null: it was let in.
   */
  refusal: ApiError | null = null
  /** Whether a person waits for it, so that an error is a page. */
  isForPerson = false
  /** Gives a refusal the form of the agent endpoint. */
  refuse: AgentEndpoint['refuse'] | null = null
  /** Why it was refused or failed. */
  error: ApiError | null = null
  /**
   * The code in the error body of the contract; null where another body was
   * sent.
   */
  errorCode: ErrorCode | null = null

  constructor(req: Request, res: Response) {
    const caller: Caller = {
      key: null,
      startedAt: performance.now(),
      // Node destroys a response whose connection was closed before it was
      // sent.
      hasLeft: () => res.destroyed,
    }
    this.method = req.method
    this.arrivedAt = caller.startedAt
    this.caller = caller
  }

  get operationId(): OperationId | null {
    return this.operation?.operationId ?? null
  }
}

/** Makes the call of a request: the first middleware. */
export function beginCall(
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  res.locals.call = new Call(req, res)
  // For caches. The origin answers 304 to a tag that matches (RFC 9110,
  // 13.1.2); Node's fetch sends `no-cache` with every tag, to which `req.fresh`
  // and `res.sendFile` would say 200.
  delete req.headers['cache-control']
  next()
}

/** The query of an address; of a repeated name the first value counts. */
export function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}

/** The call that a response answers. */
export function callOf(res: Response): Call {
  return res.locals.call as Call
}
