import { setTimeout as wait } from 'node:timers/promises'
import { DAY_MS } from '../../domain/durations.ts'
import {
  count,
  formatDate,
  shortReason,
  waitUntil,
} from '../../domain/format.ts'
import { nextSweepAt, type SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import {
  closeDeadLoads,
  readPricesHistory,
} from '../../infra/ingestion/loads.ts'
import type { Logger } from '../../infra/log.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { fetchOpenData, ingestOpenData } from './ingestFile.ts'

/** Where the open dataset is, and the command that loads a file of it here. */
export interface OpenDataAddress {
  url: URL
  redirectHosts: readonly string[]
  fileCommand: string
}

const MONTHLY: SweepPlan = {
  intervalMs: 30 * DAY_MS,
  closing: null,
  leastGapMs: 0,
}

/**
 * So long the first sources wait for it, so that their lots have values at
 * once; a slower host delays none.
 */
const HEAD_START_MS = 3_000

interface OpenDataSettings {
  openData: OpenDataAddress
  manners: FetchManners
  log: Logger
  /** Drops a download. */
  signal: AbortSignal
}

/**
 * Makes what loads the open dataset when it is due: at first, and a month after
 * the last good load, from an address or a file. Its download goes on beside
 * other sweeps. A file that is refused changes nothing, and is tried again like
 * a source.
 * @returns of the made function whether it was loaded or refused.
 */
export function openDataSweeper({
  openData,
  manners,
  log,
  signal,
}: OpenDataSettings) {
  let download: Promise<Buffer> | null = null
  return async (sql: Sql) => {
    const before = await readPricesHistory(sql)
    if (nextSweepAt(MONTHLY, before, before.now) > before.now) return false
    const headStartMs = download ? 0 : HEAD_START_MS
    download ??= fetchOpenData({ ...openData, manners }, signal)
    const over = () => true
    if (
      !(await Promise.race([
        download.then(over, over),
        wait(headStartMs, false, { ref: false }),
      ]))
    )
      return false
    const now = new Date()
    const loading = ingestOpenData(sql, { ...openData, manners, download, now })
    download = null
    const { reason, state, rows_taken, sales } = await loading.catch(
      async error => {
        // So that an error of our own waits for its turn too.
        await closeDeadLoads(sql, now, error.message)
        throw error
      },
    )
    const after = await readPricesHistory(sql)
    const stay = before.goodAt
      ? ` The prices of ${formatDate(before.goodAt.toISOString())} stay.`
      : ''
    const again = waitUntil(nextSweepAt(MONTHLY, after, after.now), after.now)
    const page = openData.url.href.replace(/\/resolve\/.*/, '')
    const what = reason
      ? `${shortReason(reason)}, again in ${again}.${stay} Or download the file from ${page} and run: ${openData.fileCommand}`
      : `${count(sales, 'sale')} (open dataset by GovAuctions, CC BY 4.0)`
    const facts = {
      source: 'open-data',
      state,
      reason,
      rows_taken,
      says: `Sold prices: ${what}`,
    }
    log[reason === null ? 'info' : 'warn'](facts, 'a source was swept')
    return true
  }
}
