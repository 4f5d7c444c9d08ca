import type { Server } from 'node:http'
import { compileContract } from '../../../src/compiledContract.ts'
import { readConfig } from '../../../src/config.ts'
import { drain, listen } from '../../../src/http/server/server.ts'
import { createLog, type Logger } from '../../../src/infra/log.ts'
import { createService, type Service, type ServiceSettings } from '../../../src/service.ts'
import { contract } from '../contract/contract.ts'
import { portOf } from './portOf.ts'
import { METRICS_TOKEN, PEPPER, PUBLIC_URL } from './testSettings.ts'

/** A whole service, listening, as `surplus serve` runs it. */
export interface RunningService extends Service {
  address: string
  server: Server
  /** Stops as `surplus serve` does on SIGTERM. */
  stop(): Promise<void>
}

/**
 * Compiled once by each worker: to read and compile it takes more time than the rest of a start.
 */
const compiledContract = await compileContract(contract)

/** Starts a service on a database, in this process, behind the real server. */
export async function startService(
  databaseUrl: string,
  log: Logger = createLog('silent'),
  extra: Partial<ServiceSettings> = {},
  port = 0,
): Promise<RunningService> {
  const settings = {
    ...readConfig({}),
    databaseUrl,
    compiledContract,
    pepper: PEPPER,
    publicUrl: PUBLIC_URL,
    pagesPerMinute: 1_000_000,
    metricsToken: METRICS_TOKEN,
    lateAnswersMs: 60_000,
    resolveName: async () => ['8.8.8.8'],
    log,
    ...extra,
  }
  const service = await createService(settings)
  const { data } = service.deps
  const server = await listen(service.app, '127.0.0.1', port, { ...settings, data })
  return {
    ...service,
    server,
    address: `http://127.0.0.1:${portOf(server)}`,
    stop: async () => {
      await drain(server, service.readiness)
      await service.close()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await service.close()
    },
  }
}
