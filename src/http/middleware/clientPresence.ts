import type { NextFunction, Request, Response } from 'express'
import { Audience } from '../../domain/audience.ts'

/** Tells every door who waits for the answer: `res.locals.audience`, which is gone when the client leaves before it has it. */
export function audience(_req: Request, res: Response, next: NextFunction): void {
  const waiting = new Audience()
  res.once('close', () => {
    if (!res.writableFinished) waiting.leave()
  })
  res.locals.audience = waiting
  next()
}
