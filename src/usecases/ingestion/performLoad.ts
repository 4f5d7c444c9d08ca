import { hasCode, UserError } from '../../contract/errors.ts'
import { count } from '../../domain/format.ts'
import {
  closeEndedLots,
  closeLotsMissedTwice,
  closeMissingLots,
  countDuplicates,
  forgetFoundLots,
} from '../../infra/ingestion/closings.ts'
import { setCopy } from '../../infra/ingestion/copies.ts'
import {
  type Doubt,
  doubtsOf,
  forgetDoubts,
  storeDoubts,
} from '../../infra/ingestion/doubts.ts'
import {
  addUnknownSources,
  beginLoad,
  closeDeadLoads,
  type Expectation,
  expectationsOf,
  finishLoad,
  type LedgerEntry,
  readLoad,
  refuseLoad,
  tidyLots,
} from '../../infra/ingestion/loads.ts'
import { withLock } from '../../infra/ingestion/locks.ts'
import {
  keepStartingBids,
  keepWhatIsBetter,
  mergeStage,
} from '../../infra/ingestion/merge.ts'
import {
  countUnnamed,
  dropStage,
  fillStage,
  leaveOutSources,
  type SourceShare,
  type StagedRow,
  sharesBySource,
  type UnreadCells,
  unreadCells,
} from '../../infra/ingestion/stage.ts'
import type { Report } from '../../infra/log.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { type Rescored, secondsSince } from '../valuation/appraiseLots.ts'
import { scoreOpenLots } from '../valuation/rescore.ts'

/** How a load is done, whatever its rows come from. */
export interface LoadSettings {
  /** The time of loading. */
  now: Date
  /**
   * The rows are an addition to what is stored, not the whole live offer: no
   * size check, and nothing is withdrawn.
   */
  partial?: boolean
  /**
   * A source has really shrunk, or its lots really lost values: its rows are
   * taken as the whole offer.
   */
  acceptShrinkage?: boolean
  /**
   * Close what the rows lack only when the whole answer before lacked it too.
   */
  confirmMissing?: boolean
  /**
   * Leave the scores to a later step: what must be scored is queued together
   * with the rows, so nothing is lost in between.
   */
  scoreLater?: boolean
  /** Receives the progress of the load, as a sentence. */
  onProgress?: Report
}

/** What a load changed. */
type LoadChanges = typeof NO_CHANGES

export const NO_CHANGES = {
  lots_new: 0,
  lots_changed: 0,
  lots_withdrawn: 0,
  /** Lots whose end had passed. */
  lots_settled: 0,
  /**
   * Lots of the loaded sources that another source lists too: each such group
   * counts once in statistics.
   */
  lots_duplicate: 0,
  /** Keys that were not tracked before. */
  new_sources: [] as string[],
}

/**
 * What a load did. `rows_read` is the sum of `rows_taken`, `rows_set_aside`,
 * `rows_repeated` and `rows_refused`.
 */
export interface LoadResult extends LoadChanges, LedgerEntry {
  /** Further rows of lots that the file names more than once. */
  rows_repeated: number
  /** Rows of refused sources, or of a file that is refused as a whole. */
  rows_refused: number
  /** The cells that could not be read: their lots are taken without them. */
  cells_not_read: UnreadCells[]
  /**
   * Why no lot was withdrawn that the file does not name, as a sentence; null
   * where the file could be read.
   */
  why_none_withdrawn: string | null
  load_id: number
  feed: string
  /** Null when the rows came from no file. */
  file: string | null
  /**
   * `refused` when nothing was changed. A load that refused only some of its
   * sources is `done`, with a reason.
   */
  state: 'done' | 'refused'
  reason: string | null
  sources: (Omit<SourceShare, 'has_open' | 'repeated_rows'> &
    Pick<LoadResult, 'state' | 'reason'>)[]
  /** Null when nothing was changed, or the scores were left for later. */
  rescored: Rescored | null
  /**
   * From the start until the rows could be searched: without the scores and the
   * tidying of the table.
   */
  seconds_until_stored: number
  seconds: number
}

type Load = LoadSettings & { sql: Sql; id: number; onProgress: Report }

type Outcome = LoadChanges &
  Pick<
    LoadResult,
    'state' | 'reason' | 'sources' | 'rows_repeated' | 'why_none_withdrawn'
  >

/**
 * Rows to stage, or what `fillStage` returns for those that it stages already.
 */
