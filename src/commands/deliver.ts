import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import {
  countAlerts,
  failingEndpoints,
  readAlertActivity,
} from '../infra/alerts/alertState.ts'
import { queueMails, queueQuotaMails } from '../infra/alerts/mails.ts'
import { createWebhookClient } from '../infra/alerts/webhookClient.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { createMailer, keepDemoMail } from '../infra/mail/mailer.ts'
import { DATABASE_NOW } from '../infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../infra/postgres/database.ts'
import { createDeliverer } from '../usecases/alerts/deliverDue.ts'
import { matchChanges } from '../usecases/alerts/matchChanges.ts'
import {
  openContext,
  prepareDatabase,
  readPepper,
  reporting,
} from './context.ts'
import { stopSignal } from './processes.ts'
import { textTables } from './terminal.ts'

const TURN_MS = 1000
const REST_AFTER_ERROR_MS = 5000
/**
 * One plan for any values: with `force_custom_plan` PostgreSQL plans the checks
 * of foreign keys again for every row.
 */
const SESSION = { application_name: 'surplus deliver', plan_cache_mode: 'auto' }

/** A day, of which `npx surplus alerts` counts matches and attempts. */
const DAY_SECONDS = 86_400

export function alertsCommand(): Command {
  return reporting(
    [
      'alerts',
      'show what the alerts do: messages that wait, saved searches, endpoints that fail, and what the last 24 hours did',
    ],
    async sql => {
      const { matches, attempts, ...queue } = await readAlertActivity(
        { sql, now: DATABASE_NOW },
        DAY_SECONDS,
      )
      const counts = await countAlerts(sql)
      const failing_endpoints = await failingEndpoints(sql)
      return {
        queue,
        ...counts,
        failing_endpoints,
        last_24h: { matches, ...attempts },
      }
    },
    textTables,
  )
}

export function deliverCommand(): Command {
  return new Command('deliver')
    .description(
      'match changed lots against the saved searches and send the alerts, until SIGTERM or Ctrl-C; any number of processes may do so at once',
    )
    .option('--once', 'do what is due now, then end')
    .action(deliver)
}

async function deliver({ once = false }: { once?: boolean }) {
  const config = readConfig()
  const log = createLog(config.logLevel, config.logFormat)
  const stopping = new AbortController()
  const { signal } = stopping
  void stopSignal().then(() => stopping.abort())
  const context = await openContext(config)
  const matching = openAdminConnection(context.url, SESSION)
  // A connection of its own, so that matching many lots does not delay
  // messages. A settlement that a crash of the database loses is a message sent
  // again, with the same id.
  const sending = openAdminConnection(context.url, {
    ...SESSION,
    synchronous_commit: 'off',
  })
  try {
    context.keepRunning(log)
    await prepareDatabase(matching, context.isEmbedded)
    const deliverer = await createSender(sending, config, log)
    // Matches are sent at once, not at the next turn of the sender.
    const match = async () => {
      if ((await matchChanges(matching, { now: null, signal })) > 0)
        await deliverer.tick()
    }
    const makeMails = async () => {
      const context = { sql: matching, now: DATABASE_NOW }
      await queueMails(context)
      await queueQuotaMails(context)
    }
    if (once) {
      for (const work of [match, makeMails, deliverer.tick]) await work()
      await deliverer.idle()
    } else {
      await Promise.all([
        everySecond('matching', match, log, signal),
        everySecond('making mails of', makeMails, log, signal),
        everySecond('sending', deliverer.tick, log, signal),
      ])
      await deliverer.stop()
    }
  } finally {
    await Promise.all([
      matching.end({ timeout: 1 }),
      sending.end({ timeout: 1 }),
    ])
    await context.close()
  }
}

async function createSender(sql: Sql, config: Config, log: Logger) {
  const { publicUrl } = config
  const mailer = await createMailer(config.mail, log, message =>
    keepDemoMail({ sql, now: DATABASE_NOW }, message),
  )
  const pepper = await readPepper(config, sql)
  return createDeliverer({
    sql,
    now: DATABASE_NOW,
    time: () => new Date(),
    log,
    client: createWebhookClient(config.webhooks),
    mailer,
    pepper,
    publicUrl,
  })
}

/**
 * Repeats a piece of work until it is stopped. An error is logged, and the work
 * goes on after a rest.
 */
async function everySecond(
  name: string,
  work: () => Promise<unknown>,
  log: Logger,
  signal: AbortSignal,
) {
  while (!signal.aborted) {
    const restMs = await work().then(
      () => TURN_MS,
      error => {
        log.warn(
          { err: error },
          `${name} alerts had an error and is tried again`,
        )
        return REST_AFTER_ERROR_MS
      },
    )
    await wait(restMs, undefined, { signal }).catch(() => {})
  }
}
