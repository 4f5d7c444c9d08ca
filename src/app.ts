import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import helmet from 'helmet'
import type { Contract } from './contract/document.ts'
import { contractFiles } from './http/contractFiles.ts'
import { crossOrigin } from './http/crossOrigin.ts'
import { errorHandler, unknownRoute } from './http/errors.ts'
import { health, type Readiness } from './http/health.ts'
import { isReadablePath } from './http/query.ts'
import { requestLog } from './http/requestLog.ts'
import { mountOperations } from './http/routes.ts'
import type { Witness } from './http/witness.ts'
import type { Logger } from './infra/log.ts'
import { createMcpDoor } from './mcp/mcpDoor.ts'
import { pages } from './pages/pages.ts'
import type { Deps } from './usecases/deps.ts'

export interface AppOptions {
  contract: Contract
  deps: Deps
  log: Logger
  witness: Witness | null
  readiness: Readiness
  trustProxyHops: number
  mcpOrigins: string[]
}

/** The whole service as one Express application: what a request meets, in this order. */
export async function createApp(options: AppOptions): Promise<Express> {
  const { contract, deps, log, witness, readiness, trustProxyHops, mcpOrigins } = options
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', trustProxyHops)

  app.use(requestLog(log))
  app.use(securityHeaders(deps.publicUrl.startsWith('https:')))
  app.use(crossOrigin())
  app.use(closeWhileStopping(readiness))
  app.use((req: Request, _res: Response, next: NextFunction) =>
    isReadablePath(req.url) ? next() : unknownRoute(),
  )
  app.use(health(deps, readiness))
  app.use(contractFiles(contract))
  app.use(pages(deps, contract))
  const callMcp = createMcpDoor({ contract, deps, origins: mcpOrigins })
  await mountOperations(app, contract, deps, witness, { callMcp })
  app.use(unknownRoute)
  app.use(errorHandler(deps.publicUrl))
  return app
}

function securityHeaders(overHttps: boolean) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'https:', 'data:'],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
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
