import compression from 'compression'
import express from 'express'
import type { Config } from './config.ts'
import type { Contract } from './contract/document.ts'
import { unknownRoute } from './domain/errors.ts'
import { agentsHost } from './http/agents/agentsHost.ts'
import { agentSignIn } from './http/agents/signIn.ts'
import { beginCall } from './http/call.ts'
import { errorHandler } from './http/errors.ts'
import { createMetrics } from './http/metrics.ts'
import { commonHeaders } from './http/middleware/commonHeaders.ts'
import { entrance, refuseShed } from './http/middleware/entrance.ts'
import { refuseOtherMethods } from './http/middleware/methodNotAllowed.ts'
import { requestLog } from './http/middleware/requestLog.ts'
import { visitorLimit } from './http/middleware/visitorLimit.ts'
import { refuseUnreadablePath } from './http/operations/requestValidation.ts'
import { mountOperations } from './http/operations/routes.ts'
import { createSearchReader } from './http/operations/searchReader.ts'
import { type CachedReply, createResponseCache } from './http/responseCache.ts'
import { downloads } from './http/server/downloads.ts'
import { health, type Readiness } from './http/server/health.ts'
import { loadBodyParsers } from './http/server/loadBodyParsers.ts'
import { stripeWebhook } from './http/stripeWebhook.ts'
import { BROTLI, MIN_BYTES } from './infra/codings.ts'
import type { VersionedCache } from './infra/listings/versionedCache.ts'
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
  extends Pick<Config, 'trustProxyHops' | 'metricsToken' | 'pagesPerMinute' | 'loadLimits'> {
  contract: Contract
  deps: Deps
  log: Logger
  readiness: Readiness
  replies: VersionedCache<CachedReply>
}

/** The whole service: the middlewares that a request passes, in order. */
export function createApp(options: AppOptions) {
  const { contract, deps, log, readiness, replies, pagesPerMinute } = options
  const { billing, data, mailer, publicUrl } = deps
  const metrics = createMetrics(deps, options.metricsToken)
  const responseCache = createResponseCache({ deps, replies, readiness })

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
    viewerOf: sessions.viewer,
  } satisfies PageContext

  app.use(beginCall)
  app.use(metrics.requests)
  app.use(requestLog(app, log, deps))
  app.use(entrance({ limits: options.loadLimits, trustProxyHops: options.trustProxyHops, log }))
  if (deps.agentsUrl) app.use(agentsHost(deps.agentsUrl))
  app.use(responseCache.answer)
  app.use(commonHeaders({ publicUrl, formTargets: billing?.pageOrigins ?? [], readiness, data }))
  app.use(refuseUnreadablePath)
  app.use(refuseOtherMethods(health(deps, readiness)))
  app.use(refuseOtherMethods(metrics.router))
  app.use(refuseShed(metrics.shed))
  const site = createSite(deps, createSearchReader(contract), visitorLimit(pagesPerMinute))
  if (deps.agentsUrl) app.use(agentSignIn(deps, site.limit, siteFiles()))
  mountOperations(app, { contract, deps, responseCache, limit: site.limit })
  app.use(compression({ threshold: MIN_BYTES, brotli: BROTLI }))
  app.use(refuseOtherMethods(pages(contract, site)))
  app.use(refuseOtherMethods(downloads(publicUrl, fixedText)))
  app.use(refuseOtherMethods(mailPages(deps)))
  app.use(accountPages(site, sessions))
  app.use(stripeWebhook(deps))
  app.use(site.limit, unknownRoute)
  app.use(errorHandler(publicUrl, sendErrorPage))
  return app
}
