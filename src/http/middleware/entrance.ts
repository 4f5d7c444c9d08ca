import { hash } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../domain/caller.ts'
import { unavailable } from '../../domain/errors.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import type { Logger } from '../../infra/log.ts'
import { createEntrance } from '../../infra/overload/entrance.ts'
import type { LoadLimits } from '../../infra/overload/load.ts'

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
 * of its keys was accepted, and a network address before. A call that is shed goes on with `res.locals.isShed`, so that it gets its headers.
 */
export function entrance({ limits, trustProxyHops, log }: EntranceOptions): RequestHandler {
  const { enter } = createEntrance(limits)
  const accounts = createKnownAccounts()
  const warn = trustProxyHops === 0 ? warnOnceOfProxy(log) : () => {}
  return (req: Request, res: Response, next: NextFunction) => {
    if (HEALTH_CHECKS.includes(req.path)) return next()
    warn(req)
    onceArrived(req, () => {
      let isAtOnce = true
      const start = (leave: () => void) => {
        leaveAfterAnswer(res, leave)
        res.once('finish', () => accounts.learn(req, res))
        if (isAtOnce) return next()
        // In a later turn of the event loop, so that the connections of others are read before.
        setImmediate(() => (res.closed ? leave() : next()))
      }
      const shed = () => {
        res.locals.isShed = true
        next()
      }
      res.once('close', enter(accounts.of(req) ?? `address ${ipBlock(req.ip ?? '')}`, { start, shed }))
      isAtOnce = false
    })
  }
}

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
      const { key } = res.locals.caller as Caller
      if (!key || res.statusCode === 401) return
      const [oldest] = known.keys()
      if (known.size >= MOST_KNOWN) known.delete(oldest!)
      known.set(name, `account ${key.accountId}`)
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
    leave()
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
