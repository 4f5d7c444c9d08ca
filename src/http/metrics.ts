import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ApiError } from '../domain/errors.ts'
import type { Deps } from '../usecases/deps.ts'
import { readFreshness } from '../usecases/listSources.ts'

/** From a cached response to the deadline of a request (2 s) and of an export (12 s). */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12]

/**
 * The metrics of this process and, read at the moment of the request, whether its database answers and how fresh the data
 * is. Labels are few and bounded: the operation, the status, the code of a refusal. Never a key, an address or a query.
 * @param token what `Authorization: Bearer` must carry; null: only programs on the same machine get an answer.
 * @returns a middleware that counts and times every request, a count of those shed, and the route `GET /metrics`.
 */
export function createMetrics(deps: Deps, token: string | null) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const update = [databaseMetrics(registry), readServerMetrics(registry), searchIndexMetrics(registry)]
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/metrics', async (req, res) => {
    if (!mayRead(req, token, deps.publicUrl)) throw hidden()
    for (const each of update) await each(deps)
    res
      .type(registry.contentType)
      .set('Cache-Control', 'no-store')
      .send(await registry.metrics())
  })
  const shed = new Counter({
    name: 'surplus_shed_requests_total',
    help: 'Requests that were refused at once with 503 because the process was overloaded.',
    registers: [registry],
  })
  return { requests: requestMetrics(registry), shed: () => shed.inc(), router }
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
    const startedAt = performance.now()
    const method = methodOf(req)
    inFlight.inc()
    res.once('close', () => {
      inFlight.dec()
      const { operationId: operation = 'none', errorCode: code } = res.locals
      const seconds = (performance.now() - startedAt) / 1_000
      durations.observe({ operation, method, status: statusOf(res) }, seconds)
      if (code !== undefined) refusals.inc({ operation, code })
    })
    next()
  }
}

/** Reads the database at each scrape; a value that cannot be read is missing rather than old. */
function databaseMetrics(registry: Registry): (deps: Deps) => Promise<void> {
  const registers = [registry]
  const isUp = new Gauge({
    name: 'surplus_database_up',
    help: 'Whether the database answered just now.',
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'surplus_source_last_success_timestamp_seconds',
    help: 'When the data of a source was last loaded completely.',
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

/** The primary and its replicas, as this process sees them. */
function readServerMetrics(registry: Registry): (deps: Deps) => void {
  const shared = { labelNames: ['place'], registers: [registry] }
  const isUsed = new Gauge({
    name: 'surplus_replica_in_use',
    help: 'Whether reads go to this replica: 0 while it is unreachable or too far behind.',
    ...shared,
  })
  const lag = new Gauge({
    name: 'surplus_replica_lag_seconds',
    help: 'The age of the oldest change that this replica has not replayed; missing while that is unknown.',
    ...shared,
  })
  const reads = new Counter({
    name: 'surplus_lot_reads_total',
    help: 'Reads of lots, sources and sales, by the server that answered: the primary or a replica.',
    ...shared,
  })
  return ({ reads: router }) => {
    for (const each of [isUsed, lag, reads]) each.reset()
    for (const { server: place, ...status } of router.servers()) {
      reads.inc({ place }, status.reads)
      if (place === 'primary') continue
      isUsed.set({ place }, status.isUsed ? 1 : 0)
      if (status.lagSeconds !== null) lag.set({ place }, status.lagSeconds)
    }
  }
}

/** The index of the open lots in this process. */
function searchIndexMetrics(registry: Registry): (deps: Deps) => void {
  const registers = [registry]
  const lots = new Gauge({
    name: 'surplus_open_lots_indexed',
    help: 'Open lots in the index of this process; 0 while there is none, which is normal when there are few.',
    registers,
  })
  const searches = new Counter({
    name: 'surplus_searches_total',
    help: 'Searches that were not cached, by what answered them: the index, or the database alone.',
    labelNames: ['by'],
    registers,
  })
  return ({ searchIndex }) => {
    const status = searchIndex.status()
    lots.set(status.lots)
    searches.reset()
    searches.inc({ by: 'index' }, status.answered)
    searches.inc({ by: 'database' }, status.passedOn)
  }
}

/** A client may send any method; a label must be one of few. */
function methodOf({ method }: Request): string {
  return ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].includes(method) ? method : 'other'
}

/** 499, as in nginx: the client closed the connection before the response. */
function statusOf(res: Response): number {
  return res.writableFinished ? res.statusCode : 499
}

/**
 * Without a token, only a program on this machine may read, and only while the service is local: a proxy on the same host
 * also connects from a loopback address, sends no forwarding header by default, and passes a public `Host` on.
 */
function mayRead(req: Request, token: string | null, publicUrl: string): boolean {
  if (token !== null) return isSame(req.headers.authorization ?? '', `Bearer ${token}`)
  const isForwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
  const isLocal = isLoopbackHost(new URL(publicUrl).host) && isLoopbackHost(req.headers.host ?? '')
  return !isForwarded && isLocal && isLoopback(req.socket.remoteAddress ?? '')
}

/** @param host as in the `Host` header, with or without a port. */
function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.toLowerCase() === 'localhost' || isLoopback(name)
}

/** Compares in constant time. */
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
