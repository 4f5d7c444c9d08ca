import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'

/** One message and what becomes of it. Made for each request, so that nothing of one request reaches another. */
export interface Exchange {
  deps: Deps
  /** The arguments of the call as they were sent; the libraries drop `__proto__` without an error. */
  sent: Record<string, unknown>
  caller: Caller
  /** What the service failed with. The HTTP response is then that failure, whatever the protocol library made of it. */
  failure: unknown
}

/** Answers one request of its protocol revision; the message is parsed already. */
export type Revision = (request: Request, message: unknown, exchange: Exchange) => Promise<Response>

/**
 * For both libraries, which otherwise build a validator for every server: it checks what clients answer to questions of the
 * server, and this server asks none.
 */
export const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error('This server sends no requests to its clients.')
  },
}
