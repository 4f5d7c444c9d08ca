import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { unavailable } from '../../domain/errors.ts'

/** How much a process takes on at once; beyond it calls are shed. */
export interface IntakeLimits {
  /** Calls that wait for their answer at the same moment, at most. A quarter of them is let in whatever the pace. */
  mostAtOnce: number
  /** How long those may stand in line together, once a line has stood for a second. */
  longestLineMs: number
}

/** Unless set otherwise (docs/decisions/0018-overload.md). */
export const INTAKE: IntakeLimits = { mostAtOnce: 400, longestLineMs: 500 }

/** Counts the calls that wait for their answer, and says whether it is too many for one more. */
export interface Intake {
  isFull(): boolean
  begin(): void
  end(): void
}

const STANDING_MS = 1_000
/** A client that has left, or that reads slowly, keeps its call counted until the work ends, and no longer than this. */
const PATIENCE_MS = 2_000

/**
 * A line that comes and goes (a burst, a pause of the garbage collector) is let be; one that stays only makes everyone in
 * it late (Nichols and Jacobson, Controlling Queue Delay, 2012). How long it takes is its length by the answers of the last
 * second (Little's law), so it is the same measure whether the processor or the database is what is slow.
 * @param now milliseconds that only grow.
 */
export function createIntake(
  { mostAtOnce, longestLineMs }: IntakeLimits,
  now: () => number = () => performance.now(),
): Intake {
  const always = Math.ceil(mostAtOnce / 4)
  const pace = createPace(now())
  let inFlight = 0
  let shortAt = now()

  const count = (change: 1 | -1) => {
    if (inFlight < always / 2) shortAt = now()
    inFlight += change
  }

  return {
    isFull: () => {
      if (inFlight < always) return false
      if (inFlight >= mostAtOnce) return true
      const time = now()
      return time - shortAt >= STANDING_MS && inFlight >= (pace.perSecond(time) * longestLineMs) / 1_000
    },
    begin: () => count(1),
    end: () => {
      count(-1)
      pace.count(now())
    },
  }
}

/** Events in the last second: those of this one, and of the one before as far as it reaches into it. */
function createPace(start: number) {
  let began = start
  let current = 0
  let previous = 0
  const turn = (time: number) => {
    const seconds = Math.floor((time - began) / 1_000)
    if (seconds === 0) return
    previous = seconds === 1 ? current : 0
    current = 0
    began += seconds * 1_000
  }
  return {
    count: (time: number) => {
      turn(time)
      current++
    },
    perSecond: (time: number) => {
      turn(time)
      return current + previous * (1 - (time - began) / 1_000)
    },
  }
}

/** Made once: a stack for each would cost more than the refusal. */
export const TOO_BUSY = unavailable('The service has more to do than it can. Try again shortly.')

/**
 * Sheds before anything is read or counted. A call is under way from the end of its request to the end of its answer; who
 * sends slowly holds no place, and who reads slowly holds it for 2 s.
 */
export function shedding(intake: Intake, onShed: () => void): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    // Who has paid already (repeatedCalls) is let in.
    if (intake.isFull() && !res.locals.charging) {
      onShed()
      throw TOO_BUSY
    }
    let state: 'sending' | 'waiting' | 'answered' = 'sending'
    const begin = () => {
      if (state !== 'sending') return
      state = 'waiting'
      intake.begin()
    }
    const end = () => {
      if (state === 'waiting') intake.end()
      state = 'answered'
    }
    const endSoon = () => {
      if (state !== 'answered') setTimeout(end, PATIENCE_MS).unref()
    }
    if (hasBody(req)) req.once('end', begin)
    else begin()
    before(res, 'end', end)
    before(res, 'writeHead', endSoon)
    res.once('close', endSoon)
    next()
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Node has events for what was sent, not for what the service has done its part of. */
function before(res: Response, name: 'end' | 'writeHead', call: () => void): void {
  const method = res[name] as (...args: unknown[]) => unknown
  Object.defineProperty(res, name, {
    configurable: true,
    writable: true,
    value: (...args: unknown[]) => {
      call()
      return Reflect.apply(method, res, args)
    },
  })
}
