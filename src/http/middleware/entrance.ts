import { hash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { unavailable } from '../../domain/errors.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import type { Logger } from '../../infra/log.ts'
import type { KeyCharge } from '../../infra/metering/counters.ts'
import { createEntrance, type LoadLimits } from '../../infra/overload/entrance.ts'

/** The call of a client that has left or reads slowly is counted until its work ends, at most this long. */
const COUNTED_AFTER_ANSWER_MS = 2_000
/** Accounts whose keys were seen; each is a hash and a number. */
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
 * Lets calls in by turns (see `createEntrance`), before anything is read or counted; health checks pass. The caller is an account once one
 * of its keys was accepted, and a network address before; admission then lets the call continue as one of the account, so that new keys behind
 * one address wait for each other's counting only. A call that is shed goes on with `res.locals.isShed`, so that it gets its headers.
 */
export function entrance({ limits, trustProxyHops, log }: EntranceOptions): RequestHandler {
  const { enter } = createEntrance(limits)
  const accounts = createKnownAccounts()
  const warn = trustProxyHops === 0 ? warnOnceOfProxy(log) : () => {}
  return (req: Request, res: Response, next: NextFunction) => {
    if (HEALTH_CHECKS.includes(req.path)) return next()
    warn(req)
    onceArrived(req, () => {
      const caller = accounts.of(req) ?? `address ${ipBlock(req.ip ?? '')}`
      const start = (leave: () => void) => {
        let leaveSlot = leave
        leaveAfterAnswer(res, () => leaveSlot())
        res.locals.continueAs = (account: string) =>
          new Promise<void>(resolve => {
            if (account === caller) return resolve()
            leaveSlot()
            const begin = (leaveAccount: () => void) => {
              leaveSlot = leaveAccount
              resolve()
            }
            // It is charged, so it goes on even where it would be shed.
            const leaveQueue = enter(account, { start: begin, shed: resolve })
            res.once('close', () => {
              leaveQueue()
              resolve()
            })
          })
        res.once('finish', () => accounts.learn(req, res))
        next()
      }
      const shed = () => {
        res.locals.isShed = true
        next()
      }
      res.once('close', enter(caller, { start, shed }))
    })
  }
}

/** How the entrance calls an account. */
export const nameOfAccount = (accountId: number) => `account ${accountId}`

/** Refuses what the entrance has shed. @param onShed counts it. */
export function refuseShed(onShed: () => void): RequestHandler {
  return (_req, res, next) => {
    if (!res.locals.isShed) return next()
    onShed()
    throw OVERLOADED
  }
}

/** The accounts of keys that were accepted lately. A key is kept as a hash, until it is refused or newer ones take its place. */
function createKnownAccounts() {
  const known = new Map<string, string>()
  const nameOf = ({ headers }: Request) => headers.authorization && hash('sha256', headers.authorization)
  return {
    of: (req: Request) => known.get(nameOf(req) ?? ''),
    learn: (req: Request, res: Response) => {
      const name = nameOf(req)
      if (!name) return
      known.delete(name)
      const charge: Partial<KeyCharge> | undefined = res.locals.charge
      if (charge?.accountId === undefined) return
      const [oldest] = known.keys()
      if (known.size >= MOST_KNOWN) known.delete(oldest!)
      known.set(name, nameOfAccount(charge.accountId))
    },
  }
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
function onceArrived(req: Request, go: () => void): void {
  const isThere = () => req.complete || req.readableLength >= req.readableHighWaterMark
  if (!hasBody(req) || isThere()) {
    go()
    return
  }
  const look = () => {
    if (isThere()) {
      req.off('readable', look)
      go()
    }
  }
  req.on('readable', look)
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** A client that reads slowly, or has left, keeps its slot for 2 s at most. */
function leaveAfterAnswer(res: Response, leave: () => void): void {
  let isAnswered = false
  const leaveSoon = () => {
    if (!isAnswered) setTimeout(leave, COUNTED_AFTER_ANSWER_MS).unref()
  }
  callBefore(res, 'end', () => {
    isAnswered = true
    // In a later turn of the event loop, so that the calls of others are read before: answers that wait for nothing would else come one
    // after the other.
    setImmediate(leave)
  })
  callBefore(res, 'writeHead', leaveSoon)
  res.once('close', leaveSoon)
}

/** Node has events for what was sent, but not for the moment at which the service is done. */
function callBefore(res: Response, name: 'end' | 'writeHead', call: () => void): void {
  const method = res[name] as (...args: unknown[]) => unknown
  const wrapped = (...args: unknown[]) => {
    call()
    return method.apply(res, args)
  }
  Object.assign(res, { [name]: wrapped })
}

/** Requests that wait behind others of their connection, in the whole process: about 3 kB each. */
const MOST_PIPELINED = 20_000

/** The latest response of a connection, and how many requests wait behind it. */
interface Line {
  latest: ServerResponse
  waiting: number
}

/**
 * Serves the requests of a connection one after the other; Node would start all that have been pipelined (RFC 9112, 9.3.2). No more is read
 * from a connection while a request of it waits. A connection that is the last straw is closed.
 */
// Earns: callers beside a connection with 1,000 pipelined requests; npx vitest run test/hostile/entrance.test.ts -t pipelined
export function oneAtATime(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  let pipelined = 0

  function wait(line: Line, req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    const earlier = line.latest
    line.latest = res
    line.waiting++
    pipelined++
    socket.pause()
    earlier.once('close', () => {
      // The connection has ended, or ends with the earlier response.
      if (socket.destroyed || socket.writableEnded) return
      line.waiting--
      pipelined--
      if (line.waiting === 0) socket.resume()
      // In a later turn of the event loop, so that other connections are read before.
      setImmediate(() => listener(req, res))
    })
    if (pipelined > MOST_PIPELINED) socket.destroy()
  }

  function lineOf(socket: Socket, latest: ServerResponse): Line {
    const line = { latest, waiting: 0 }
    lines.set(socket, line)
    // Node resumes the connection after every request that it has parsed or answered.
    socket.on('resume', () => {
      if (line.waiting > 0) socket.pause()
    })
    socket.once('close', () => {
      pipelined -= line.waiting
    })
    return line
  }

  return (req, res) => {
    const line = lines.get(req.socket)
    if (line && !line.latest.closed) return wait(line, req, res)
    if (line) line.latest = res
    else lineOf(req.socket, res)
    listener(req, res)
  }
}
