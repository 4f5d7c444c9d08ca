import type { Sql } from '../../infra/database.ts'
import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_KEYS, type OfficialKey } from '../../infra/sources/officialSources.ts'
import { ingestSource, type SweepResult } from './ingestSource.ts'
import type { LoadSettings } from './loadResult.ts'

interface SourcesToIngest extends Omit<LoadSettings, 'partial'> {
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
}

/** Fetches and loads every official source once, one after the other. One that fails does not stop the others. */
export async function ingestAllSources(
  sql: Sql,
  { sources, ...settings }: SourcesToIngest,
): Promise<AllSwept> {
  const loads: AllSwept['loads'] = []
  for (const source of OFFICIAL_KEYS) {
    loads.push(
      await ingestSource(sql, { ...settings, source, from: sources[source] }).catch(
        (error: Error): BrokenSweep => ({ feed: source, state: 'failed', reason: error.message }),
      ),
    )
  }
  return { failed: loads.filter(load => load.reason !== null).map(load => load.feed), loads }
}
