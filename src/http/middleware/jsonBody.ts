import { isUtf8 } from 'node:buffer'
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { ApiError } from '../../domain/errors.ts'

const LARGEST_BODY = '64kb'
/** JSON is UTF-8 (RFC 8259, 8.1); what else a charset may say is left to the parser, which knows only Unicode ones. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i
const OTHER_UNICODE = /charset[ \t]*=[ \t]*"?utf-(16|32)/i

/**
 * Reads a JSON body of at most 64 kB into `req.body`; it stays `undefined` where no body is announced.
 * @throws ApiError invalid_request: 415 for another type, 400 for an empty body (the parser would take it for an empty
 * object) and for bytes that are not UTF-8; the parser refuses the rest.
 */
export function jsonBody(): RequestHandler[] {
  return [
    (req: Request, _res: Response, next: NextFunction) => {
      const type = req.headers['content-type'] ?? ''
      if (!JSON_TYPE.test(type) || OTHER_UNICODE.test(type)) {
        throw new ApiError('invalid_request', 'Send the body as "Content-Type: application/json".', {
          status: 415,
        })
      }
      next()
    },
    express.json({
      limit: LARGEST_BODY,
      strict: false,
      verify: (_req, _res, bytes) => {
        if (bytes.length === 0) throw new ApiError('invalid_request', 'The body is empty.')
        if (!isUtf8(bytes)) throw new ApiError('invalid_request', 'The body is not valid UTF-8.')
      },
    }),
  ]
}
