import { hash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { REQUEST_DEADLINE_MS } from '../../domain/caller.ts'
import { unavailable } from '../../domain/errors.ts'
import type { Logger } from '../../infra/log.ts'
import {
  accountTenant,
  addressTenant,
  createLoadShedder,
  type LoadLimits,
} from '../../infra/overload/loadShedding.ts'
import { callOf } from '../call.ts'

/** The call of a client that has left or reads slowly is counted until its work ends, at most this long. */
const COUNTED_AFTER_ANSWER_MS = 2_000
/** Refusals wait about so long, within the time of a response: refusing a thousand callers that ask again at once would be all that the process does. */
const REFUSED_AFTER_MS = 1_000
/** Keys that were accepted lately; each is a hash and the name of a tenant. */
const MOST_KNOWN = 10_000

const HEALTH_CHECKS = ['/healthz', '/readyz']

/** Created once: a stack trace per refusal would cost more than the refusal. */
export const OVERLOADED = unavailable('The service is overloaded. Try again shortly.')

interface EntranceOptions {
  limits: LoadLimits
  trustProxyHops: number
  log: Logger
}

/**
 * Lets calls in by turns (see `createLoadShedder`), before anything is read or counted; health checks pass. The caller is an account once one
 * of its keys was accepted, and a network address before; admission then lets the call continue as one of the account, so that new keys behind
 * one address wait for each other's counting only. A call that is shed goes on, so that it gets its headers.
 */
export function entrance({ limits, trustProxyHops, log }: EntranceOptions): RequestHandler {
  const { enter } = createLoadShedder(limits)
  const accounts = new LRUCache<string, string>({ max: MOST_KNOWN })
  const warn = trustProxyHops === 0 ? warnOnceOfProxy(log) : () => {}
  return (req, res, next) => {
    if (HEALTH_CHECKS.includes(req.path)) return next()
    warn(req)
    const call = callOf(res)
    onceArrived(req, () => {
      // All that a call waits for is a part of the time that its response has.
      call.caller.startedAt = performance.now()
      const leftMs = () => Math.max(0, call.caller.startedAt + REQUEST_DEADLINE_MS - performance.now())
      const key = hashedKey(req)
      const tenant = accounts.get(key) ?? addressTenant(req.ip ?? '')
      const start = (leave: () => void) => {
        let leaveSlot = leave
        leaveAfterAnswer(res, () => leaveSlot())
        call.continueAs = account =>
          new Promise<void>(resolve => {
            if (account === tenant) return resolve()
            leaveSlot()
            const begin = (leaveAccount: () => void) => {
              leaveSlot = leaveAccount
              resolve()
            }
            // It is charged, so it goes on even where it would be shed.
            const leaveQueue = enter(account, { start: begin, shed: resolve }, leftMs())
            res.once('close', () => {
              leaveQueue()
              resolve()
            })
          })
        res.once('finish', () => {
          const { charge } = call
          if (charge && 'accountId' in charge) accounts.set(key, accountTenant(charge.accountId))
          else if (res.statusCode === 401) accounts.delete(key)
        })
        next()
      }
      const shed = () => {
        call.isShed = true
        setTimeout(next, Math.min(leftMs(), REFUSED_AFTER_MS * (0.5 + Math.random())))
      }
      res.once('close', enter(tenant, { start, shed }, leftMs()))
    })
  }
}

/** Refuses what the entrance has shed. @param onShed counts it. */
export function refuseShed(onShed: () => void): RequestHandler {
  return (_req, res, next) => {
    if (!callOf(res).isShed) return next()
    onShed()
    throw OVERLOADED
  }
}

/** The name of a key among those that were accepted: its hash; '' without one. */
function hashedKey({ headers }: Request) {
  return headers.authorization === undefined ? '' : hash('sha256', headers.authorization)
}

function warnOnceOfProxy(log: Logger) {
  let isWarned = false
  return ({ headers }: Request) => {
    if (isWarned || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isWarned = true
    log.warn(
      'requests come through a proxy, and TRUST_PROXY_HOPS is 0: all callers behind it count as one address. Set it to the number of proxies',
    )
  }
}

/** A client that sends its body slowly takes no slot meanwhile. A body that fills the buffer is read by its route. */
function onceArrived(req: Request, go: () => void) {
  const isThere = () => req.complete || req.readableLength >= req.readableHighWaterMark
  if (!hasBody(req) || isThere()) return go()
  const look = () => {
    if (isThere()) {
      req.off('readable', look)
      go()
    }
  }
  req.on('readable', look)
  // Node 24 does not drain a body that was listened for and no route has read: the next request of the connection would wait.
  req.res?.once('finish', () => req.resume())
}

function hasBody({ headers }: Request) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** A client that reads slowly keeps its slot for 2 s at most after the head of its response; one that has left, while its work goes on. */
function leaveAfterAnswer(res: Response, leave: () => void) {
  let timer: NodeJS.Timeout | undefined
  const leaveSoon = () => {
    timer ??= setTimeout(leave, COUNTED_AFTER_ANSWER_MS).unref()
  }
  // In a later turn of the event loop, so that the calls of others are read before: answers that wait for nothing would else come one
  // after the other.
  const leaveNow = () => {
    clearTimeout(timer)
    setImmediate(leave)
  }
  callBefore(res, 'writeHead', leaveSoon)
  res.once('finish', leaveNow)
  res.once('close', () => {
    if (res.writableEnded) leaveNow()
    else leaveSoon()
  })
  // Nothing is sent to a client that has left.
  callBefore(res, 'end', () => {
    if (res.destroyed) leaveNow()
  })
}

/** Node has events for what was sent, but not for the moment at which the service is done. */
function callBefore(res: Response, name: 'end' | 'writeHead', call: () => void) {
  const method = res[name] as (...args: unknown[]) => unknown
  Object.assign(res, {
    [name]: (...args: unknown[]) => {
      call()
      return method.apply(res, args)
    },
  })
}

/** Requests that wait behind others of their connection, in the whole process: about 3 kB each. */
const MOST_PIPELINED = 20_000

/** The latest response of a connection, and how many requests wait behind it. */
interface ConnectionQueue {
  latest: ServerResponse
  waiting: number
}

/**
 * Serves the requests of a connection one after the other; Node would start all that have been pipelined (RFC 9112, 9.3.2). No more is read
 * from a connection while a request of it waits. A connection that adds to MOST_PIPELINED waiting requests is closed.
 */
// Why: callers beside a connection with 1,000 pipelined requests; npx vitest run test/hostile/entrance.test.ts -t pipelined
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, ConnectionQueue>()
  let pipelined = 0

  function wait(queue: ConnectionQueue, req: IncomingMessage, res: ServerResponse) {
    const { socket } = req
    const earlier = queue.latest
    queue.latest = res
    queue.waiting++
    pipelined++
    socket.pause()
    earlier.once('close', () => {
      // The connection has ended, or ends with the earlier response.
      if (socket.destroyed || socket.writableEnded) return
      queue.waiting--
      pipelined--
      if (queue.waiting === 0) socket.resume()
      // In a later turn of the event loop, so that other connections are read before.
      setImmediate(() => listener(req, res))
    })
    if (pipelined > MOST_PIPELINED) socket.destroy()
  }

  function queueOf(socket: Socket, latest: ServerResponse) {
    const queue = { latest, waiting: 0 }
    queues.set(socket, queue)
    // Node resumes the connection after every request that it has parsed or answered.
    socket.on('resume', () => {
      if (queue.waiting > 0) socket.pause()
    })
    socket.once('close', () => {
      pipelined -= queue.waiting
    })
    return queue
  }

  return (req, res) => {
    const queue = queues.get(req.socket)
    if (queue && !queue.latest.closed) return wait(queue, req, res)
    if (queue) queue.latest = res
    else queueOf(req.socket, res)
    listener(req, res)
  }
}