type Rows = AsyncIterable<StagedRow[]> | ReturnType<typeof fillStage>

/**
 * Loads rows by the rules of docs/feed-format.md.
 * @param settings `rows` to stage throw UnusableFile when they cannot be used
 * as a whole.
 */
export async function performLoad(
  sql: Sql,
  settings: LoadSettings & { feed: string; file: string | null; rows: Rows },
): Promise<LoadResult> {
  const { feed, file, rows, now, onProgress = () => {} } = settings
  const started = performance.now()
  return withLock(sql, 'loads', onProgress, async () => {
    await closeDeadLoads(sql, now)
    const id = await beginLoad(sql, feed, now)
    const load = { ...settings, sql, id, onProgress }
    const outcome = await takeOrRefuse(load, rows).catch(error =>
      abortLoad(sql, error, now),
    )
    const seconds_until_stored = secondsSince(started)
    const cells_not_read = await unreadCells(sql)
    await dropStage(sql)
    const scores = outcome.state === 'done' && !settings.scoreLater
    const rescored = scores
      ? await scoreOpenLots(sql, { now, onProgress })
      : null
    await tidyLots(
      sql,
      outcome.lots_new + outcome.lots_changed + (rescored?.lots_changed ?? 0),
    )
    const entry = await readLoad(sql, id)
    const seconds = secondsSince(started)
    const rows_refused =
      entry.rows_read -
      entry.rows_taken -
      entry.rows_set_aside -
      outcome.rows_repeated
    const counted = { ...outcome, ...entry, rows_refused, cells_not_read }
    return {
      load_id: id,
      feed,
      file,
      ...counted,
      rescored,
      seconds_until_stored,
      seconds,
    }
  })
}

async function takeOrRefuse(load: Load, rows: Rows): Promise<Outcome> {
  const unusable = await (rows instanceof Promise
    ? rows
    : fillStage(load.sql, rows, load.onProgress))
  const shares = unusable ? [] : await sharesBySource(load.sql)
  const sources = await checkSources(load, shares)
  const refused = sources.filter(source => source.state === 'refused')
  const reason =
    unusable ?? (refused.map(source => source.reason).join(' ') || null)
  if (unusable || refused.length === sources.length) {
    const why =
      reason ?? 'No row can be used. Correct those that are set aside.'
    await refuseLoad(load.sql, load.id, why, load.now)
    const nothing = {
      rows_repeated: 0,
      why_none_withdrawn: null,
      ...NO_CHANGES,
    }
    return { state: 'refused', reason: why, sources, ...nothing }
  }
  const left = refused.map(({ source }) => source)
  if (left.length > 0) await leaveOutSources(load.sql, left)
  const trusted = shares.filter(({ source }) => !left.includes(source))
  return {
    state: 'done',
    reason,
    sources,
    ...(await take(load, trusted, reason)),
  }
}

async function checkSources(
  { sql, now, partial, acceptShrinkage }: Load,
  shares: SourceShare[],
): Promise<LoadResult['sources']> {
  const isTaken = partial || acceptShrinkage
  const live = shares
    .filter(share => share.live_rows > 0)
    .map(share => share.source)
  const expectations = await expectationsOf(sql, isTaken ? [] : live, now)
  const all = shares.map(share => share.source)
  const doubts = isTaken ? [] : await doubtsOf(sql, all, now)
  const sources: LoadResult['sources'] = []
  for (const { source, live_rows, closed_rows } of shares) {
    const expectation = expectations.find(
      expected => expected.source === source,
    )
    const hasShrunk = expectation ? shrinkage(live_rows, expectation) : null
    const doubt = doubts.find(found => found.source === source)
    const loses = doubt && hasShrunk === null ? losses(doubt) : null
    if (loses !== null) await storeDoubts(sql, source, now)
    const reason = hasShrunk ?? loses
    sources.push({
      source,
      live_rows,
      closed_rows,
      state: reason === null ? 'done' : 'refused',
      reason,
    })
  }
  return sources
}

/**
 * So many lots of a source lose their bid, end or title in the ordinary way.
 */
const FEW_LOTS = 20
const FEW_PERCENT = 10

/**
 * Why rows that take bids, ends, titles or details away from open lots of a
 * source are not to be trusted, or null. A page that did not load and a column
 * that moved look like that; the next answer that says the same is taken.
 */
