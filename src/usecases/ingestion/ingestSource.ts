import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from '../../infra/database.ts'
import { FetchFailure } from '../../infra/fetching/fetchFailure.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import { storeSources } from '../../infra/ingestion/sources.ts'
import type { StagedRow } from '../../infra/ingestion/stagedRows.ts'
import type { OfficialSource, SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES, type OfficialKey } from '../../infra/sources/officialSources.ts'
import type { LoadResult, LoadSettings } from './loadResult.ts'
import { loadRows } from './loadRows.ts'
import { stageRecord } from './stageRecord.ts'

interface SourceToIngest extends Omit<LoadSettings, 'partial'> {
  source: OfficialKey
  from: SourceAddress
  manners: FetchManners
}

export interface SweepResult extends LoadResult {
  /** How long the source asked to be left alone, when it refused and said so. */
  retry_after_seconds: number | null
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of that source, as `ingestFile` loads a file.
 * Everything is fetched before anything is loaded: a series that breaks off changes nothing, and no lock is held
 * meanwhile.
 * @returns what became of it; a source that fails is told there, and in the ledger, and not thrown.
 */
export async function ingestSource(
  sql: Sql,
  { source: key, from, manners, ...settings }: SourceToIngest,
): Promise<SweepResult> {
  const source: OfficialSource = OFFICIAL_SOURCES[key]
  settings.onProgress?.(`Fetching ${key} from ${new URL(from.address).host}.`)
  const fetched = await fetchAll(source, from, manners).catch(onlyFailures)
  if (!(fetched instanceof FetchFailure) && source.description) await storeSources(sql, [source.description])
  const result = await loadRows(sql, { ...settings, feed: key, file: null, rows: rowsOf() })
  return {
    ...result,
    retry_after_seconds: fetched instanceof FetchFailure ? fetched.retryAfterSeconds : null,
  }

  async function* rowsOf(): AsyncGenerator<StagedRow[]> {
    if (fetched instanceof FetchFailure) throw fetched
    let line = 0
    for (const records of fetched) {
      const rows: StagedRow[] = []
      for (const record of records) {
        line += 1
        const row = stagedOf(source, record, line, settings.now)
        if (row !== null) rows.push(row)
      }
      yield rows
    }
  }
}

async function fetchAll(
  source: OfficialSource,
  from: SourceAddress,
  manners: FetchManners,
): Promise<unknown[][]> {
  const pages: unknown[][] = []
  const pause = () => wait(manners.pauseMs)
  for await (const page of source.records(from, politeFetch(manners), pause)) pages.push(page)
  return pages
}

function onlyFailures(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  throw error
}

/** Null for a record that is no lot of today. The raw text of a row that is set aside holds the kept fields alone. */
function stagedOf(source: OfficialSource, record: unknown, line: number, now: Date): StagedRow | null {
  const cells = source.fieldsOf(record)
  if (!source.isLot(cells, now)) return null
  return stageRecord({ line, raw: JSON.stringify(cells), cells }, source, 'ndjson', now)
}
