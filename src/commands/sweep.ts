import type { ChildProcess } from 'node:child_process'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { sweeperSession } from '../infra/ingestion/locks.ts'
import { createLog } from '../infra/log.ts'
import { openAdminConnection } from '../infra/postgres/database.ts'
import { runSweeper } from '../usecases/ingestion/runSweeper.ts'
import { openContext, prepareForRealLots } from './context.ts'
import { startCommand, stopCommand, stopSignal } from './processes.ts'

/** How long a running load may take to end when the process must stop. */
const GRACE_MS = 3000

export function sweepCommand(): Command {
  return new Command('sweep')
    .description(
      'sweep the official sources, each when it is due, until SIGTERM or Ctrl-C; only one of several processes fetches',
    )
    .option(
      '--json',
      'print one JSON document a line, for each sweep; the log stays on stderr',
    )
    .action(sweep)
}

async function sweep({ json }: { json?: boolean }) {
  const config = readConfig()
  const log = createLog(config.logLevel, config.logFormat)
  const stopping = new AbortController()
  const stopped = stopSignal().then(async () => {
    stopping.abort()
    await wait(GRACE_MS, undefined, { ref: false })
    log.warn(
      'a load was interrupted because the sweeper is stopping; the next one completes it',
    )
  })
  const context = await openContext(config)
  /**
   * Writes the archives, in a process of its own, so that no sweep waits for a
   * large month.
   */
  let archiver: ChildProcess | null = null
  const sql = openAdminConnection(
    context.url,
    sweeperSession(`${hostname()}:${process.pid}`),
  )
  try {
    context.keepRunning(log)
    await prepareForRealLots(sql, context.isEmbedded)
    const { sources, manners, sweepPlans: plans } = config
    const onSwept = (result: object) =>
      void (json && process.stdout.write(`${JSON.stringify(result)}\n`))
    const onDay = () => {
      archiver = startCommand(['archive'], context.url)
      archiver.once('exit', exitCode => {
        if (exitCode !== 0 && !stopping.signal.aborted)
          log.warn(
            { exit_code: exitCode },
            'the archives could not be written; trying again tomorrow',
          )
      })
    }
    await Promise.race([
      runSweeper(sql, {
        sources,
        manners,
        plans,
        openData: openDataOf(config),
        log,
        onSwept,
        onDay,
        signal: stopping.signal,
      }),
      stopped,
    ])
  } finally {
    if (archiver) await stopCommand(archiver)
    await sql.end({ timeout: 1 })
    await context.close()
  }
}

function openDataOf({
  openDataUrl,
  openDataRedirectHosts: redirectHosts,
  dataFolder,
}: Config) {
  if (openDataUrl === null) return null
  const fileCommand = `SURPLUS_DATA_DIR='${dataFolder}' npx surplus ingest open-data --file FILE`
  return { url: new URL(openDataUrl), redirectHosts, fileCommand }
}
