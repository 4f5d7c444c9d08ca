import { once } from 'node:events'
import { createServer } from 'node:net'
import { Command } from 'commander'
import demoAccount from '../../data/demo/alerts.json' with { type: 'json' }
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { drain, listen } from '../http/server/server.ts'
import { forgetExpired } from '../infra/accounts/sessions.ts'
import { endOperatorPlans } from '../infra/accounts/subscriptions.ts'
import { closeEndedLots } from '../infra/ingestion/closings.ts'
import { createLog, type Logger } from '../infra/log.ts'
import {
  dropStaleIpBlocks,
  sumOperationCalls,
} from '../infra/metering/counters.ts'
import { DATABASE_NOW } from '../infra/postgres/clock.ts'
import { openAdminConnection } from '../infra/postgres/database.ts'
import { readHoldings } from '../infra/postgres/dataKind.ts'
import { refuseLostStatements, type SqlContext } from '../infra/postgres/sql.ts'
import { logCloses } from '../infra/valuation/closeLog.ts'
import { logLimits } from '../infra/valuation/limitLog.ts'
import { findSalesIndex } from '../infra/valuation/storedAppraisals.ts'
import type { Service } from '../service.ts'
import type { Deps } from '../usecases/deps.ts'
import { keepScoresFresh } from '../usecases/valuation/refreshDueScores.ts'
import { openArchives } from './archive.ts'
import {
  type CommandContext,
  openContext,
  prepareDatabase,
  prepareForRealLots,
  readPepper,
} from './context.ts'
import { type DemoKeys, storeDemoKeys, storeDerivedKey } from './createKey.ts'
import {
  DEMO_SIZE,
  demoNeeds,
  FINISH_DEMO,
  loadDemo,
  refuseRealLots,
} from './demo.ts'
import { operatorNotes, sayWhenThereAreLots, setLive } from './live.ts'
import {
  boundHeap,
  keepCommand,
  startCommand,
  stopCommand,
  stopSignal,
} from './processes.ts'
import { settingFaults } from './status.ts'
import { answer, progress } from './terminal.ts'

const DATA_KIND_INTERVAL_MS = 5_000
/** What a crash loses of the logs of calls; docs/operating.md names it. */
const CALL_LOG_INTERVAL_MS = 10_000
const CALLS_NOT_STORED = 'calls of accounts could not be logged'
const SETTLE_INTERVAL_MS = 60_000
const FORGET_INTERVAL_MS = 3_600_000

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'serve the API on PORT (8080) until SIGTERM or Ctrl-C. The first start with --demo takes some seconds, later starts one or two',
    )
    .option(
      '--demo',
      'load demo data into a database without lots, and print a key per plan',
    )
    .option(
      '--live',
      'real lots: a data folder of its own, sweeps, sold prices, a key (docs/operating.md)',
    )
    .option('--json', 'print one JSON document when ready')
    .action(serve)
}

/** What a serving process knows of its start. */
interface Serving {
  config: Config
  log: Logger
  databaseUrl: string
  /**
   * Lots can be searched; sales, scores, archives and measured estimates are
   * still to be made.
   */
  isUnfinishedDemo: boolean
}

interface ServeOptions {
  demo?: boolean
  live?: boolean
  json?: boolean
}

async function serve({ demo = false, live = false, json }: ServeOptions) {
  if (live) setLive(process.env)
  const config = readConfig()
  if (demo && config.ingest)
    throw new UserError(
      'Demo data and real lots never mix: for real lots run make live, or serve without --demo.',
      2,
    )
  await refuseTakenPort(config)
  // The stdout of the processes that it starts is no terminal, but the person
  // who reads their log may be at this one.
  process.env.LOG_FORMAT = config.logFormat
  const log = createLog(config.logLevel, config.logFormat)
  const context = await openContext(config, progress)
  try {
    context.keepRunning(log)
    const { pepper, keys, isUnfinishedDemo, holdings } = await prepare(
      context,
      config,
      {
        demo,
        live,
      },
    )
    // Imported here: the other commands start 0.4 s earlier without it.
    const { createService } = await import('../service.ts')
    const databaseUrl = config.poolUrl ?? context.url
    if (!context.isEmbedded) await refuseLostStatements(databaseUrl)
    if (config.readUrl) await refuseLostStatements(config.readUrl)
    const archives = await openArchives(config, pepper)
    const demoKey = keys.find(({ plan }) => plan === 'pro_plus')?.key
    const service = await createService({
      ...config,
      archives,
      databaseUrl,
      pepper,
      log,
      demoKey,
    })
    try {
      Object.assign(service.deps.data, holdings)
      const faults = holdings.kind === 'live' ? settingFaults(config) : []
      for (const note of [...faults, ...operatorNotes(config, holdings, live)])
        log.warn(note)
      await serveUntilStopped(
        service,
        { config, log, databaseUrl: context.url, isUnfinishedDemo },
        () => {
          answer(json, { address: config.publicUrl, keys }, () =>
            banner(config, keys, live, isUnfinishedDemo),
          )
          if (live) sayWhenThereAreLots(service.deps, config.publicUrl, keys)
        },
      )
    } finally {
      await service.close()
    }
  } finally {
    await context.close()
  }
}

