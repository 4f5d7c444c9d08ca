import { DAY_MS } from '../../domain/durations.ts'
import { count, formatDate, waitUntil } from '../../domain/format.ts'
import { nextSweepAt, type SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import { closeDeadLoads, readFeedHistory } from '../../infra/ingestion/loads.ts'
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

/**
 * Loads the open dataset when it is due: at first, and a month after the last good load, from an address or a file. A file that is
 * refused changes nothing, and is tried again like a source.
 * @returns whether it was due.
 */
export async function sweepOpenData(
  sql: Sql,
  { openData, manners, log }: { openData: OpenDataAddress; manners: FetchManners; log: Logger },
) {
  const before = await readFeedHistory(sql, 'open-data')
  if (nextSweepAt(MONTHLY, before, before.now) > before.now) return false
  const now = new Date()
  const { reason, state, rows_taken } = await ingestOpenData(sql, {
    ...openData,
    manners,
    now,
  }).catch(async error => {
    // So that an error of our own waits for its turn too.
    await closeDeadLoads(sql, now, error.message)
    throw error
  })
  const after = await readFeedHistory(sql, 'open-data')
  const stay = before.goodAt ? ` The prices of ${formatDate(before.goodAt.toISOString())} stay.` : ''
  const again = waitUntil(nextSweepAt(MONTHLY, after, after.now), after.now)
  const page = openData.url.href.replace(/\/resolve\/.*/, '')
  const what = reason
    ? `${reason}${stay} Trying again in ${again}. Or download the file from ${page} and run: ${openData.fileCommand}`
    : `${count(rows_taken, 'closed lot')} of the open dataset by GovAuctions (CC BY 4.0)`
  const facts = { source: 'open-data', state, reason, rows_taken, says: `Sold prices: ${what}` }
  log[reason === null ? 'info' : 'warn'](facts, 'a source was swept')
  return true
}
