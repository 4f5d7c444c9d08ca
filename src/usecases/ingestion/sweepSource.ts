import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import { NotModified } from '../../infra/fetching/validators.ts'
import { closeEndedLots } from '../../infra/ingestion/closings.ts'
import { type FetchedCopy, observeAgain, readCopy, setCopy } from '../../infra/ingestion/copies.ts'
import { unlessLocked, withLock } from '../../infra/ingestion/locks.ts'
import type { StagedRow } from '../../infra/ingestion/stage.ts'
import { beginSweep, endSweep } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES } from '../../infra/sources/registry.ts'
import { secondsSince } from '../valuation/appraiseLots.ts'
import { scoreAfterLoads, scoreOpenLots } from '../valuation/rescore.ts'
import { type LoadResult, type LoadSettings, NO_CHANGES, performLoad } from './performLoad.ts'
import { stageOffered } from './stageLot.ts'
import { sourcesOn } from './trackedSources.ts'

/** What the fetch and load of a source did. */
export interface SweepResult extends Omit<LoadResult, 'load_id'> {
  /** Null when the source has not changed, so that nothing was loaded. */
  load_id: number | null
  is_unchanged: boolean
  /** The `Retry-After` of a source that refused, in seconds. */
  retry_after_seconds: number | null
}

