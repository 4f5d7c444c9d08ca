import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import { withLoadLock } from '../../infra/ingestion/loadLock.ts'
import { tidyLots } from '../../infra/ingestion/loads.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_KEYS, type OfficialKey } from '../../infra/sources/registry.ts'
import { scoreOpenLots } from '../valuation/scoreOpenLots.ts'
import type { Rescored } from '../valuation/scoringResult.ts'
import { ingestSource, type SweepResult } from './ingestSource.ts'
import type { LoadSettings } from './loadResult.ts'

interface SourcesToIngest extends Omit<LoadSettings, 'partial' | 'scoreLater'> {
  sources: Record<OfficialKey, SourceAddress>
  manners: FetchManners
}

/** A source whose load broke off with an error of our own; what it had taken stays. */
interface BrokenSweep {
  feed: OfficialKey
  state: 'failed'
  reason: string
}

interface AllSwept {
  /** Sources that were refused, in part or as a whole, or that failed. */
  failed: string[]
  loads: (SweepResult | BrokenSweep)[]
  /** The scores, once for all of them; null when no source changed anything. */
  rescored: Rescored | null
}

/**
 * Fetches and loads every official source once, one after the other, and scores at the end, once. One that fails does not
 * stop the others. Should the process die before the end, the next load scores what these have changed.
 */
export async function ingestAllSources(
  sql: Sql,
  { sources, ...settings }: SourcesToIngest,
): Promise<AllSwept> {
  const loads: AllSwept['loads'] = []
  for (const source of OFFICIAL_KEYS) {
    loads.push(
      await ingestSource(sql, { ...settings, source, from: sources[source], scoreLater: true }).catch(
        (error: Error): BrokenSweep => ({ feed: source, state: 'failed', reason: error.message }),
      ),
    )
  }
  const rescored = loads.some(load => load.state === 'done') ? await scoreOnce(sql, settings) : null
  return { failed: loads.filter(load => load.reason !== null).map(load => load.feed), loads, rescored }
}

function scoreOnce(
  sql: Sql,
  { now, onProgress }: Pick<LoadSettings, 'now' | 'onProgress'>,
): Promise<Rescored> {
  const onWait = () => onProgress?.('Another load is running: waiting for it to end.')
  return withLoadLock(sql, onWait, async () => {
    const rescored = await scoreOpenLots(sql, { now, onProgress })
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}
