import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ApiError } from '../domain/errors.ts'
import type { Deps } from '../usecases/deps.ts'
import { readFreshness } from '../usecases/listSources.ts'
import { openLotsMetrics } from './openLotsMetrics.ts'
import { placeMetrics } from './placeMetrics.ts'

/** From a cached answer to the deadline of a request (2 s) and that of an export (12 s). */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12]

/** The numbers of one process, for Prometheus. */
export interface Metrics {
  /** Counts and times every request. */
  observed: RequestHandler
  /** Counts a request that was shed for overload. */
  shed(): void
  /** `GET /metrics`. */
  router: Router
}

interface MetricsSettings {
  /** What `Authorization: Bearer` must carry; null: only programs on the same machine are answered. */
  token: string | null
}

/**
 * The numbers of this process and, at the moment of asking, whether it reaches its database and how fresh the data is.
 * Labels are few and bounded: the operation, the status, the code of a refusal. Never a key, an address or a query.
 */
export function createMetrics(deps: Deps, { token }: MetricsSettings): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const ageOfData = databaseGauges(registry)
  const placesOfReads = placeMetrics(registry)
  const indexOfLots = openLotsMetrics(registry)
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/metrics', async (req, res) => {
    if (!mayRead(req, token)) throw hidden()
    await ageOfData(deps)
    placesOfReads(deps)
    indexOfLots(deps)
    res
      .type(registry.contentType)
      .set('Cache-Control', 'no-store')
      .send(await registry.metrics())
  })
  const shed = new Counter({
    name: 'surplus_shed_requests_total',
    help: 'Requests that were refused at once with 503 because the process had more to do than it can.',
    registers: [registry],
  })
  return { observed: requestMetrics(registry), shed: () => shed.inc(), router }
}

function requestMetrics(registry: Registry): RequestHandler {
  const registers = [registry]
  const durations = new Histogram({
    name: 'surplus_request_duration_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['operation', 'method', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'surplus_refusals_total',
    help: 'Requests that were refused, by the code of the error body.',
    labelNames: ['operation', 'code'],
    registers,
  })
  const inFlight = new Gauge({
    name: 'surplus_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
  })
  return (req, res, next) => {
    const stop = durations.startTimer()
    inFlight.inc()
    res.once('close', () => {
      inFlight.dec()
      const operation: string = res.locals.operationId ?? 'none'
      stop({ operation, method: methodOf(req), status: statusOf(res) })
      const code: unknown = res.locals.body?.code
      if (res.statusCode >= 400 && typeof code === 'string') refusals.inc({ operation, code })
    })
    next()
  }
}

/** Asks the database when asked; what it does not answer is missing rather than old. */
function databaseGauges(registry: Registry): (deps: Deps) => Promise<void> {
  const registers = [registry]
  const isUp = new Gauge({
    name: 'surplus_database_up',
    help: 'Whether the database answered just now.',
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'surplus_source_last_success_timestamp_seconds',
    help: 'When the data of a source was last loaded whole.',
    labelNames: ['source'],
    registers,
  })
  return async deps => {
    lastSuccess.reset()
    try {
      for (const { source, last_success_seconds } of await readFreshness(deps))
        lastSuccess.set({ source }, last_success_seconds)
      isUp.set(1)
    } catch {
      isUp.set(0)
    }
  }
}

/** Methods are whatever a client writes; a label must not be. */
function methodOf({ method }: Request): string {
  return ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].includes(method) ? method : 'other'
}

/** 499, as in nginx: the client left before the answer. */
function statusOf(res: Response): number {
  return res.writableFinished ? res.statusCode : 499
}

function mayRead(req: Request, token: string | null): boolean {
  if (token !== null) return isSame(req.headers.authorization ?? '', `Bearer ${token}`)
  const isForwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
  return !isForwarded && isLoopback(req.socket.remoteAddress ?? '')
}

/** Takes as long for a near miss as for a far one. */
function isSame(sent: string, expected: string): boolean {
  const [left, right] = [sent, expected].map(text => createHash('sha256').update(text).digest())
  return timingSafeEqual(left!, right!)
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

function hidden(): ApiError {
  return new ApiError(
    'not_found',
    'There is nothing at this address for you. GET /openapi.yaml lists the operations.',
  )
}
