import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../domain/userError.ts'
import { drain, listen } from '../http/server/server.ts'
import { forgetExpired } from '../infra/accounts/sessions.ts'
import { holdsLots } from '../infra/ingestion/loads.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { openWorkbench } from '../infra/postgres/database.ts'
import { startTraces } from '../infra/traces.ts'
import { createService } from '../service.ts'
import type { Deps } from '../usecases/deps.ts'
import { forgetAddresses } from '../usecases/forgetAddresses.ts'
import { settleLots } from '../usecases/ingestion/settleLots.ts'
import { type DemoKey, storeDemoKeys } from '../usecases/storeDemoKeys.ts'
import { keepScoresFresh } from '../usecases/valuation/refreshDueScores.ts'
import { type KeptSweeper, keepSweeping } from './keepSweeping.ts'
import { createReport } from './report.ts'
import { stopSignal } from './stopSignal.ts'
import { enterWorkplace, prepareDatabase, readPepper, type Workplace } from './workplace.ts'

const SETTLE_INTERVAL_MS = 60_000
const FORGET_INTERVAL_MS = 3_600_000

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
  const log = createLog(config.logLevel)
  const traces = config.tracesEndpoint === null ? null : await startTraces(config.tracesEndpoint)
  const place = await enterWorkplace(config)
  let sweeper: KeptSweeper | null = null
  try {
    place.keepRunning(log)
    const pepper = await readPepper(config)
    const keys = await prepare(place, pepper, demo)
    const service = await createService({
      ...config,
      databaseUrl: config.poolUrl ?? place.url,
      pepper,
      log,
    })
    const server = await listen(service.app, config.host, config.port, {
      publicUrl: config.publicUrl,
      log,
    }).catch(cannotListen(config))
    service.deps.openLots.prepare()
    const chores = [settleEveryMinute(service.deps, log), forgetEveryHour(service.deps, log)]
    if (config.ingest) sweeper = keepSweeping(place.url, log)
    createReport(json).answer({ address: config.publicUrl, keys }, () => banner(config, keys))

    await stopSignal()
    for (const chore of chores) clearInterval(chore)
    await Promise.all([sweeper?.stop(), drain(server, service.readiness)])
    await service.close()
  } finally {
    await sweeper?.stop()
    await place.leave()
    await traces?.stop()
  }
}

async function prepare(place: Workplace, pepper: string, demo: boolean): Promise<DemoKey[]> {
  const sql = openWorkbench(place.url)
  try {
    await prepareDatabase(sql, place.isEmbedded)
    if (!demo) return []
    if (!(await holdsLots(sql))) await loadDemoApart()
    return await storeDemoKeys(sql, pepper)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** In a process of its own, whose memory (some 600 MB) goes with it. */
async function loadDemoApart(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'demo', '--if-empty'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) throw new UserError('The demo data could not be loaded; the reason is above.')
}

/**
 * Lots whose end has passed become sales without waiting for the next load; a search hides them at once anyway. And scores
 * that the time left has changed are made anew.
 */
function settleEveryMinute({ background }: Deps, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    background(sql => settleLots(sql, null))
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
      error.code === 'EADDRINUSE' ? 'another program listens there; set PORT to a free one' : error.message
    throw new UserError(`Cannot listen on ${host}:${port}: ${reason}.`)
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