function losses({
  source,
  open_lots,
  lots,
  bids,
  ends,
  titles,
  details,
  ids,
}: Doubt) {
  if (lots < FEW_LOTS || lots * 100 <= open_lots * FEW_PERCENT) return null
  const kinds = Object.entries({
    bid: bids,
    end: ends,
    title: titles,
    details,
    id: ids,
  })
  const lost = kinds
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name}: ${count}`)
  return (
    `${lots} of the ${open_lots} open lots of ${source} would lose something at once (${lost.join(', ')}), ` +
    'which looks like a broken fetch, so nothing of this source was changed. ' +
    'It is taken when the next answer says the same, or at once with --accept-shrinkage.'
  )
}

/**
 * Why the rows of a source are not to be trusted, or null. A file with live
 * rows of a source is its whole live offer, so one with under half of what the
 * last good load leads to expect is taken for a broken fetch.
 */
function shrinkage(
  liveRows: number,
  { source, last_live_rows, ended_since }: Expectation,
) {
  const expected = Math.max(0, last_live_rows - ended_since)
  if (liveRows * 2 >= expected) return null
  const ended =
    ended_since > 0 ? `, ${ended_since} of which have ended since` : ''
  return (
    `The file has ${liveRows} live rows of ${source}; its last good load had ${last_live_rows}${ended}. ` +
    'Under half of it looks like a broken fetch, so nothing of this source was changed. ' +
    'If the source really shrank, load the file with --accept-shrinkage.'
  )
}

async function take(load: Load, shares: SourceShare[], reason: string | null) {
  const { sql, now, partial, acceptShrinkage } = load
  const sources = shares.map(share => share.source)
  const unnamed = partial ? 0 : await countUnnamed(sql)
  const why_none_withdrawn = unnamed > 0 ? whyNoneWithdrawn(unnamed) : null
  const offers = partial
    ? shares.map(({ source }) => ({ source, live_rows: 0, has_open: false }))
    : shares
  await setCopy(sql, sources, null, now)
  await keepWhatIsBetter(sql)
  await keepStartingBids(sql)
  await forgetDoubts(sql, sources)
  await forgetFoundLots(sql, unnamed > 0 ? sources : [])
  const new_sources = await addUnknownSources(sql, sources)
  const { lots_new, lots_changed } = await mergeStage(
    sql,
    load.id,
    now,
    load.onProgress,
  )
  const stillOpen = offers.flatMap(({ source, has_open }) =>
    has_open && unnamed === 0 ? source : [],
  )
  const close =
    load.confirmMissing && !acceptShrinkage
      ? closeLotsMissedTwice
      : closeMissingLots
  const missing = await close(sql, stillOpen, now)
  const lots_settled = missing.ended + (await closeEndedLots(sql, now))
  const lots_duplicate = await countDuplicates(sql, sources)
  const reasons = [reason, why_none_withdrawn].filter(Boolean).join(' ') || null
  await finishLoad(sql, load.id, { now, reason: reasons, offers })
  const rows_repeated = shares.reduce(
    (sum, { repeated_rows }) => sum + repeated_rows,
    0,
  )
  const changes = {
    lots_new,
    lots_changed,
    lots_withdrawn: missing.withdrawn,
    lots_settled,
  }
  return {
    ...changes,
    lots_duplicate,
    new_sources,
    rows_repeated,
    why_none_withdrawn,
  }
}

function whyNoneWithdrawn(unnamed: number) {
  return (
    `The id of the lot could not be read in ${count(unnamed, 'row')}, so nothing was withdrawn. ` +
    'Correct what is set aside and load the file again.'
  )
}

const DISK_FULL =
  'The disk of the database is full. What the load had stored is whole and stays; make room, then load the file again to complete it.'

/**
 * Ends a failed load. When the disk is full (SQLSTATE 53100) the stage is
 * dropped first, because a sweeper keeps its session and the space is needed at
 * once; then the record of the load gets the reason.
 * @throws UserError for a full disk; otherwise what was thrown.
 */
async function abortLoad(sql: Sql, error: unknown, now: Date): Promise<never> {
  if (!isDiskFull(error)) throw error
  const failed = new UserError(DISK_FULL)
  failed.cause = error
  // If even this does not fit, the next load closes the record.
  await dropStage(sql)
    .then(() => closeDeadLoads(sql, now, DISK_FULL))
    .catch(() => {})
  throw failed
}

export function isDiskFull(error: unknown) {
  return hasCode(error, '53100')
}
