import type { NextFunction, Request, Response } from 'express'
import { ClientLeft } from '../domain/errors.ts'

/** Hands every door a signal that is aborted when the client leaves before it has its answer: `res.locals.leaving`. */
export function leaving(_req: Request, res: Response, next: NextFunction): void {
  const left = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) left.abort(new ClientLeft())
  })
  res.locals.leaving = left.signal
  next()
}
