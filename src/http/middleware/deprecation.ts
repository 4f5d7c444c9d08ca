import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Operation } from '../../contract/document.ts'

/**
 * Tells the callers of a deprecated operation since when (RFC 9745, a structured date), until when it answers
 * (RFC 8594, an HTTP date) and where that was announced.
 */
export function deprecationHeaders({ deprecation }: Operation, publicUrl: string): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    if (deprecation) {
      res.setHeader('Deprecation', `@${Math.floor(deprecation.deprecatedAt.getTime() / 1000)}`)
      res.setHeader('Sunset', deprecation.sunsetAt.toUTCString())
      res.append('Link', `<${publicUrl}/docs/versioning>; rel="deprecation"; type="text/html"`)
    }
    next()
  }
}
