import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../domain/userError.ts'
import { drain, listen } from '../http/server/server.ts'
import { forgetExpired } from '../infra/accounts/sessions.ts'
import { closeEndedLots } from '../infra/ingestion/closings.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { openWorkbench } from '../infra/postgres/database.ts'
import { startTraces } from '../infra/traces.ts'
import { createService, type Service } from '../service.ts'
import type { Deps } from '../usecases/deps.ts'
import { forgetAddresses } from '../usecases/forgetAddresses.ts'
import { missingDemo } from '../usecases/ingestion/loadDemo.ts'
import { type DemoKey, storeDemoKeys } from '../usecases/storeDemoKeys.ts'
import { keepScoresFresh } from '../usecases/valuation/refreshDueScores.ts'
import { startCommand, stopCommand } from './childCommand.ts'
import { keepSweeping } from './keepSweeping.ts'
import { createReport, type Report } from './report.ts'
import { stopSignal } from './stopSignal.ts'
import { enterWorkplace, prepareDatabase, readPepper, type Workplace } from './workplace.ts'

const SETTLE_INTERVAL_MS = 60_000
const FORGET_INTERVAL_MS = 3_600_000

const LOAD_ENDED = 'The rest of the demo data is not loaded; the next start with --demo continues.'

interface ServeOptions {
  demo?: boolean
  json?: boolean
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the API on PORT (8080) until SIGTERM or Ctrl-C')
    .option('--demo', 'load demo data when the database holds no lot, and print a key per plan')
    .option('--json', 'print one JSON document when ready')
    .action(serve)
}

async function serve({ demo = false, json = false }: ServeOptions): Promise<void> {
  const config = readConfig()
  const report = createReport(json)
  await refuseTakenPort(config)
  const log = createLog(config.logLevel)
  const traces = config.tracesEndpoint === null ? null : await startTraces(config.tracesEndpoint)
  const place = await enterWorkplace(config, report.progress)
  let loader: ChildProcess | null = null
  try {
    place.keepRunning(log)
    const pepper = await readPepper(config)
    const { keys, lacksDemo } = await prepare(place, pepper, demo)
    if (lacksDemo) loader = startCommand(['demo', '--if-empty'], place.url)
    const firstPart = loader && firstPartOf(loader, report)
    firstPart?.catch(() => {})
    const service = await createService({ ...config, databaseUrl: config.poolUrl ?? place.url, pepper, log })
    try {
      await firstPart
      await serveUntilStopped(service, { config, log, databaseUrl: place.url }, () =>
        report.answer({ address: config.publicUrl, keys }, () => banner(config, keys)),
      )
    } finally {
      await service.close()
    }
  } finally {
    if (loader) await stopCommand(loader)
    await place.leave()
    await traces?.stop()
  }
}

async function serveUntilStopped(
  { app, deps, readiness }: Service,
  { config, log, databaseUrl }: { config: Config; log: Logger; databaseUrl: string },
  onReady: () => void,
): Promise<void> {
  const { host, port, publicUrl, keepAliveSeconds } = config
  const server = await listen(app, host, port, { publicUrl, keepAliveSeconds, log }).catch(
    cannotListen(config),
  )
  deps.searchIndex.prepare()
  const timers = [settleEveryMinute(deps, log), forgetEveryHour(deps, log)]
  const sweeper = config.ingest ? keepSweeping(databaseUrl, log) : null
  onReady()
  await stopSignal()
  for (const timer of timers) clearInterval(timer)
  await Promise.all([sweeper?.stop(), drain(server, readiness)])
}

/** Before the database is started and data is loaded. A port that is taken in between is refused by `listen`. */
async function refuseTakenPort(config: Config): Promise<void> {
  const probe = createServer()
  probe.listen(config.port, config.host)
  await once(probe, 'listening').catch(cannotListen(config))
  probe.close()
  await once(probe, 'close')
}

async function prepare(
  place: Workplace,
  pepper: string,
  demo: boolean,
): Promise<{ keys: DemoKey[]; lacksDemo: boolean }> {
  const sql = openWorkbench(place.url)
  try {
    await prepareDatabase(sql, place.isEmbedded)
    if (!demo) return { keys: [], lacksDemo: false }
    const lacksDemo = (await missingDemo(sql)) !== null
    return { keys: await storeDemoKeys(sql, pepper), lacksDemo }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * Waits until the first part of the demo data can be served; the loader goes on with the rest. It is a process of its own,
 * whose memory (some 600 MB) goes with it.
 */
async function firstPartOf(loader: ChildProcess, report: Report): Promise<void> {
  report.progress('Loading the first 2,000 live lots of the demo data (about 10 s) …')
  const failed = new AbortController()
  loader.once('exit', () => failed.abort())
  await once(loader, 'message', { signal: failed.signal }).catch(() => {
    throw new UserError('The demo data could not be loaded; the reason is above.')
  })
  loader.once('exit', exitCode => report.progress(exitCode === 0 ? 'All demo data is loaded.' : LOAD_ENDED))
}

/**
 * Lots whose end has passed become sales without waiting for the next load; a search hides them at once anyway. And scores
 * that the time left has changed are made anew.
 */
function settleEveryMinute({ background }: Deps, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    background(sql => closeEndedLots(sql, null))
      .then(() => background(sql => keepScoresFresh(sql, null)))
      .catch(error => log.warn({ err: error }, 'ended lots could not be settled; tried again in a minute'))
  }, SETTLE_INTERVAL_MS)
}

/** Sessions, links, tries and counters of addresses that have run out mean nothing any more; here their rows go too. */
function forgetEveryHour(deps: Deps, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    const forgetting = [deps.background(sql => forgetExpired(sql, null)), forgetAddresses(deps)]
    Promise.all(forgetting).catch(error =>
      log.warn({ err: error }, 'what has expired could not be deleted; tried again in an hour'),
    )
  }, FORGET_INTERVAL_MS)
}

function cannotListen({ host, port }: Config) {
  return (error: NodeJS.ErrnoException): never => {
    const reason =
      error.code === 'EADDRINUSE'
        ? 'another program listens there. Stop it, or choose another port: PORT=8081 make run'
        : error.message
    throw new UserError(`Cannot listen on ${host}:${port}: ${reason}`)
  }
}

function banner({ publicUrl: address, mail }: Config, keys: DemoKey[]): string {
  const lines = [
    `Serving on ${address} (docs: ${address}/docs). Stop with Ctrl-C.`,
    `Keys of your own: ${address}/account${mail ? '' : ' (without SMTP_URL, the sign-in link stands in this log)'}`,
  ]
  const [first] = keys
  if (first) {
    lines.push('', 'Demo keys:', ...keys.map(({ plan, key }) => `  ${plan.padEnd(10)} ${key}`))
    lines.push(
      '',
      'Try:',
      `  curl -H "Authorization: Bearer ${first.key}" "${address}/api/v1/listings?category=vehicles&per_page=3"`,
    )
  }
  return lines.join('\n')
}
