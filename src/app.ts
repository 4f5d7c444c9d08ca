import compression from 'compression'
import express from 'express'
import type { CompiledContract } from './compiledContract.ts'
import type { Config } from './config.ts'
import { unknownRoute } from './contract/errors.ts'
import { agentsHost } from './http/agents/agentsHost.ts'
import { agentSignIn } from './http/agents/signIn.ts'
import { beginCall } from './http/call.ts'
import { createMetrics } from './http/metrics.ts'
import { Entrance, refuseShed } from './http/middleware/entrance.ts'
import { errorHandler } from './http/middleware/errorHandler.ts'
import { refuseOtherMethods } from './http/middleware/methodNotAllowed.ts'
import { requestLog } from './http/middleware/requestLog.ts'
import { visitorLimit } from './http/middleware/visitorLimit.ts'
import { admitCall } from './http/operations/admission.ts'
import { matchOperation } from './http/operations/matchOperation.ts'
import { answerCall } from './http/operations/reply.ts'
import { refuseUnreadablePath } from './http/operations/requestValidation.ts'
import { commonHeaders } from './http/server/commonHeaders.ts'
import { downloads } from './http/server/downloads.ts'
import { HealthChecks, type Readiness } from './http/server/health.ts'
import { loadBodyParsers } from './http/server/loadBodyParsers.ts'
import { stripeWebhook } from './http/stripeWebhook.ts'
import { BROTLI, MIN_BYTES } from './infra/codings.ts'
import { createRouter } from './infra/createRouter.ts'
import type { Logger } from './infra/log.ts'
import { createSessions } from './pages/account/session.ts'
import { accountPages } from './pages/accountPages.ts'
import { mailPages } from './pages/alerts/mailPages.ts'
import { sendErrorPage } from './pages/errorPage.ts'
import { fixedText } from './pages/kit/fixedText.ts'
import type { PageContext } from './pages/kit/layout.ts'
import { createSite } from './pages/kit/site.ts'
import { siteFiles } from './pages/kit/staticFiles.ts'
import { pages } from './pages/pages.ts'
import type { Deps } from './usecases/deps.ts'

/** Those of the settings that the chain itself reads, and what it leads to. */
export interface AppOptions
  extends Pick<
    Config,
    'trustProxyHops' | 'metricsToken' | 'pagesPerMinute' | 'callsPerCaller'
  > {
  compiledContract: CompiledContract
  deps: Deps
  /**
   * The same with reads that may lag, for pages that are the same for
   * everybody.
   */
  publicDeps: Deps
  log: Logger
  readiness: Readiness
}

/** The whole service: the middlewares that a request passes, in order. */
export function createApp(options: AppOptions) {
  const { deps, publicDeps, log, readiness, pagesPerMinute } = options
  const { contract, dispatcher, requestValidation, readSearch } =
    options.compiledContract
  const { billing, data, mailer, publicUrl } = deps
  const metrics = createMetrics(deps, options.metricsToken)
  const limit = visitorLimit(pagesPerMinute)
  const site = createSite(deps, readSearch, limit)
  const publicSite =
    publicDeps === deps ? site : createSite(publicDeps, readSearch, limit)

  loadBodyParsers()
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', options.trustProxyHops)
  const sessions = createSessions(deps)
  app.locals.pageContext = {
    publicUrl,
    data,
    hasMailbox: !mailer.hasServer,
    contactEmail: deps.contactEmail,
    viewerOf: sessions.viewer,
  } satisfies PageContext

  const healthChecks = new HealthChecks({
    ...deps,
    readiness,
    callsPerCaller: options.callsPerCaller,
  })
  app.use(healthChecks.answer)
  app.use(beginCall)
  app.use(metrics.requests)
  app.use(requestLog(app, log, deps))
  app.use(new Entrance(options).letIn)
  if (deps.agentsUrl) app.use(agentsHost(deps.agentsUrl))
  app.use(
    commonHeaders({
      publicUrl,
      formTargets: billing?.pageOrigins ?? [],
      readiness,
      data,
    }),
  )
  app.use(refuseUnreadablePath)
  app.use(refuseOtherMethods(healthChecks.router()))
  app.use(refuseOtherMethods(metrics.router))
  app.use(refuseShed(metrics.shed))
  if (deps.agentsUrl) app.use(agentSignIn(deps, limit, siteFiles()))

  // The operations of the contract. A request for none of them passes by.
  const operations = createRouter()
  operations.use(matchOperation(dispatcher, publicUrl))
  operations.use(admitCall(deps, limit))
  operations.use(requestValidation)
  operations.use(answerCall(dispatcher, deps))
  app.use(operations)

  app.use(compression({ threshold: MIN_BYTES, brotli: BROTLI }))
  app.use(
    refuseOtherMethods(
      pages(contract, { site, publicSite, isSignedIn: sessions.isSignedIn }),
    ),
  )
  app.use(refuseOtherMethods(downloads(publicUrl, fixedText)))
  app.use(refuseOtherMethods(mailPages(deps)))
  app.use(accountPages(site, sessions))
  app.use(stripeWebhook(deps))
  app.use(limit, unknownRoute)
  app.use(errorHandler(publicUrl, sendErrorPage))
  return app
}
