import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Response } from 'express'
import { pinoHttp } from 'pino-http'
import type { Logger } from '../../infra/log.ts'
import { withoutKeys } from './redactKeys.ts'

/**
 * Names each request (`X-Request-Id`) and writes one line about it when it is answered. Never the Authorization header
 * and never the query, which pino-http logs by default: either may hold a key.
 */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    genReqId: (_req: IncomingMessage, res: ServerResponse) => {
      const id = randomUUID()
      res.setHeader('X-Request-Id', id)
      return id
    },
    serializers: {
      req: (req: { id: string; method: string; url: string }) => ({
        id: req.id,
        method: req.method,
        path: withoutKeys(req.url.split('?')[0] ?? ''),
      }),
      res: (res: { statusCode: number }) => ({ status: res.statusCode }),
    },
    customProps: (_req, res) => {
      const trace_id: unknown = (res as Response).locals?.traceId
      return typeof trace_id === 'string' ? { trace_id } : {}
    },
    // The error handler has logged the failure itself, with its cause.
    customErrorObject: (_req, _res, _error, line) => ({ ...line, err: undefined }),
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
  })
}
