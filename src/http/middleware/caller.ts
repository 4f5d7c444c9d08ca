import type { NextFunction, Request, Response } from 'express'
import type { Caller } from '../../domain/caller.ts'
import { ipBlock } from '../../domain/ipBlock.ts'

/** Makes `res.locals.caller`: without a key until admission has charged one. */
export function caller(req: Request, res: Response, next: NextFunction): void {
  const made: Caller = {
    key: null,
    startedAt: performance.now(),
    // Keys of an account share its slots; without a key, an address between its connections.
    get tenant() {
      return made.key ? `account ${made.key.accountId}` : `address ${ipBlock(req.ip ?? '')}`
    },
    // Node destroys a response whose connection was closed before it was sent.
    hasLeft: () => res.destroyed,
  }
  res.locals.caller = made
  next()
}
