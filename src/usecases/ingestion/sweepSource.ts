import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { publisherChange } from '../../domain/feeds/publisherChange.ts'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import {
  type FetchManners,
  politeFetch,
} from '../../infra/fetching/politeFetch.ts'
import { NotModified } from '../../infra/fetching/validators.ts'
import {
  closeEndedLots,
  closeLotsStillMissed,
} from '../../infra/ingestion/closings.ts'
import {
  type FetchedCopy,
  observeAgain,
  readCopy,
  setCopy,
} from '../../infra/ingestion/copies.ts'
import { unlessLocked, withLock } from '../../infra/ingestion/locks.ts'
import {
  dropStage,
  emptyStage,
  fillStage,
} from '../../infra/ingestion/stage.ts'
import { beginSweep, endSweep } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES } from '../../infra/sources/registry.ts'
import { type Rescored, secondsSince } from '../valuation/appraiseLots.ts'
import { scoreAfterLoads, scoreOpenLots } from '../valuation/rescore.ts'
import {
  isDiskFull,
  type LoadResult,
  type LoadSettings,
  NO_CHANGES,
  performLoad,
} from './performLoad.ts'
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

interface SourceToIngest
  extends Omit<LoadSettings, 'partial' | 'confirmMissing'> {
  source: string
  from: SourceAddress
  manners: FetchManners
  /**
   * Aborts a fetch; its reason is thrown. It does not stop a load that has
   * begun.
   */
  signal?: AbortSignal
}

/**
 * Fetches what a source offers now, once, and loads it as the whole offer of
 * that source, as `ingestFile` loads a file. All pages are in the stage before
 * anything is loaded: an interrupted fetch changes nothing, and other sources
 * can be loaded meanwhile. What has not changed since its last load is not
 * loaded again, except with `acceptShrinkage`: its lots count as observed. Of
 * several fetches of one source, in any process, one waits for the other.
 * @returns what the load did; a source that fails is reported there and in the
 * table of loads, not thrown.
 */
export async function ingestSource(
  sql: Sql,
  settings: SourceToIngest,
): Promise<SweepResult> {
  const { source, onProgress } = settings
  return withLock(sql, { source }, onProgress, () => sweep(sql, settings))
}

/**
 * As `ingestSource`, but returns null at once when the source is being fetched
 * already.
 */
export async function ingestSourceUnlessBusy(
  sql: Sql,
  settings: SourceToIngest,
) {
  return unlessLocked(sql, { source: settings.source }, () =>
    sweep(sql, settings),
  )
}

/**
 * Records the start and the result of a sweep in the database, from which every
 * process plans the next one.
 */
async function sweep(sql: Sql, settings: SourceToIngest) {
  const { source, signal } = settings
  await beginSweep(sql, source)
  try {
    const result = await fetchAndLoad(sql, settings)
    const { state: outcome, reason, retry_after_seconds } = result
    const changed_at =
      outcome === 'done' ? await readPublisherChange(settings, result) : null
    await endSweep(sql, source, {
      outcome,
      reason,
      retry_after_seconds,
      changed_at,
    })
    return result
  } catch (error) {
    // If the database failed, this fails too, and the attempt counts as one
    // that never ended.
    await endSweep(sql, source, {
      outcome: signal?.aborted ? 'dropped' : 'failed',
      reason: (error as Error).message,
    }).catch(() => {})
    throw error
  }
}

/**
 * When the publisher changed the data, which is read at each load, at least
 * once a day: no sweep fails for it.
 */
async function readPublisherChange(
  { source, from, manners, signal: stop, now }: SourceToIngest,
  { is_unchanged }: SweepResult,
): Promise<string | null> {
  const fetchJson = politeFetch(manners, { stop })
  const facts = is_unchanged
    ? null
    : await OFFICIAL_SOURCES[source]!.facts?.(from, fetchJson).catch(() => null)
  return publisherChange(facts?.changed, now)
}

async function fetchAndLoad(
  sql: Sql,
  settings: SourceToIngest,
): Promise<SweepResult> {
  const { source, acceptShrinkage, now } = settings
  const fetched = await fetchToStage(
    sql,
    settings,
    acceptShrinkage ? null : await readCopy(sql, source, now),
  )
  if (fetched !== 'unchanged') return loadFetched(sql, settings, fetched)
  // Again when another load has written lots of the source since: then there is
  // no known copy.
  return (await seeAgain(sql, settings)) ?? fetchAndLoad(sql, settings)
}

/**
 * Observes the lots of a source that has not changed, and closes those that it
 * lacks or whose end has passed. Null when its copy no longer stands.
 */
function seeAgain(
  sql: Sql,
  { source, now, scoreLater, onProgress = () => {} }: SourceToIngest,
) {
  const started = performance.now()
  return withLock(
    sql,
    'loads',
    onProgress,
    async (): Promise<SweepResult | null> => {
      if (!(await observeAgain(sql, source, now))) return null
      const missed = await closeLotsStillMissed(sql, source, now)
      const lots_settled = missed.ended + (await closeEndedLots(sql, now))
      const seconds_until_stored = secondsSince(started)
      // Usually nothing is due. But the process of the last load may have died
      // before it scored.
      const rescored = scoreLater
        ? null
        : await scoreOpenLots(sql, { now, onProgress })
      return {
        load_id: null,
        feed: source,
        file: null,
        state: 'done',
        reason: null,
        sources: [],

        ...NO_CHANGES,
        lots_withdrawn: missed.withdrawn,
        lots_settled,
        rows_read: 0,
        rows_taken: 0,
        rows_set_aside: 0,
        rows_repeated: 0,
        rows_refused: 0,
        cells_not_read: [],
        why_none_withdrawn: null,
        set_aside: [],
        set_aside_reasons: [],

        rescored,
        seconds_until_stored,
        seconds: secondsSince(started),

        is_unchanged: true,
        retry_after_seconds: null,
      }
    },
  )
}

