import type { RequestHandler } from 'express'
import type { ApiError } from '../domain/errors.ts'

/** An operation that another door answers (src/mcp): what a route needs of it. */
export interface OtherDoor {
  /** Before anything else, the key included: whether this request may knock at all. */
  guard: RequestHandler
  /** Whether a message without a key costs a call from the allowance of its address. */
  costs(body: unknown): boolean
  /** Sends the answer; `req.body` is the message, `res.locals.caller` who sends it (none without a key). */
  answer: RequestHandler
  /** A refusal in the words of that door: more headers, and another body (null: the error body of the contract). */
  refuse(error: ApiError): { headers: Record<string, string>; body: object | null }
}
