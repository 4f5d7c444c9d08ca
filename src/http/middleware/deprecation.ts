import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Operation } from '../../contract/document.ts'

/**
 * For a deprecated operation: since when (RFC 9745, a structured date), until when it answers (RFC 8594, an HTTP date),
 * and where that was announced. No middleware for any other operation.
 */
export function deprecationHeaders({ deprecation }: Operation, publicUrl: string): RequestHandler[] {
  if (!deprecation) return []
  return [
    (_req: Request, res: Response, next: NextFunction) => {
      res.setHeader('Deprecation', `@${Math.floor(deprecation.deprecatedAt.getTime() / 1000)}`)
      res.setHeader('Sunset', deprecation.sunsetAt.toUTCString())
      res.append('Link', `<${publicUrl}/docs/versioning>; rel="deprecation"; type="text/html"`)
      next()
    },
  ]
}