async function serveUntilStopped(
  { app, deps, readiness }: Service,
  serving: Serving,
  onReady: () => void,
) {
  const { config, log } = serving
  const { host, port } = config
  // Before calls are taken, so that none is dropped by a stop that comes early.
  const stopped = stopSignal()
  const server = await listen(app, host, port, {
    ...config,
    log,
    data: deps.data,
  }).catch(cannotListen(config))
  // From the first statement on, garbage was collected so often that a start
  // took a tenth longer (docs/decisions/0046-memory.md).
  boundHeap()
  const timers = startJobs(deps, log)
  // The first caller does not wait for what is started after this.
  onReady()
  const stopProcesses = startProcesses(deps, serving)
  // Ctrl-C is for people: no load balancer has to notice.
  const lingerMs = (await stopped) === 'SIGTERM' ? config.lingerMs : 0
  for (const timer of timers) clearInterval(timer)
  await Promise.all([stopProcesses(), drain(server, readiness, lingerMs)])
  await deps
    .primary(deps.callLog.store)
    .catch(error => log.warn({ err: error }, CALLS_NOT_STORED))
}

/**
 * Starts the processes beside the serving one. Mails name values, so those of a
 * new demo wait for its scores.
 * @returns what stops them.
 */
function startProcesses(
  deps: Deps,
  { config, log, databaseUrl, isUnfinishedDemo }: Serving,
): () => Promise<unknown> {
  const keep = (command: string, name: string) =>
    keepCommand(command, name, databaseUrl, log)
  const kept = config.ingest ? [keep('sweep', 'sweeper')] : []
  const finisher = isUnfinishedDemo
    ? startCommand(FINISH_DEMO, databaseUrl)
    : null
  let isStopping = false
  finisher?.once('exit', (exitCode, signal) => {
    // Ctrl-C reaches it too.
    if (exitCode !== 0 && signal !== 'SIGINT' && !isStopping)
      log.warn(
        { exit_code: exitCode, signal },
        'the demo is not complete: start again to complete it',
      )
  })
  const scored =
    finisher &&
    Promise.race([once(finisher, 'message'), once(finisher, 'exit')]).catch(
      () => {},
    )
  const startOthers = async () => {
    await scored
    const model = await deps.primary(findSalesIndex).catch(() => null)
    if (isStopping) return
    deps.titleEstimator.prepare(model?.id ?? 0)
    if (config.alerts) kept.push(keep('deliver', 'sender of alerts'))
  }
  void startOthers()
  return () => {
    isStopping = true
    return Promise.all([
      ...kept.map(one => one.stop()),
      finisher && stopCommand(finisher),
    ])
  }
}

/**
 * Reports a taken port before the database is started and data is loaded.
 * `listen` reports one that is taken later.
 * @throws UserError
 */
async function refuseTakenPort(config: Config) {
  const probe = createServer()
  probe.listen(config.port, config.host)
  await once(probe, 'listening').catch(cannotListen(config))
  probe.close()
  await once(probe, 'close')
}

