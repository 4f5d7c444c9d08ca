import type { NextFunction, Request, Response } from 'express'
import { addressBlock } from '../../domain/addressBlock.ts'
import type { Caller } from '../../domain/caller.ts'

/** Makes `res.locals.caller`: without a key until admission has charged one. */
export function caller(req: Request, res: Response, next: NextFunction): void {
  const made: Caller = {
    key: null,
    startedAt: performance.now(),
    // An account shares between its keys; without a key, an address between its connections.
    get share() {
      return made.key ? `account ${made.key.accountId}` : `address ${addressBlock(req.ip ?? '')}`
    },
    // Node destroys a response whose connection was closed before it was sent.
    hasLeft: () => res.destroyed,
  }
  res.locals.caller = made
  next()
}
