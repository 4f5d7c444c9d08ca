import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { HOUR_MS } from '../../domain/durations.ts'
import { type Hop, type HopMemory, NotModified } from '../../infra/fetching/hops.ts'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import { type FetchedCopy, readCopy } from '../../infra/ingestion/copies.ts'
import { unlessLocked, withLock } from '../../infra/ingestion/locks.ts'
import type { StagedRow } from '../../infra/ingestion/stage.ts'
import { beginSweep, endSweep, requestCounter } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialSource, SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_KEYS, OFFICIAL_SOURCES, type OfficialKey } from '../../infra/sources/registry.ts'
import { scoreAfterLoads } from '../valuation/rescore.ts'
import { type LoadSettings, performLoad } from './performLoad.ts'
import { seeAgain } from './seeAgain.ts'
import { stageRecord } from './stageLot.ts'

/** What the fetch and load of a source did. */
export type SweepResult = Awaited<ReturnType<typeof ingestSource>>

interface SourceToIngest extends Omit<LoadSettings, 'partial'> {
  source: OfficialKey
  from: SourceAddress
  manners: FetchManners
  /** Aborts a fetch; its reason is thrown. It does not stop a load that has begun. */
  signal?: AbortSignal
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of that source, as `ingestFile` loads a file.
 * Everything is fetched before anything is loaded: an interrupted fetch changes nothing, and other sources can be loaded meanwhile.
 * What has not changed since its last load is not loaded again (`seeAgain`), except with `acceptShrinkage`.
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
    await endSweep(sql, source, { ...result, outcome: result.state })
    return result
  } catch (error) {
    const outcome = signal?.aborted ? 'dropped' : 'failed'
    // If the database failed, this fails too, and the attempt counts as one that never ended.
    await endSweep(sql, source, { outcome, reason: (error as Error).message }).catch(() => {})
    throw error
  }
}

async function fetchAndLoad(sql: Sql, settings: SourceToIngest) {
  const { source, acceptShrinkage, now } = settings
  const known = acceptShrinkage ? null : await readCopy(sql, source, now)
  const fetched = await fetchAll(sql, settings, known)
  if (known && 'unchanged' in fetched) {
    const seen = await seeAgain(sql, settings, known, fetched.unchanged)
    if (seen) return seen
    return loadFetched(sql, settings, await fetchAll(sql, settings, null))
  }
  return loadFetched(sql, settings, fetched)
}

async function loadFetched(sql: Sql, { source: key, ...settings }: SourceToIngest, fetched: Fetched) {
  const source: OfficialSource = OFFICIAL_SOURCES[key]
  const copy = 'pages' in fetched ? fetched.copy : null
  const result = await performLoad(sql, { ...settings, feed: key, file: null, copy, rows: rowsOf() })
  /** The `Retry-After` of a source that refused, in seconds. */
  const retry_after_seconds = fetched instanceof FetchFailure ? fetched.retryAfterSeconds : null
  return { ...result, retry_after_seconds, is_unchanged: false }

  async function* rowsOf(): AsyncGenerator<StagedRow[]> {
    if (!('pages' in fetched)) throw fetched
    let line = 0
    for (const records of fetched.pages) {
      const rows: StagedRow[] = []
      for (const record of records) {
        line += 1
        const cells = source.fieldsOf(record)
        if (!source.isLot(cells, settings.now)) continue
        // The raw text of a set-aside row holds only the fields that may be kept.
        rows.push(stageRecord({ line, raw: JSON.stringify(cells), cells }, source, 'ndjson', settings.now))
      }
      yield rows
    }
  }
}

/** All pages of a source; or, when they are those of the known copy, only the hops that lead to it. */
type Fetched = { pages: unknown[][]; copy: FetchedCopy } | { unchanged: Hop[] } | FetchFailure

/** Several times as many pages as any source has needed. */
const MOST_PAGES = 200

/** @param known the copy that the lots stand for, or null to fetch unconditionally. */
async function fetchAll(
  sql: Sql,
  { source: key, from, manners, signal: stop, now, onProgress }: SourceToIngest,
  known: FetchedCopy | null,
): Promise<Fetched> {
  const { host } = new URL(from.address)
  onProgress?.(`Fetching ${key} from ${host}.`)
  const hops: HopMemory = { known: trusted(known?.hops ?? [], now), seen: [], now }
  const count = requestCounter(sql, key, { ...from, ...manners })
  const fetchPage = politeFetch(manners, { stop, count, hops })
  const pages: unknown[][] = []
  const fetchJson: typeof fetchPage = async request => {
    if (pages.length > 0) await wait(manners.pauseMs, undefined, stop && { signal: stop })
    return fetchPage(request)
  }
  try {
    for await (const page of OFFICIAL_SOURCES[key].records(from, fetchJson)) {
      // A server that ignores the offset would return its first page forever.
      if (page.length > 0 && isDeepStrictEqual(page, pages.at(-1)))
        throw new FetchFailure(`${host} sends the same page again.`)
      if (pages.push(page) > MOST_PAGES)
        throw new FetchFailure(`${host} has more than ${MOST_PAGES} pages, which cannot be right.`)
    }
  } catch (error) {
    if (error instanceof FetchFailure) return error
    if (!(error instanceof NotModified)) throw error
    // The hops before the one that answered 304 are new.
    const isSeen = ({ address }: Hop) => hops.seen.some(seen => seen.address === address)
    return { unchanged: [...hops.seen, ...known!.hops.filter(hop => !isSeen(hop))] }
  }
  const hash = hashOf(pages)
  if (hash === known?.hash) return { unchanged: hops.seen }
  const modified = Date.parse(hops.seen.at(-1)?.last_modified ?? '')
  const modified_at = new Date(Number.isNaN(modified) ? now : modified).toISOString()
  return { pages, copy: { hash, hops: hops.seen, modified_at } }
}

/** A redirect's own ETag can stay while its file changes, so the file itself is requested at least once an hour. */
const REDIRECT_TRUST_MS = HOUR_MS

function trusted(hops: readonly Hop[], now: Date): Hop[] {
  return hops.filter(hop => !hop.is_redirect || now.getTime() - Date.parse(hop.at) < REDIRECT_TRUST_MS)
}

function hashOf(pages: unknown[][]): string {
  const hash = createHash('sha256')
  for (const page of pages) hash.update(JSON.stringify(page))
  return hash.digest('hex')
}

type SourcesToIngest = Omit<SourceToIngest, 'source' | 'from' | 'signal' | 'scoreLater'> & {
  sources: Record<OfficialKey, SourceAddress>
}

/**
 * Fetches and loads every official source once, one after the other, and scores at the end, once. One that fails does not
 * stop the others, and what it had stored stays. Should the process die before the end, the next load scores what these
 * have changed.
 * @returns the loads; in `failed` the sources that were refused, in part or as a whole, or that failed with an internal error;
 * and the scores, once for all of them, or null when no source changed anything.
 */
export async function ingestAllSources(sql: Sql, { sources, ...settings }: SourcesToIngest) {
  const loads: (SweepResult | { feed: OfficialKey; state: 'failed'; reason: string })[] = []
  for (const source of OFFICIAL_KEYS) {
    const load = ingestSource(sql, { ...settings, source, from: sources[source], scoreLater: true })
    loads.push(await load.catch((error: Error) => ({ feed: source, state: 'failed', reason: error.message })))
  }
  const rescored = loads.some(load => load.state === 'done') ? await scoreAfterLoads(sql, settings) : null
  return { failed: loads.filter(load => load.reason !== null).map(load => load.feed), loads, rescored }
}
