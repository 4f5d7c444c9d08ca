import { hash } from 'node:crypto'
import type {
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { type ApiError, unavailable } from '../../contract/errors.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import type { Logger } from '../../infra/log.ts'
import { type BoundedCall, CallBound } from '../../infra/overload/callBound.ts'
import { callOf } from '../call.ts'

/**
 * Keys that were accepted lately; each is a hash and the number of an account.
 */
const MOST_KNOWN = 10_000

// Created once: a stack trace per refusal would cost more than the refusal.
const OVERLOADED = unavailable('The service is overloaded. Try again shortly.')
const TOO_MANY_AT_ONCE = unavailable(
  'Your earlier calls took all the time of this one. Send fewer calls at once.',
)

interface EntranceOptions {
  /**
   * How many calls of one account or address are at work at once; the others
   * wait.
   */
  callsPerCaller: number
  trustProxyHops: number
  log: Logger
}

/**
 * Lets calls in by turns, before anything is read or counted. The caller is an
 * account once one of its keys was accepted, and a network address before (IPv6
 * by /56). Accounts and addresses are bounded apart: no stranger takes the
 * place of an account. A call that is refused goes on, so that it gets its
 * headers.
 */
export class Entrance {
  readonly #accounts: CallBound
  readonly #addresses: CallBound
  /** By the hash of what was sent. */
  readonly #accountsOfKeys = new LRUCache<string, number>({ max: MOST_KNOWN })
  readonly #warn: (req: Request) => void

  constructor({ callsPerCaller, trustProxyHops, log }: EntranceOptions) {
    this.#accounts = new CallBound(callsPerCaller)
    this.#addresses = new CallBound(callsPerCaller)
    this.#warn = trustProxyHops === 0 ? warnOnceOfProxy(log) : () => {}
  }

  readonly letIn: RequestHandler = (req, res, next) => {
    this.#warn(req)
    onceArrived(req, () => this.#enter(req, res, next))
  }

  #enter(req: Request, res: Response, next: NextFunction): void {
    // All that a call waits for is a part of the time that its response has.
    callOf(res).caller.startedAt = performance.now()
    const key = hashedKey(req)
    const account = this.#accountsOfKeys.get(key)
    const bound = account === undefined ? this.#addresses : this.#accounts
    const call = new BoundedResponse(res, next, isOwnFault => {
      callOf(res).refusal = refusalOf(isOwnFault)
      next()
    })
    const entered = bound.enter(account ?? ipBlock(req.ip ?? '', 56), call)
    res.once('close', () => {
      bound.close(entered)
      this.#remember(key, res)
    })
  }

  #remember(key: string, res: Response): void {
    const { charge } = callOf(res)
    if (charge && 'accountId' in charge)
      this.#accountsOfKeys.set(key, charge.accountId)
    else if (res.statusCode === 401) this.#accountsOfKeys.delete(key)
  }
}

/**
 * Why a call is refused whose turn did not come.
 * @param isOwnFault see `BoundedCall`.
 */
export function refusalOf(isOwnFault: boolean): ApiError {
  return isOwnFault ? TOO_MANY_AT_ONCE : OVERLOADED
}

/** A call as the bound sees it: by its response. */
export class BoundedResponse implements BoundedCall {
  readonly #res: Response
  readonly begin: () => void
  readonly refuse: (isOwnFault: boolean) => void

  constructor(
    res: Response,
    begin: () => void,
    refuse: (isOwnFault: boolean) => void,
  ) {
    this.#res = res
    this.begin = begin
    this.refuse = refuse
  }

  isAnswering(): boolean {
    return this.#res.headersSent
  }

  /**
   * Node sends nothing to a client that has left, but its response ends all the
   * same.
   */
  isDone(): boolean {
    return this.#res.closed && this.#res.writableEnded
  }
}

/** Refuses what the entrance did not let in. @param onShed counts it. */
export function refuseShed(onShed: () => void): RequestHandler {
  return (_req, res, next) => {
    const { refusal } = callOf(res)
    if (!refusal) return next()
    onShed()
    throw refusal
  }
}

/**
 * The name of a key among those that were accepted: its hash; '' without one.
 */
function hashedKey({ headers }: Request): string {
  return headers.authorization === undefined
    ? ''
    : hash('sha256', headers.authorization)
}

function warnOnceOfProxy(log: Logger): (req: Request) => void {
  let isWarned = false
  return ({ headers }) => {
    if (
      isWarned ||
      (headers['x-forwarded-for'] === undefined &&
        headers.forwarded === undefined)
    )
      return
    isWarned = true
    log.warn(
      'requests come through a proxy, and TRUST_PROXY_HOPS is 0: all callers behind it count as one address. Set it to the number of proxies',
    )
  }
}

/**
 * A client that sends its body slowly takes no place meanwhile. A body that
 * fills the buffer is read by its route.
 */
function onceArrived(req: Request, go: () => void) {
  const isThere = () =>
    req.complete || req.readableLength >= req.readableHighWaterMark
  if (!hasBody(req) || isThere()) return go()
  const look = () => {
    if (isThere()) {
      req.off('readable', look)
      go()
    }
  }
  req.on('readable', look)
  // Node 24 does not drain a body that was listened for and no route has read:
  // the next request of the connection would wait.
  req.res?.once('finish', () => req.resume())
}

function hasBody({ headers }: Request) {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length']) > 0
  )
}

/**
 * Requests that wait behind others of their connection, in the whole process:
 * about 3 kB each.
 */
const MOST_PIPELINED = 20_000

/**
 * The latest response of a connection, and how many requests wait behind it.
 */
interface ConnectionQueue {
  latest: ServerResponse
  waiting: number
}

/**
 * Serves the requests of a connection one after the other; Node would start all
 * that have been pipelined (RFC 9112, 9.3.2). No more is read from a connection
 * while a request of it waits. A connection that adds to MOST_PIPELINED waiting
 * requests is closed.
 */
// Why: callers beside a connection with 1,000 pipelined requests:
// npx vitest run test/hostile/entrance.test.ts -t pipelined
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, ConnectionQueue>()
  let pipelined = 0

  function wait(
    queue: ConnectionQueue,
    req: IncomingMessage,
    res: ServerResponse,
  ) {
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
      // In a later turn of the event loop, so that other connections are read
      // before.
      setImmediate(() => listener(req, res))
    })
    if (pipelined > MOST_PIPELINED) socket.destroy()
  }

  function queueOf(socket: Socket, latest: ServerResponse) {
    const queue = { latest, waiting: 0 }
    queues.set(socket, queue)
    // Node resumes the connection after every request that it has parsed or
    // answered.
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