interface SourceToIngest extends Omit<LoadSettings, 'partial'> {
  source: string
  from: SourceAddress
  manners: FetchManners
  /** Aborts a fetch; its reason is thrown. It does not stop a load that has begun. */
  signal?: AbortSignal
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of that source, as `ingestFile` loads a file.
 * Everything is fetched before anything is loaded: an interrupted fetch changes nothing, and other sources can be loaded meanwhile.
 * What has not changed since its last load is not loaded again, except with `acceptShrinkage`: its lots count as observed.
 * Of several fetches of one source, in any process, one waits for the other.
 * @returns what the load did; a source that fails is reported there and in the table of loads, not thrown.
 */
export async function ingestSource(sql: Sql, settings: SourceToIngest) {
  const { source, onProgress } = settings
  return withLock(sql, { source }, onProgress, () => sweep(sql, settings))
}

/** As `ingestSource`, but returns null at once when the source is being fetched already. */
export async function ingestSourceUnlessBusy(sql: Sql, settings: SourceToIngest) {
  return unlessLocked(sql, { source: settings.source }, () => sweep(sql, settings))
}

/** Records the start and the result of a sweep in the database, from which every process plans the next one. */
async function sweep(sql: Sql, settings: SourceToIngest) {
  const { source, signal } = settings
  await beginSweep(sql, source)
  try {
    const result = await fetchAndLoad(sql, settings)
    const { state: outcome, reason, retry_after_seconds } = result
    const counted = outcome === 'done' ? await countBeside(settings) : null
    await endSweep(sql, source, { outcome, reason, retry_after_seconds, counted })
    return result
  } catch (error) {
    // If the database failed, this fails too, and the attempt counts as one that never ended.
    await endSweep(sql, source, {
      outcome: signal?.aborted ? 'dropped' : 'failed',
      reason: (error as Error).message,
    }).catch(() => {})
    throw error
  }
}

/** A number that the page of sources shows: no sweep fails for it. */
async function countBeside({ source, from, manners, signal: stop }: SourceToIngest) {
  const count = OFFICIAL_SOURCES[source]!.count
  return count ? count.read(from, politeFetch(manners, { stop })).catch(() => null) : null
}

async function fetchAndLoad(sql: Sql, settings: SourceToIngest): Promise<SweepResult> {
  const { source, acceptShrinkage, now } = settings
  const fetched = await fetchAll(settings, acceptShrinkage ? null : await readCopy(sql, source, now))
  if (fetched !== 'unchanged') return loadFetched(sql, settings, fetched)
  // Again when another load has written lots of the source since: then there is no known copy.
  return (await seeAgain(sql, settings)) ?? fetchAndLoad(sql, settings)
}

/** Observes the lots of a source that has not changed, and closes those whose end has passed. Null when its copy no longer stands. */
function seeAgain(sql: Sql, { source, now, scoreLater, onProgress = () => {} }: SourceToIngest) {
  const started = performance.now()
  return withLock(sql, 'loads', onProgress, async (): Promise<SweepResult | null> => {
    if (!(await observeAgain(sql, source, now))) return null
    const lots_settled = await closeEndedLots(sql, now)
    const seconds_until_stored = secondsSince(started)
    // Usually nothing is due. But the process of the last load may have died before it scored.
    const rescored = scoreLater ? null : await scoreOpenLots(sql, { now, onProgress })
    return {
      load_id: null,
      feed: source,
      file: null,
      state: 'done',
      reason: null,
      sources: [],

      ...NO_CHANGES,
      lots_settled,
      rows_read: 0,
      rows_taken: 0,
      rows_set_aside: 0,
      set_aside: [],
      set_aside_reasons: [],

      rescored,
      seconds_until_stored,
      seconds: secondsSince(started),

      is_unchanged: true,
      retry_after_seconds: null,
    }
  })
}

async function loadFetched(sql: Sql, settings: SourceToIngest, fetched: Fetched | FetchFailure) {
  const { source: key, now } = settings
  return withLock(sql, 'loads', settings.onProgress, async () => {
    const result = await performLoad(sql, { ...settings, feed: key, file: null, rows: rowsOf() })
    await setCopy(sql, [key], 'copy' in fetched && result.state === 'done' ? fetched.copy : null, now)
    const retry_after_seconds = 'pages' in fetched ? null : fetched.retryAfterSeconds
    return { ...result, retry_after_seconds, is_unchanged: false }
  })

  async function* rowsOf(): AsyncGenerator<StagedRow[]> {
    if (fetched instanceof FetchFailure) throw fetched
    let line = 0
    for (const records of fetched.pages) {
      yield stageOffered(OFFICIAL_SOURCES[key]!, records, line, now)
      line += records.length
    }
  }
}

/** All pages of a source. */
type Fetched = { pages: unknown[][]; copy: FetchedCopy }

/** Several times as many pages as any source has needed. */
const MOST_PAGES = 200

async function fetchAll(
  { source: key, from, manners, signal: stop, now, onProgress }: SourceToIngest,
  known: FetchedCopy | null,
): Promise<Fetched | FetchFailure | 'unchanged'> {
  const { host } = new URL(from.address)
  onProgress?.(`Fetching ${key} from ${host}.`)
  const pages: unknown[][] = []
  const context = { stop, validator: known?.validator ?? null }
  const fetchPage = politeFetch(manners, context)
  let calls = 0
  const fetchJson: typeof fetchPage = async request => {
    if (calls++ > 0) await wait(manners.pauseMs, undefined, stop && { signal: stop })
    return fetchPage(request)
  }
  try {
    for await (const page of OFFICIAL_SOURCES[key]!.records(from, fetchJson, now)) {
      // A server that ignores the offset would return its first page forever.
      if (page.length > 0 && isDeepStrictEqual(page, pages.at(-1)))
        throw new FetchFailure(`${host} sends the same page again.`)
      if (pages.push(page) > MOST_PAGES)
        throw new FetchFailure(`${host} has more than ${MOST_PAGES} pages, which cannot be right.`)
    }
  } catch (error) {
    if (error instanceof FetchFailure) return error
    if (error instanceof NotModified) return 'unchanged'
    throw error
  }
  const sum = createHash('sha256')
  for (const page of pages) sum.update(JSON.stringify(page))
  const hash = sum.digest('hex')
  return hash === known?.hash ? 'unchanged' : { pages, copy: { hash, validator: context.validator } }
}

/**
 * Fetches and loads every official source that is on once, one after the other, and scores at the end, once. One that fails does not
 * stop the others, and what it had stored stays. Should the process die before the end, the next load scores what these
 * have changed.
 * @returns the loads; in `failed` the sources that were refused, in part or as a whole, or that failed with an internal error;
 * and the scores, once for all of them, or null when no source changed anything.
 */
export async function ingestAllSources(
  sql: Sql,
  sources: Record<string, SourceAddress>,
  settings: Pick<SourceToIngest, 'manners' | 'now' | 'onProgress'>,
) {
  const loads: (SweepResult | { feed: string; state: 'failed'; reason: string })[] = []
  for (const source of await sourcesOn(sql, sources)) {
    const load = ingestSource(sql, { ...settings, source, from: sources[source]!, scoreLater: true })
    loads.push(await load.catch(({ message: reason }) => ({ feed: source, state: 'failed', reason })))
  }
  const rescored = loads.some(load => load.state === 'done') ? await scoreAfterLoads(sql, settings) : null
  return { failed: loads.filter(load => load.reason !== null).map(load => load.feed), loads, rescored }
}
