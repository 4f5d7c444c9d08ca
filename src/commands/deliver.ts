import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { openAdminConnection } from '../infra/postgres/database.ts'
import { matchChanges } from '../usecases/alerts/matchChanges.ts'
import { openContext, prepareDatabase } from './context.ts'
import { stopSignal } from './processes.ts'

const TURN_MS = 1000
const REST_AFTER_ERROR_MS = 5000
/** One plan for any values: with `force_custom_plan` PostgreSQL plans the checks of foreign keys again for every row. */
const SESSION = { application_name: 'surplus deliver', plan_cache_mode: 'auto' }

export function deliverCommand(): Command {
  return new Command('deliver')
    .description(
      'match changed lots against the saved searches and send the alerts, until SIGTERM or Ctrl-C; any number of processes may do so at once',
    )
    .option('--once', 'do what is due now, then end')
    .action(deliver)
}

async function deliver({ once = false }: { once?: boolean }): Promise<void> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  const stopping = new AbortController()
  const { signal } = stopping
  void stopSignal().then(() => stopping.abort())
  const context = await openContext(config)
  const matching = openAdminConnection(context.url, SESSION)
  try {
    context.keepRunning(log)
    await prepareDatabase(matching, context.isEmbedded)
    const match = () => matchChanges(matching, { now: null, signal })
    if (once) await match()
    else await everySecond('matching', match, log, signal)
  } finally {
    await matching.end({ timeout: 1 })
    await context.close()
  }
}

/** Repeats a piece of work until it is stopped. An error is logged, and the work goes on after a rest. */
async function everySecond(
  name: string,
  work: () => Promise<unknown>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const restMs = await work().then(
      () => TURN_MS,
      error => {
        log.warn({ err: error }, `${name} alerts had an error and is tried again`)
        return REST_AFTER_ERROR_MS
      },
    )
    await wait(restMs, undefined, { signal }).catch(() => {})
  }
}
