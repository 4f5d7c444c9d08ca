import { isIP } from 'node:net'
import type { Request, RequestHandler, Response, Router } from 'express'
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import labels from '../../data/labels.json' with { type: 'json' }
import { notFound } from '../contract/errors.ts'
import { isSameToken } from '../domain/accounts/secretToken.ts'
import { readAlertActivity } from '../infra/alerts/alertState.ts'
import { createRouter } from '../infra/createRouter.ts'
import { readLastSuccess } from '../infra/ingestion/sources.ts'
import type { Deps } from '../usecases/deps.ts'
import { type Call, callOf } from './call.ts'

/** From a 304 to the deadline of a request (2 s) and of an export (12 s). */
const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12,
]

const HIDDEN =
  'There is nothing at this address for you. GET /openapi.yaml lists the operations.'

/** In how many last seconds attempts and matches are counted. */
const ALERT_SECONDS = 300

/** The metrics of this process. */
export interface Metrics {
  /** Counts and times each request. */
  requests: RequestHandler
  /** Counts a call that was shed. */
  shed: () => void
  /** Answers GET /metrics. */
  router: Router
}

/**
 * The metrics of this process and, read at the moment of the request, whether
 * its database answers and how fresh the data is. Labels are few and bounded:
 * the operation, the status, the code of a refusal. Never a key, an address or
 * a query.
 * @param token what `Authorization: Bearer` must carry; null: only programs on
 * the same machine get an answer.
 * @returns a middleware that counts and times every request, a count of those
 * shed, and the route `GET /metrics`.
 */
export function createMetrics(deps: Deps, token: string | null): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const router = createRouter()
  router.get('/metrics', async (req, res) => {
    if (!mayRead(req, token, deps.publicUrl)) throw notFound(HIDDEN)
    res.type(registry.contentType).set('Cache-Control', 'no-store')
    res.send(
      await Registry.merge([registry, await stateMetrics(deps)]).metrics(),
    )
  })
  const shed = new Counter(described(registry, 'surplus_shed_requests_total'))
  return { requests: requestMetrics(registry), shed: () => shed.inc(), router }
}

/** The `# HELP` line of every metric. */
const HELP = labels.metrics

function described<Label extends string>(
  registry: Registry,
  name: keyof typeof HELP,
  ...labelNames: Label[]
) {
  return { name, help: HELP[name], labelNames, registers: [registry] }
}

function requestMetrics(registry: Registry): RequestHandler {
  const durations = new Histogram({
    ...described(
      registry,
      'surplus_request_duration_seconds',
      'operation',
      'method',
      'status',
    ),
    buckets: DURATION_BUCKETS_SECONDS,
  })
  const refusals = new Counter(
    described(registry, 'surplus_refusals_total', 'operation', 'code'),
  )
  const inFlight = new Gauge(described(registry, 'surplus_requests_in_flight'))
  return (_req, res, next) => {
    const call = callOf(res)
    const method = methodOf(call)
    inFlight.inc()
    res.once('close', () => {
      inFlight.dec()
      const { arrivedAt, errorCode: code } = call
      const operation = call.operationId ?? 'none'
      durations.observe(
        { operation, method, status: statusOf(res) },
        (performance.now() - arrivedAt) / 1_000,
      )
      if (code !== null) refusals.inc({ operation, code })
    })
    next()
  }
}

/**
 * Reads what others count: the database. The registry lives for one scrape, so
 * a value that cannot be read is missing rather than old. Alerts are matched
 * and sent by other processes, so the database counts them.
 */
async function stateMetrics({ primary, meter }: Deps) {
  const registry = new Registry()
  const put = (
    name: keyof typeof HELP,
    value: number,
    labels: Record<string, string> = {},
  ) => {
    const metric =
      registry.getSingleMetric(name) ??
      new Gauge(described(registry, name, ...Object.keys(labels)))
    ;(metric as Gauge).set(labels, value)
  }
  const [sources, alerts] = await Promise.all([
    primary(readLastSuccess).catch(() => null),
    primary(context => readAlertActivity(context, ALERT_SECONDS)).catch(
      () => null,
    ),
  ])
  put('surplus_database_up', sources ? 1 : 0)
  put('surplus_counting_up', meter.isUp() ? 1 : 0)
  for (const { source, last_success_seconds } of sources ?? [])
    put('surplus_source_last_success_timestamp_seconds', last_success_seconds, {
      source,
    })
  if (!alerts) return registry
  put('surplus_alert_queue_age_seconds', alerts.oldest_seconds)
  put('surplus_alert_messages_waiting', alerts.waiting)
  put('surplus_alert_changes_to_match', alerts.changes_to_match)
  put('surplus_alert_matches_last_5m', alerts.matches)
  for (const [result, count] of Object.entries(alerts.attempts))
    put('surplus_alert_attempts_last_5m', count, { result })
  return registry
}

/** A client may send any method; a label must be one of few. */
function methodOf({ method }: Call) {
  return ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].includes(
    method,
  )
    ? method
    : 'other'
}

/** 499, as in nginx: the client closed the connection before the response. */
function statusOf(res: Response) {
  return res.writableFinished ? res.statusCode : 499
}

/** Headers that proxies add. */
const OF_A_PROXY =
  /^(?:x-forwarded-.*|x-real-ip|x-client-ip|x-envoy-.*|forwarded|via|cf-.*|true-client-ip)$/

/**
 * Without a token, only a program on this machine may read, and only while the
 * service is local. A proxy on the same host also connects from a loopback
 * address, and nginx by default adds no header and changes the `Host` to a
 * local one, but speaks HTTP/1.0.
 */
function mayRead(req: Request, token: string | null, publicUrl: string) {
  if (token !== null)
    return isSameToken(`Bearer ${token}`, req.headers.authorization ?? '')
  const hasProxy = req.app.get('trust proxy') > 0 || req.httpVersion === '1.0'
  const isForwarded =
    hasProxy || Object.keys(req.headers).some(name => OF_A_PROXY.test(name))
  const isLocal =
    isLoopbackHost(new URL(publicUrl).host) &&
    isLoopbackHost(req.headers.host ?? '')
  return !isForwarded && isLocal && isLoopback(req.socket.remoteAddress ?? '')
}

/** @param host as in the `Host` header, with or without a port. */
function isLoopbackHost(host: string) {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.toLowerCase() === 'localhost' || isLoopback(name)
}

function isLoopback(address: string) {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}
