import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { FetchFailure } from '../../infra/fetching/fetchFailure.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import type { StagedRow } from '../../infra/ingestion/stagedRows.ts'
import { unlessSourceLocked, withSourceLock } from '../../infra/ingestion/sweepLocks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialSource, SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES, type OfficialKey } from '../../infra/sources/registry.ts'
import type { LoadResult, LoadSettings } from './loadResult.ts'
import { loadRows } from './loadRows.ts'
import { recordSweep } from './recordSweep.ts'
import { stageRecord } from './stageRecord.ts'

export interface SourceToIngest extends Omit<LoadSettings, 'partial'> {
  source: OfficialKey
  from: SourceAddress
  manners: FetchManners
  /** Ends a fetch that is under way; its reason is thrown. A load that has begun is not stopped by it. */
  signal?: AbortSignal
}

export interface SweepResult extends LoadResult {
  /** How long the source asked to be left alone, when it refused and said so. */
  retry_after_seconds: number | null
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of that source, as `ingestFile` loads a file.
 * Everything is fetched before anything is loaded: a series that breaks off changes nothing, and loads of other sources
 * go on meanwhile. Of several that ask the same source, in whatever processes, one waits for the other.
 * @returns what became of it; a source that fails is told there, and in the ledger, and not thrown.
 */
export async function ingestSource(sql: Sql, settings: SourceToIngest): Promise<SweepResult> {
  const { source, onProgress } = settings
  const onWait = () => onProgress?.(`Somebody else is fetching ${source}: waiting for the end of it.`)
  return withSourceLock(sql, source, onWait, () => sweep(sql, settings))
}

/** As `ingestSource`, but returns null at once when the source is being asked already. */
export async function ingestSourceUnlessAsked(
  sql: Sql,
  settings: SourceToIngest,
): Promise<SweepResult | null> {
  return unlessSourceLocked(sql, settings.source, () => sweep(sql, settings))
}

async function sweep(sql: Sql, settings: SourceToIngest): Promise<SweepResult> {
  return recordSweep(sql, settings.source, settings.signal, () => fetchAndLoad(sql, settings))
}

async function fetchAndLoad(
  sql: Sql,
  { source: key, from, manners, signal, ...settings }: SourceToIngest,
): Promise<SweepResult> {
  const source: OfficialSource = OFFICIAL_SOURCES[key]
  settings.onProgress?.(`Fetching ${key} from ${new URL(from.address).host}.`)
  const fetched = await fetchAll(source, from, manners, signal).catch(onlyFailures)
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
  signal: AbortSignal | undefined,
): Promise<unknown[][]> {
  const pages: unknown[][] = []
  const pause = () => wait(manners.pauseMs, undefined, signal && { signal })
  for await (const page of source.records(from, politeFetch(manners, signal), pause)) {
    // A server that does not know the offset would be asked for its first page for ever.
    if (page.length > 0 && isDeepStrictEqual(page, pages.at(-1)))
      throw new FetchFailure(`${new URL(from.address).host} sends the same page again.`)
    pages.push(page)
  }
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
