import { context, SpanStatusCode, trace } from '@opentelemetry/api'

const LAST_FLUSH_MS = 2_000

/**
 * Sends spans to an OpenTelemetry collector (OTLP over HTTP). Its libraries are only loaded here, so that a service
 * without a collector does not carry them. The standard variables `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`,
 * `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_HEADERS` hold. A collector that is away costs spans, never a request.
 * @returns what sends the spans that are left, and stops.
 */
export async function startTraces(endpoint: string) {
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const named = resources.resourceFromAttributes({ 'service.name': 'surplus-auction-api' })
  const detected = resources.detectResources({ detectors: [resources.envDetector] })
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new NodeTracerProvider({
    resource: named.merge(detected),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register()
  return async () => {
    const deadline = new Promise(resolve => setTimeout(resolve, LAST_FLUSH_MS).unref())
    await Promise.race([provider.shutdown().catch(() => {}), deadline])
  }
}

/** Runs work in a span of its own below the request's. Does nothing more than that where nothing is exported. */
export function spanned<T>(name: string, work: () => Promise<T>) {
  const parent = trace.getSpan(context.active())
  if (!parent?.isRecording()) return work()
  return trace.getTracer('surplus').startActiveSpan(name, async span => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message })
      throw error
    } finally {
      span.end()
    }
  })
}
