import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import { tidyLots } from '../../infra/ingestion/loads.ts'
import { unlessLocked, withLock } from '../../infra/ingestion/locks.ts'
import type { StagedRow } from '../../infra/ingestion/stage.ts'
import { beginSweep, endSweep } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialSource, SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_KEYS, OFFICIAL_SOURCES, type OfficialKey } from '../../infra/sources/registry.ts'
import type { Rescored } from '../valuation/appraiseLots.ts'
import { scoreOpenLots } from '../valuation/rescore.ts'
import type { LoadSettings, SweepResult } from './loadResult.ts'
import { performLoad } from './performLoad.ts'
import { stageRecord } from './stageLot.ts'

export interface SourceToIngest extends Omit<LoadSettings, 'partial'> {
  source: OfficialKey
  from: SourceAddress
  manners: FetchManners
  /** Aborts a fetch; its reason is thrown. It does not stop a load that has begun. */
  signal?: AbortSignal
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of that source, as `ingestFile` loads a file.
 * Everything is fetched before anything is loaded: an interrupted fetch changes nothing, and other sources can be loaded meanwhile.
 * Of several fetches of one source, in any process, one waits for the other.
 * @returns what the load did; a source that fails is reported there and in the table of loads, not thrown.
 */
export async function ingestSource(sql: Sql, settings: SourceToIngest): Promise<SweepResult> {
  const { source, onProgress } = settings
  const onWait = () => onProgress?.(`Another process is fetching ${source}: waiting for it to end.`)
  return withLock(sql, { source }, onWait, () => sweep(sql, settings))
}

/** As `ingestSource`, but returns null at once when the source is being fetched already. */
export async function ingestSourceUnlessBusy(
  sql: Sql,
  settings: SourceToIngest,
): Promise<SweepResult | null> {
  const { source } = settings
  return unlessLocked(sql, { source }, () => sweep(sql, settings))
}

/** Records the start and the result of a sweep in the database, from which every process plans the next one. */
async function sweep(sql: Sql, settings: SourceToIngest): Promise<SweepResult> {
  const { source, signal } = settings
  await beginSweep(sql, source)
  try {
    const result = await fetchAndLoad(sql, settings)
    await endSweep(sql, source, { ...result, outcome: result.state })
    return result
  } catch (error) {
    const outcome = signal?.aborted ? 'dropped' : 'failed'
    // If the database failed, this fails too, and the attempt counts as one that never ended.
    await endSweep(sql, source, { outcome, reason: (error as Error).message }).catch(() => {})
    throw error
  }
}

async function fetchAndLoad(
  sql: Sql,
  { source: key, from, manners, signal, ...settings }: SourceToIngest,
): Promise<SweepResult> {
  const source: OfficialSource = OFFICIAL_SOURCES[key]
  settings.onProgress?.(`Fetching ${key} from ${new URL(from.address).host}.`)
  const fetched = await fetchAll(source, from, manners, signal).catch(onlyFailures)
  const result = await performLoad(sql, { ...settings, feed: key, file: null, rows: rowsOf() })
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
    // A server that ignores the offset would return its first page forever.
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

/** Null for a record that is skipped. The raw text of a set-aside row holds only the fields that may be kept. */
function stagedOf(source: OfficialSource, record: unknown, line: number, now: Date): StagedRow | null {
  const cells = source.fieldsOf(record)
  if (!source.isLot(cells, now)) return null
  return stageRecord({ line, raw: JSON.stringify(cells), cells }, source, 'ndjson', now)
}

interface SourcesToIngest extends Omit<LoadSettings, 'partial' | 'scoreLater'> {
  sources: Record<OfficialKey, SourceAddress>
  manners: FetchManners
}

/** A source whose load failed with an internal error; what it had stored stays. */
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
  return withLock(sql, 'loads', onWait, async () => {
    const rescored = await scoreOpenLots(sql, { now, onProgress })
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}
