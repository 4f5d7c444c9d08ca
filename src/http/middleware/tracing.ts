import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Request, RequestHandler, Response } from 'express'
import { callOf } from '../call.ts'
import { redactKeys } from './requestLog.ts'

/**
 * One server span per request (OpenTelemetry's HTTP conventions), a child of the caller's where it sends `traceparent`
 * (W3C). Without a configured exporter the tracer does nothing. Never the query or a header: either may hold a key.
 */
export function tracing(): RequestHandler {
  const tracer = trace.getTracer('surplus')
  return (req, res, next) => {
    const parent = propagation.extract(context.active(), req.headers)
    const attributes = {
      'http.request.method': req.method,
      'url.path': redactKeys(req.url.split('?')[0] ?? ''),
    }
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, parent)
    if (!span.isRecording()) return next()
    callOf(res).traceId = span.spanContext().traceId
    res.once('close', () => finish(span, req, res))
    context.with(trace.setSpan(parent, span), next)
  }
}

function finish(span: Span, req: Request, res: Response) {
  const { operationId } = callOf(res)
  if (operationId !== null) span.updateName(`${req.method} ${operationId}`)
  span.setAttribute('http.response.status_code', res.statusCode)
  span.setAttribute('surplus.request_id', String(res.getHeader('X-Request-Id') ?? ''))
  if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