function loadFetched(
  sql: Sql,
  settings: SourceToIngest,
  { rows, copy, failure }: Fetched,
) {
  const { source: feed, now } = settings
  return withLock(sql, 'loads', settings.onProgress, async () => {
    const result = await performLoad(sql, {
      ...settings,
      feed,
      file: null,
      rows,
      confirmMissing: true,
    })
    await setCopy(sql, [feed], result.state === 'done' ? copy : null, now)
    return {
      ...result,
      retry_after_seconds: failure?.retryAfterSeconds ?? null,
      is_unchanged: false,
    }
  })
}

/** Several times as many pages as any source has needed. */
const MOST_PAGES = 200

type Fetched = Exclude<Awaited<ReturnType<typeof fetchToStage>>, 'unchanged'>

/**
 * Fetches all pages of a source into the stage of this session. A page is
 * staged while the next is fetched, so that two are in memory. Why: the
 * sweeper, which held 200 pages of up to 20 MB; npx vitest run
 * test/sources/feeds.test.ts -t "is staged"
 * @returns how the fetch ended; a source that breaks off leaves no row.
 */
async function fetchToStage(
  sql: Sql,
  {
    source: key,
    from,
    manners,
    signal: stop,
    now,
    onProgress = () => {},
  }: SourceToIngest,
  known: FetchedCopy | null,
) {
  const source = OFFICIAL_SOURCES[key]!
  const { host } = new URL(from.address)
  onProgress(`Fetching ${key} from ${host}.`)
  const context = { stop, validator: known?.validator ?? null }
  const fetchPage = politeFetch(manners, context)
  const copy: FetchedCopy = { hash: '', validator: null }
  let pages = 0
  let failure: FetchFailure | null = null
  const fetchJson: typeof fetchPage = async request => {
    if (pages > 0)
      await wait(manners.pauseMs, undefined, stop && { signal: stop })
    return fetchPage(request)
  }

  async function* rowsOf() {
    const sum = createHash('sha256')
    let line = 0
    let latest: unknown[] = []
    let latestText = ''
    const staged = () => {
      const before = line
      line += latest.length
      return stageOffered(source, latest, before, now)
    }
    try {
      for await (const page of source.records(from, fetchJson, now)) {
        const text = JSON.stringify(page)
        // A server that ignores the offset would return its first page forever.
        if (page.length > 0 && text === latestText)
          throw new FetchFailure(`${host} sends the same page again.`)
        if (++pages > MOST_PAGES)
          throw new FetchFailure(
            `${host} has more than ${MOST_PAGES} pages, which cannot be right.`,
          )
        sum.update(text)
        yield staged()
        latest = page
        latestText = text
      }
      Object.assign(copy, {
        hash: sum.digest('hex'),
        validator: context.validator,
      })
      if (copy.hash === known?.hash) throw new NotModified()
      yield staged()
    } catch (error) {
      if (error instanceof FetchFailure) failure = error
      throw error
    }
  }

  const rows = fillStage(sql, rowsOf(), onProgress)
  try {
    await rows
    if (failure) await emptyStage(sql)
  } catch (error) {
    await dropStage(sql).catch(() => {})
    if (error instanceof NotModified) return 'unchanged'
    // A full disk gets a record.
    if (!isDiskFull(error)) throw error
  }
  return { rows, copy, failure: failure as FetchFailure | null }
}

/** What became of each source. */
interface SweptSources {
  /** The keys of the sources that failed. */
  failed: string[]
  loads: (SweepResult | { feed: string; state: 'failed'; reason: string })[]
  rescored: Rescored | null
}

/**
 * Fetches and loads every official source that is on once, one after the other,
 * and scores at the end, once. One that fails does not stop the others, and
 * what it had stored stays. Should the process die before the end, the next
 * load scores what these have changed.
 * @returns the loads; in `failed` the sources that were refused, in part or as
 * a whole, or that failed with an internal error; and the scores, once for all
 * of them, or null when no source changed anything.
 */
export async function ingestAllSources(
  sql: Sql,
  sources: Record<string, SourceAddress>,
  settings: Pick<SourceToIngest, 'manners' | 'now' | 'onProgress'>,
): Promise<SweptSources> {
  const loads: (
    | SweepResult
    | { feed: string; state: 'failed'; reason: string }
  )[] = []
  for (const { source } of await sourcesOn(sql, sources)) {
    const load = ingestSource(sql, {
      ...settings,
      source,
      from: sources[source]!,
      scoreLater: true,
    })
    loads.push(
      await load.catch(({ message: reason }) => ({
        feed: source,
        state: 'failed',
        reason,
      })),
    )
  }
  const rescored = loads.some(load => load.state === 'done')
    ? await scoreAfterLoads(sql, settings)
    : null
  return {
    failed: loads.filter(load => load.reason !== null).map(load => load.feed),
    loads,
    rescored,
  }
}
