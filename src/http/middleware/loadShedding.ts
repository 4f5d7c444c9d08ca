import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { unavailable } from '../../domain/errors.ts'

/** How much work a process accepts; calls beyond it are shed. */
export interface LoadLimits {
  /** The most calls in flight. A quarter of them is accepted at any throughput. */
  callsAtOnce: number
  /** How long the calls in flight may take to drain, once a queue has existed for 1 s. */
  maxQueueMs: number
}

/** The limits unless settings change them (docs/decisions/0018-overload.md). */
export const DEFAULT_LOAD_LIMITS: LoadLimits = { callsAtOnce: 400, maxQueueMs: 500 }

export type Load = ReturnType<typeof createLoad>

const QUEUE_TOLERATED_MS = 1_000
/** The call of a client that has left or reads slowly is counted until its work ends, at most this long. */
const COUNTED_AFTER_ANSWER_MS = 2_000

/**
 * Counts the calls in flight and decides whether one more is too many.
 *
 * Accepts a queue that comes and goes, such as a burst or a pause of the garbage collector; a queue that stays only makes
 * every call in it late (Nichols and Jacobson, Controlling Queue Delay, 2012). The time to drain is the number of calls in
 * flight divided by the throughput of the last second (Little's law), whether the processor or the database is slow.
 * @param now milliseconds of a monotonic clock.
 */
export function createLoad(
  { callsAtOnce, maxQueueMs }: LoadLimits,
  now: () => number = () => performance.now(),
) {
  const alwaysAccepted = Math.ceil(callsAtOnce / 4)
  const throughput = createThroughput(now())
  let inFlight = 0
  let shortAt = now()

  const count = (change: 1 | -1) => {
    if (inFlight < alwaysAccepted / 2) shortAt = now()
    inFlight += change
  }

  return {
    isOverloaded: () => {
      if (inFlight < alwaysAccepted) return false
      if (inFlight >= callsAtOnce) return true
      const time = now()
      const drainMs = (inFlight / throughput.perSecond(time)) * 1_000
      return time - shortAt >= QUEUE_TOLERATED_MS && drainMs >= maxQueueMs
    },
    begin: () => count(1),
    end: () => {
      count(-1)
      throughput.count(now())
    },
  }
}

/** Events in the last second: those of the current second, and a share of those of the second before. */
function createThroughput(start: number) {
  let began = start
  let current = 0
  let previous = 0
  const advance = (time: number) => {
    const seconds = Math.floor((time - began) / 1_000)
    if (seconds === 0) return
    previous = seconds === 1 ? current : 0
    current = 0
    began += seconds * 1_000
  }
  return {
    count: (time: number) => {
      advance(time)
      current++
    },
    perSecond: (time: number) => {
      advance(time)
      return current + previous * (1 - (time - began) / 1_000)
    },
  }
}

/** Created once: a stack trace per refusal would cost more than the refusal. */
export const OVERLOADED = unavailable('The service is overloaded. Try again shortly.')

/**
 * Sheds before a request is read or counted. A call is in flight from the end of its request to the end of its response;
 * a client that sends slowly takes no place, and one that reads slowly takes it for at most 2 s.
 */
export function loadShedding(load: Load, onShed: () => void): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    // The response cache may have charged the call already; a charged call is accepted.
    if (load.isOverloaded() && !res.locals.charging) {
      onShed()
      throw OVERLOADED
    }
    let state: 'sending' | 'waiting' | 'answered' = 'sending'
    const begin = () => {
      if (state !== 'sending') return
      state = 'waiting'
      load.begin()
    }
    const end = () => {
      if (state === 'waiting') load.end()
      state = 'answered'
    }
    const endSoon = () => {
      if (state !== 'answered') setTimeout(end, COUNTED_AFTER_ANSWER_MS).unref()
    }
    if (hasBody(req)) req.once('end', begin)
    else begin()
    callBefore(res, 'end', end)
    callBefore(res, 'writeHead', endSoon)
    res.once('close', endSoon)
    next()
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
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
