import { randomUUID } from 'node:crypto'
import type {
  NextFunction,
  Request,
  RequestHandler,
  Response,
  Router,
} from 'express'
import { unavailable } from '../../contract/errors.ts'
import { serviceCaller } from '../../domain/caller.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { CallBound } from '../../infra/overload/callBound.ts'
import type { Deps } from '../../usecases/deps.ts'
import { BoundedResponse, refusalOf } from '../middleware/entrance.ts'
import { headersOfData } from '../middleware/headersOfData.ts'

/** Whether the process still takes requests; turned off first when it stops. */
export interface Readiness {
  stopping: boolean
}

interface HealthOptions extends Pick<Deps, 'data' | 'primary' | 'publicUrl'> {
  readiness: Readiness
  /** How many checks of one address are at work at once; the others wait. */
  callsPerCaller: number
}

/**
 * `/healthz`: the process answers. `/readyz`: it takes requests and reaches its
 * database.
 */
export class HealthChecks {
  readonly #options: HealthOptions
  readonly #bound: CallBound
  /** Why checks did not hold. */
  readonly #faults = new WeakMap<Response, unknown>()

  constructor(options: HealthOptions) {
    this.#options = options
    this.#bound = new CallBound(options.callsPerCaller)
  }

  /**
   * Answers a check that holds before anything is made for a call, so it is in
   * no log and in no metric. One that does not hold goes on as a call, which
   * `router` refuses. Of an address, a few are at work at once.
   */
  // Why: a caller beside an address that sends health checks on 64 connections:
  // npx vitest run test/faults/databaseFaults.test.ts -t 'health checks'
  readonly answer: RequestHandler = (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead || (req.path !== '/healthz' && req.path !== '/readyz'))
      return next()
    const begin = () => {
      if (req.path === '/healthz') this.#send(res, 'ok')
      else void this.#answerReadiness(res, next)
    }
    const call = new BoundedResponse(res, begin, isOwnFault => {
      this.#goOn(res, next, refusalOf(isOwnFault))
    })
    const entered = this.#bound.enter(ipBlock(req.ip ?? '', 56), call)
    res.once('close', () => this.#bound.close(entered))
  }

  /** Refuses the checks that did not hold. */
  router(): Router {
    const router = createRouter()
    const refuse = (_req: Request, res: Response) => {
      throw this.#faults.get(res)
    }
    router.get('/healthz', refuse)
    router.get('/readyz', refuse)
    return router
  }

  async #answerReadiness(res: Response, next: NextFunction): Promise<void> {
    const { primary, readiness } = this.#options
    try {
      if (readiness.stopping) throw unavailable('This process is stopping.')
      await primary(async ({ sql }) => sql`select 1`, serviceCaller())
    } catch (fault) {
      return this.#goOn(res, next, fault)
    }
    this.#send(res, 'ready')
  }

  #goOn(res: Response, next: NextFunction, fault: unknown): void {
    this.#faults.set(res, fault)
    next()
  }

  #send(res: Response, status: string): void {
    const { data, publicUrl, readiness } = this.#options
    const body = JSON.stringify({ status })
    res.writeHead(200, {
      'X-Request-Id': randomUUID(),
      'X-Data': data.kind,
      'Access-Control-Allow-Origin': '*',
      ...headersOfData(publicUrl.startsWith('https:')),
      ...(readiness.stopping && { Connection: 'close' }),
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    })
    res.end(body)
  }
}
