import { LRUCache } from 'lru-cache'
import { createApp } from './app.ts'
import { type CompiledContract, compileContract } from './compiledContract.ts'
import type { Config } from './config.ts'
import { readContract } from './contract/document.ts'
import {
  type AgentClient,
  readClientDocument,
} from './domain/accounts/agentClient.ts'
import { REQUEST_DEADLINE_MS, serviceCaller } from './domain/caller.ts'
import { HOUR_MS } from './domain/durations.ts'
import { WIDE_ALLOWANCE } from './domain/ipBlock.ts'
import { createCallLog } from './infra/accounts/callLog.ts'
import {
  createWebhookClient,
  type Resolve,
} from './infra/alerts/webhookClient.ts'
import type { Logger } from './infra/log.ts'
import { createMailer, keepDemoMail } from './infra/mail/mailer.ts'
import { createIpBlockMeter, createMeter } from './infra/metering/meter.ts'
import { loadZipTables } from './infra/places/zipTables.ts'
import { databaseAddress } from './infra/postgres/address.ts'
import { clock } from './infra/postgres/clock.ts'
import { openDatabase } from './infra/postgres/database.ts'
import type { Sql } from './infra/postgres/sql.ts'
import { createListingReader } from './infra/search/listingReader.ts'
import { type Reads, readsOfCopy, readsOn } from './infra/search/reads.ts'
import { createCounts } from './infra/site/counts.ts'
import { createStripeBilling } from './infra/stripe/billing.ts'
import { createTitleEstimator } from './infra/valuation/titleEstimator.ts'
import { createMcpEndpoint } from './mcp/endpoint.ts'
import type { Deps } from './usecases/deps.ts'

/** The settings of `readConfig`, and what a serving process has besides. */
export interface ServiceSettings extends Omit<Config, 'databaseUrl'> {
  databaseUrl: string
  pepper: string
  log: Logger
  /** See `DatabaseSettings`. */
  lateAnswersMs?: number
  /** See `Deps`; absent: there are none. */
  archives?: Deps['archives']
  /** See `Deps`; absent: there is none. */
  demoKey?: string | undefined
  /** Resolves the names of webhook endpoints, for tests; absent: DNS. */
  resolveName?: Resolve
  /** A fixed clock for tests. */
  now?: () => Date | null
  /** Absent: compiled from `openapi.yaml`. */
  compiledContract?: CompiledContract
}

/** The service with everything that is made once. */
export type Service = Awaited<ReturnType<typeof createService>>

export async function createService(settings: ServiceSettings) {
  const { log, pepper, publicUrl, readConnections, exportConnections } =
    settings
  const { agentsUrl, contactEmail, ingest, sweepPlans } = settings
  const fixed = settings.now ?? (() => null)
  const contextOf = (sql: Sql) => ({ sql, publicUrl, now: clock(fixed()) })
  // PostgreSQL gives up first, and reports why.
  const reading = { timeoutMs: 1_500, deadlineMs: REQUEST_DEADLINE_MS }
  const exporting = { timeoutMs: 10_000, deadlineMs: 12_000 }
  const openAt = (url: string) =>
    openDatabase({
      ...settings,
      url,
      read: { connections: readConnections, ...reading },
      count: { connections: settings.countConnections, ...reading },
      export: { connections: exportConnections, ...exporting },
      onRenewal: () =>
        log.warn(
          { host: databaseAddress(url).host },
          'the database is silent: its connections are replaced',
        ),
    })
  const db = openAt(settings.databaseUrl)
  const copy = settings.readUrl === null ? null : openAt(settings.readUrl)
  const primaryReads = readsOn(db, contextOf)
  const primary: Deps['primary'] = (work, caller = serviceCaller()) =>
    primaryReads.read(caller, work)
  const readersOf = (
    reads: Reads,
  ): Pick<Deps, 'reads' | 'readListing' | 'counts'> => ({
    reads,
    readListing: createListingReader(reads, reading.deadlineMs),
    counts: createCounts(reads),
  })
  const metering = () => ({
    context: () => contextOf(db.count.sql()),
    breaker: db.countBreaker(),
    deadlineMs: REQUEST_DEADLINE_MS,
  })
  const compiledContract =
    settings.compiledContract ?? (await compileContract(readContract()))
  const { contract, tools } = compiledContract
  loadZipTables()
  const titleEstimator = createTitleEstimator({
    ...settings,
    deadlineMs: REQUEST_DEADLINE_MS,
  })
  const data: Deps['data'] = { kind: 'live' }
  const receivers = createWebhookClient(settings.webhooks, settings.resolveName)
  // Owners choose receivers; strangers choose documents, so no exception is
  // made for those.
  const strangers = createWebhookClient(
    { ...settings.webhooks, allowedHosts: [] },
    settings.resolveName,
  )
  // Why: hosts of clients, which every sign-in would ask three times; npx vitest run test/agents -t 'once an hour'
  const clients = new LRUCache<string, AgentClient>({
    max: 500,
    ttl: HOUR_MS,
    fetchMethod: async url => readClientDocument(url, await strangers.get(url)),
  })
  const deps: Deps = {
    mcp: createMcpEndpoint({
      contract,
      tools,
      publicUrl,
      data,
      origins: settings.mcpOrigins,
    }),
    data,
    titleEstimator,
    archives: settings.archives ?? null,
    listingColumns: contract.propertiesOf('Listing'),
    ...readersOf(primaryReads),
    primary,
    background: work => primaryReads.export(serviceCaller(), work),
    meter: createMeter(metering()),
    callLog: createCallLog(),
    ipBlockMeter: createIpBlockMeter(metering()),
    wideBlockMeter: createIpBlockMeter(metering(), WIDE_ALLOWANCE),
    pepper,
    demoKey: settings.demoKey ?? null,
    publicUrl,
    mailer: await createMailer(settings.mail, log, message =>
      primary(context => keepDemoMail(context, message)),
    ),
    refuseWebhook: receivers.refuse,
    agentsUrl,
    readClientDocument: url => clients.forceFetch(url),
    billing: settings.stripe && (await createStripeBilling(settings.stripe)),
    contactEmail,
    ingest,
    sweepPlans,
    now: () => fixed() ?? new Date(),
  }
  const readiness = { stopping: false }
  const app = createApp({
    ...settings,
    compiledContract,
    deps,
    publicDeps: copy
      ? {
          ...deps,
          ...readersOf(
            readsOfCopy(readsOn(copy, contextOf), primaryReads, log),
          ),
        }
      : deps,
    readiness,
  })
  const close = async () => {
    titleEstimator.end()
    await Promise.all([db.end(), copy?.end()])
  }
  return { app, deps, readiness, close }
}