async function prepare(
  context: CommandContext,
  config: Config,
  { demo, live }: { demo: boolean; live: boolean },
) {
  const sql = openAdminConnection(context.url)
  try {
    await (config.ingest ? prepareForRealLots : prepareDatabase)(
      sql,
      context.isEmbedded,
    )
    const pepper = await readPepper(config, sql)
    if (demo) await refuseRealLots(sql)
    const needs = demo ? await demoNeeds(sql) : null
    if (needs?.lots) {
      const settings = {
        now: new Date(),
        withAlerts: config.mail === null,
        part: 'lots' as const,
      }
      await loadDemo(sql, { ...DEMO_SIZE, ...settings, onProgress: progress })
    }
    // Read here, where no deadline of a call ends a start on a busy machine.
    const holdings = await readHoldings({ sql, now: DATABASE_NOW })
    const stored = demo ? await storeDemoKeys(sql, pepper) : []
    const keys = live
      ? [await storeDerivedKey(sql, pepper, 'enterprise', 'operator')]
      : stored
    return { pepper, keys, isUnfinishedDemo: needs?.finish ?? false, holdings }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function startJobs(deps: Deps, log: Logger) {
  /** A failure is logged, and the next turn tries again. */
  const every = (
    intervalMs: number,
    failure: string,
    work: (context: SqlContext) => Promise<unknown>,
  ) =>
    setInterval(() => {
      deps
        .background(work)
        .catch(error =>
          log.warn({ err: error }, `${failure}; trying again at the next turn`),
        )
    }, intervalMs)
  return [
    watchDataKind(deps),
    every(CALL_LOG_INTERVAL_MS, CALLS_NOT_STORED, deps.callLog.store),
    every(
      SETTLE_INTERVAL_MS,
      'plans that have ended could not be taken back',
      endOperatorPlans,
    ),
    every(
      SETTLE_INTERVAL_MS,
      'calls of operations could not be added up',
      sumOperationCalls,
    ),
    // Ended lots with bids become sales without waiting for the next load;
    // searches hide them at once anyway.
    every(
      SETTLE_INTERVAL_MS,
      'ended lots could not be closed',
      async ({ sql, now }) => {
        await closeEndedLots(sql, null)
        await keepScoresFresh(sql, null)
        await logCloses({ sql, now })
        await logLimits({ sql, now })
      },
    ),
    every(
      FORGET_INTERVAL_MS,
      'expired sessions could not be deleted',
      forgetExpired,
    ),
    every(
      FORGET_INTERVAL_MS,
      'stale counters could not be deleted',
      dropStaleIpBlocks,
    ),
  ]
}

/**
 * Another process may load demo data while this one serves. A charge reads the
 * kind too; pages, health checks and refusals without a key do not. Where the
 * database is away, the last state stands.
 */
function watchDataKind({ data, primary }: Deps) {
  return setInterval(() => {
    primary(readHoldings).then(
      read => Object.assign(data, read),
      () => {},
    )
  }, DATA_KIND_INTERVAL_MS)
}

function cannotListen({ host, port }: Config) {
  return (error: NodeJS.ErrnoException): never => {
    const reason =
      error.code === 'EADDRINUSE'
        ? 'another program listens there. Stop it, or set PORT, such as PORT=8081.'
        : error.message
    throw new UserError(`Cannot listen on ${host}:${port}: ${reason}`)
  }
}

function banner(
  { publicUrl: address, mail }: Config,
  keys: DemoKeys,
  live: boolean,
  isUnfinishedDemo: boolean,
): string {
  const [first] = keys
  const links =
    first && !live ? `shown at ${address}/demo/mailbox` : 'written to this log'
  const ofDemo = (key: string) => [
    ...(mail
      ? []
      : [
          `Alerts: sign in as ${demoAccount.owner}, and see what ${address}/demo/mailbox shows.`,
        ]),
    '\nDemo keys:',
    ...keys.map(({ plan, key }) => `  ${plan.padEnd(10)} ${key}`),
    `\nTry:\n  curl -H "Authorization: Bearer ${key}" "${address}/api/v1/listings?category=vehicles&per_page=3"`,
  ]
  const ofKeys = (key: string) =>
    live ? [`\nYour key, which stays the same: ${key}`] : ofDemo(key)
  return [
    `Serving on ${address} (docs: ${address}/docs). Stop with Ctrl-C.`,
    ...(isUnfinishedDemo
      ? [
          'Past sales, and values and scores of the lots, follow within a minute.',
        ]
      : []),
    `Keys of your own: ${address}/account${mail || live ? '' : ` (without SMTP_URL, sign-in links are ${links})`}`,
    ...(first ? ofKeys(first.key) : []),
  ].join('\n')
}
