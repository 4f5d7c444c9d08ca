import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'

/** One of the things that every request meets, whichever way it goes from there. */
type Step = (req: IncomingMessage, res: ServerResponse, next: () => void) => void

/** Puts steps in front of an application, which a request then may never reach. */
export function inFrontOf(app: RequestListener, steps: Step[]): RequestListener {
  const listener = steps.reduceRight<RequestListener>(
    (rest, step) => (req, res) => step(req, res, () => rest(req, res)),
    app,
  )
  return (req, res) => {
    // Express keeps what it finds here.
    ;(res as Response).locals = {}
    listener(req, res)
  }
}

/** A middleware that uses of Express's additions `res.locals` alone. */
export function asStep(middleware: RequestHandler): Step {
  return (req, res, next) => middleware(req as Request, res as Response, next)
}
