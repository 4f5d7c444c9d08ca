import { DAY_MS } from '../../domain/durations.ts'
import { count, formatDate, shortReason, waitUntil } from '../../domain/format.ts'
import { nextSweepAt, type SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import { closeDeadLoads, readPricesHistory } from '../../infra/ingestion/loads.ts'
import type { Logger } from '../../infra/log.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { ingestOpenData } from './ingestFile.ts'

/** Where the open dataset is, and the command that loads a file of it here. */
export interface OpenDataAddress {
  url: URL
  redirectHosts: readonly string[]
  fileCommand: string
}

const MONTHLY: SweepPlan = { intervalMs: 30 * DAY_MS, closing: null, leastGapMs: 0 }

interface OpenDataSettings {
  openData: OpenDataAddress
  manners: FetchManners
  log: Logger
  /** Drops a download. */
  signal: AbortSignal
}

/**
 * Loads the open dataset when it is due: at first, and a month after the last good load, from an
 * address or a file. A file that is refused changes nothing, and is tried again like a source.
 * @returns whether it was loaded or refused.
 */
export async function sweepOpenData(
  sql: Sql,
  { openData, manners, log, signal }: OpenDataSettings,
): Promise<boolean> {
  const before = await readPricesHistory(sql)
  if (nextSweepAt(MONTHLY, before, before.now) > before.now) return false
  const now = new Date()
  const loading = ingestOpenData(sql, { ...openData, manners, stop: signal, now })
  const { reason, state, rows_taken, sales } = await loading.catch(async error => {
    // So that an error of our own waits for its turn too.
    await closeDeadLoads(sql, now, error.message)
    throw error
  })
  const after = await readPricesHistory(sql)
  const stay = before.goodAt
    ? ` The prices of ${formatDate(before.goodAt.toISOString())} stay.`
    : ''
  const again = waitUntil(nextSweepAt(MONTHLY, after, after.now), after.now)
  const page = openData.url.href.replace(/\/resolve\/.*/, '')
  const what = reason
    ? `${shortReason(reason)}, again in ${again}.${stay} Or download the file from ${page} and run: ${openData.fileCommand}`
    : `${count(sales, 'sale')} (open dataset by GovAuctions, CC BY 4.0)`
  const facts = { source: 'open-data', state, reason, rows_taken, says: `Sold prices: ${what}` }
  log[reason === null ? 'info' : 'warn'](facts, 'a source was swept')
  return true
}
