import type { RequestListener } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express'
import helmet from 'helmet'
import type { Contract } from './contract/document.ts'
import { contractFiles } from './http/contractFiles.ts'
import { errorHandler, unknownRoute } from './http/errors.ts'
import { asStep, inFrontOf } from './http/front.ts'
import { createMetrics } from './http/metrics.ts'
import { caller } from './http/middleware/caller.ts'
import { crossOrigin } from './http/middleware/cors.ts'
import { createIntake, type IntakeLimits, shedding } from './http/middleware/loadShedding.ts'
import { closedMethods } from './http/middleware/methodNotAllowed.ts'
import { requestLog } from './http/middleware/requestLog.ts'
import { tracing } from './http/middleware/tracing.ts'
import type { Witness } from './http/operations/responseValidation.ts'
import { mountOperations } from './http/operations/routes.ts'
import { createSearchReader } from './http/operations/searchForm.ts'
import { isReadablePath } from './http/query.ts'
import { createRepeatedCalls, type SentReply } from './http/responseCache.ts'
import { health, type Readiness } from './http/server/health.ts'
import { stripeWebhook } from './http/stripeWebhook.ts'
import type { VersionedCache } from './infra/listings/versionedCache.ts'
import type { Logger } from './infra/log.ts'
import { createMcpDoor } from './mcp/mcpDoor.ts'
import { accountPages } from './pages/account/accountPages.ts'
import { errorPage } from './pages/layout/errorPage.ts'
import { pages } from './pages/pages.ts'
import type { Deps } from './usecases/deps.ts'

export interface AppOptions {
  contract: Contract
  deps: Deps
  log: Logger
  witness: Witness | null
  readiness: Readiness
  /** Answers that may be sent again. */
  replies: VersionedCache<SentReply>
  trustProxyHops: number
  /** What `GET /metrics` must be asked with; null: it is answered on the same machine only. */
  metricsToken: string | null
  /** How many pages with lots one client address may open in a minute. */
  pagesPerMinute: number
  mcpOrigins: string[]
  intake: IntakeLimits
}

/** The whole service: what a request meets, in this order. What was answered before is answered before Express is asked. */
export async function createApp(options: AppOptions): Promise<RequestListener> {
  const { contract, deps, log, witness, readiness, replies } = options
  const metrics = createMetrics(deps, { token: options.metricsToken })
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', options.trustProxyHops)

  const isJudged = () => witness !== null && Math.random() < witness.share
  const intake = createIntake(options.intake)
  const repeatedCalls = createRepeatedCalls({
    deps,
    replies,
    intake,
    toolPath: contract.operations.find(({ operationId }) => operationId === 'callMcp')?.path ?? '',
    goesTheLongWay: () => readiness.stopping || isJudged(),
  })

  app.use(securityHeaders(deps.publicUrl.startsWith('https:'), deps.billing?.pageOrigins ?? []))
  app.use(crossOrigin())
  app.use(closeWhileStopping(readiness))
  app.use((req: Request, _res: Response, next: NextFunction) =>
    isReadablePath(req.url) ? next() : unknownRoute(),
  )
  const { pagesPerMinute, mcpOrigins: origins } = options
  app.use(closedMethods(health(deps, readiness)))
  app.use(closedMethods(metrics.router))
  app.use(shedding(intake, metrics.shed))
  app.use(caller)
  app.use(closedMethods(contractFiles(contract)))
  app.use(closedMethods(pages(deps, { contract, readSearch: createSearchReader(contract), pagesPerMinute })))
  app.use(accountPages(deps))
  app.use(stripeWebhook(deps))
  await mountOperations(app, contract, deps, witness, repeatedCalls.note, {
    callMcp: createMcpDoor({ contract, deps, origins, note: repeatedCalls.note }),
  })
  app.use(unknownRoute)
  app.use(errorHandler(deps.publicUrl, errorPage))
  return inFrontOf(app, [asStep(metrics.observed), asStep(tracing()), requestLog(log), repeatedCalls.answer])
}

/** @param formTargets where a form may lead to besides this service: browsers hold redirects after a form to it too. */
function securityHeaders(overHttps: boolean, formTargets: string[]) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        // The pages are words, pictures within them and one style sheet; the API reference has a policy of its own.
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        baseUri: ["'none'"],
        formAction: ["'self'", ...formTargets],
        frameAncestors: ["'none'"],
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: overHttps,
  })
}

/** A stopping process asks each client to come back on a new connection, which reaches another process. */
function closeWhileStopping(readiness: Readiness) {
  return (_req: Request, res: Response, next: NextFunction) => {
    if (readiness.stopping) res.setHeader('Connection', 'close')
    next()
  }
}
