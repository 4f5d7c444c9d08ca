import { statfs } from 'node:fs/promises'
import {
  countAlerts,
  failingEndpoints,
  readAlertActivity,
} from '../infra/alerts/alertState.ts'
import { readPricesHistory } from '../infra/ingestion/loads.ts'
import { type MailSettings, mailFault } from '../infra/mail/mailer.ts'
import { DATABASE_NOW } from '../infra/postgres/clock.ts'
import type { Sql } from '../infra/postgres/database.ts'
import {
  readDatabaseState,
  writeFault,
} from '../infra/postgres/databaseState.ts'
import type { SourceAddress } from '../infra/sources/officialSource.ts'
import {
  listSourceStates,
  type ReportedSource,
} from './ingestion/trackedSources.ts'

const HOUR_SECONDS = 3_600
/** Alerts that wait longer are late. */
const LATE_SECONDS = 900
const LEAST_FREE_PERCENT = 5

interface OperatorSettings {
  sources: Record<string, SourceAddress>
  ingest: boolean
  mail: MailSettings | null
  dataFolder: string
  /**
   * Sentences about settings that were left as they come, and about those of
   * 1.0.0 that are set and no longer read.
   */
  settingFaults: string[]
}

/** A source that is fetched, or has live lots. */
interface StatusOfSource
  extends Pick<
    ReportedSource,
    'source' | 'live_lots' | 'sales' | 'last_success_at'
  > {
  next_due_at: string | null
}

/** What `npx surplus status` prints. */
interface OperatorStatus {
  sources: StatusOfSource[]
  alerts: Record<string, number | undefined>
  database: Record<string, string | number>
  accounts: Record<string, string | number>
  /** Sentences. */
  attention: string[]
}

/**
 * How the service stands, for its operator: first, in sentences, what needs
 * attention.
 */
export async function readOperatorStatus(
  sql: Sql,
  { sources: addresses, ...settings }: OperatorSettings,
): Promise<OperatorStatus> {
  const { ingest, mail, dataFolder, settingFaults } = settings
  const { sweeper, sources: all } = await listSourceStates(
    sql,
    addresses,
    ingest,
  )
  const sources = all.filter(
    ({ is_fetched, live_lots }) => is_fetched || live_lots > 0,
  )
  const { attempts, ...queue } = await readAlertActivity(
    { sql, now: DATABASE_NOW },
    HOUR_SECONDS,
  )
  const { searches, endpoints } = await countAlerts(sql)
  const failing = await failingEndpoints(sql)
  const prices = await readPricesHistory(sql)
  const attention = [
    await writeFault(sql),
    await diskFault(dataFolder),
    mail && (await mailFault(mail)),
    ingest && !sweeper ? 'No sweeper is running, although INGEST is on.' : null,
    ...sources.map(sourceFault),
    prices.failures > 0
      ? `Sold prices: failed tries ${prices.failures}: ${prices.fault}`
      : null,
    queue.oldest_seconds > LATE_SECONDS
      ? `The oldest alert waits for ${queue.oldest_seconds} s.`
      : null,
    ...failing.map(
      ({ origin, account, failing_since: since }) =>
        `${origin} (${account}) fails since ${since}.`,
    ),
    ...settingFaults,
  ].filter(sentence => sentence !== null)
  return {
    attention,
    ...(await readDatabaseState(sql)),
    sources: sources.map(
      ({ source, live_lots, sales, last_success_at, sweep }) => {
        return {
          source,
          live_lots,
          sales,
          last_success_at,
          next_due_at: sweep?.next_due_at ?? null,
        }
      },
    ),
    alerts: {
      ...queue,
      ...searches,
      endpoints_failing: endpoints.failing,
      ...attempts,
    },
  }
}

function sourceFault({
  name,
  is_stale,
  last_success_at,
  sweep,
  last_load,
}: ReportedSource) {
  const failures = sweep?.consecutive_failures ?? 0
  if (failures === 0 && !is_stale) return null
  const reason = sweep?.reason ?? last_load?.reason ?? 'no fetch is known.'
  return `${name}: last loaded ${last_success_at ?? 'never'}, failed tries ${failures}: ${reason}`
}

/** About the disk with the data folder; null where there is none. */
async function diskFault(folder: string) {
  const disk = await statfs(folder).catch(() => null)
  const free = disk ? Math.floor((100 * disk.bavail) / disk.blocks) : 100
  return free < LEAST_FREE_PERCENT
    ? `The disk of ${folder} is full: ${free}% are free.`
    : null
}
