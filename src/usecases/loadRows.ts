import { shrinkage } from '../domain/snapshot.ts'
import { withdrawMissingLots } from '../infra/closings.ts'
import type { Sql } from '../infra/database.ts'
import { UnusableFile } from '../infra/feeds/unusableFile.ts'
import { withLoadLock } from '../infra/loadLock.ts'
import {
  addUnknownSources,
  beginLoad,
  closeDeadLoads,
  expectationsOf,
  finishLoad,
  readLoad,
  refuseLoad,
  tidyLots,
} from '../infra/loads.ts'
import { keepWhatIsBetter, mergeBatch } from '../infra/stagedMerge.ts'
import {
  countStaged,
  createStage,
  dropStage,
  leaveOutRepeats,
  leaveOutSources,
  type SourceShare,
  type StagedRow,
  sharesBySource,
  stageRows,
} from '../infra/stagedRows.ts'
import type { LoadChanges, LoadResult, LoadSettings, SourceResult } from './loadResult.ts'
import { rescore } from './rescore.ts'
import { settleLots } from './settleLots.ts'

interface Rows extends LoadSettings {
  feed: string
  file: string | null
  /** @throws UnusableFile when what they come from cannot be trusted as a whole. */
  rows: AsyncIterable<StagedRow[]>
}

interface Load extends Required<LoadSettings> {
  sql: Sql
  id: number
}

type Outcome = LoadChanges & Pick<LoadResult, 'state' | 'reason' | 'sources'>

const BATCH_ROWS = 5000
const PROGRESS_ROWS = 20_000
const MOST_SHOWN = 20
const NO_CHANGES: LoadChanges = {
  lots_new: 0,
  lots_changed: 0,
  lots_withdrawn: 0,
  lots_settled: 0,
  new_sources: [],
}

/** Loads rows by the rules of docs/feed-format.md; `ingestFile` and `ingestLots` make them. */
export async function loadRows(
  sql: Sql,
  { feed, file, rows, now, partial = false, onProgress = () => {} }: Rows,
): Promise<LoadResult> {
  const started = performance.now()
  const onWait = () => onProgress('Another load is running: waiting for it to end.')
  return withLoadLock(sql, onWait, async () => {
    await closeDeadLoads(sql, now)
    const load = { sql, id: await beginLoad(sql, feed, now), now, partial, onProgress }
    const outcome = await takeOrRefuse(load, rows)
    await dropStage(sql)
    const rescored = outcome.state === 'done' ? await rescore(sql, { now, onProgress }) : null
    const entry = await readLoad(sql, load.id, MOST_SHOWN)
    const seconds = Math.round(performance.now() - started) / 1000
    return { load_id: load.id, feed, file, ...outcome, ...entry, rescored, seconds }
  })
}

async function takeOrRefuse(load: Load, rows: Rows['rows']): Promise<Outcome> {
  await createStage(load.sql)
  const unusable = await readIn(load, rows)
  const shares = unusable ? [] : await sharesBySource(load.sql)
  const sources = await judgeSources(load, shares)
  const refused = sources.filter(source => source.state === 'refused')
  const reason = unusable ?? (refused.map(source => source.reason).join(' ') || null)
  if (unusable || refused.length === sources.length) {
    await refuseLoad(load.sql, load.id, reason ?? 'The file has no rows.', load.now)
    return { state: 'refused', reason, sources, ...NO_CHANGES }
  }
  await leaveOutSources(
    load.sql,
    refused.map(source => source.source),
  )
  const trusted = shares.filter(share => !refused.some(({ source }) => source === share.source))
  return { state: 'done', reason, sources, ...(await take(load, trusted, reason)) }
}

/** Stages every row, each lot once. @returns why the rows as a whole cannot be used, or null. */
async function readIn({ sql, onProgress }: Load, rows: Rows['rows']): Promise<string | null> {
  let read = 0
  let good = 0
  let storing = Promise.resolve()
  let firstBad: { line: number; reason: string } | undefined
  try {
    for await (const some of rows) {
      // While Postgres stores these, the next ones are read and checked.
      await storing
      storing = stageRows(sql, some)
      storing.catch(() => {})
      const bad = some.filter(row => 'reason' in row)
      firstBad ??= bad[0]
      good += some.length - bad.length
      const before = read
      read += some.length
      if (isRound(before, read)) onProgress(`Read ${read.toLocaleString('en-US')} rows.`)
    }
    await storing
  } catch (error) {
    await storing
    if (error instanceof UnusableFile) return error.message
    throw error
  }
  if (firstBad && good === 0)
    return `None of the ${read} rows can be used. Line ${firstBad.line}: ${firstBad.reason}`
  if (good === 0) return 'There are no rows.'
  await leaveOutRepeats(sql)
  return null
}

/** Holds the live rows of each source against its last good load. */
async function judgeSources({ sql, now, partial }: Load, shares: SourceShare[]): Promise<SourceResult[]> {
  const live = partial ? [] : shares.filter(share => share.live_rows > 0)
  const expectations = await expectationsOf(
    sql,
    live.map(share => share.source),
    now,
  )
  return shares.map(({ source, live_rows, closed_rows }) => {
    const expectation = expectations.find(expected => expected.source === source)
    const reason = expectation ? shrinkage(source, live_rows, expectation) : null
    return { source, live_rows, closed_rows, state: reason === null ? 'done' : 'refused', reason }
  })
}

/** Brings the staged rows of trusted sources into the lots. */
async function take(load: Load, shares: SourceShare[], reason: string | null): Promise<LoadChanges> {
  const { sql, now, partial } = load
  const sources = shares.map(share => share.source)
  const wholeOffers = partial ? [] : shares.filter(share => share.live_rows > 0)
  await keepWhatIsBetter(sql)
  const new_sources = await addUnknownSources(sql, sources)
  const { lots_new, lots_changed } = await merge(load)
  const lots_withdrawn = await withdrawMissingLots(
    sql,
    wholeOffers.filter(share => share.has_open).map(share => share.source),
    now,
  )
  const lots_settled = await settleLots(sql, now)
  await finishLoad(sql, load.id, { now, reason, fetched: sources, baselines: wholeOffers })
  await tidyLots(sql, lots_new + lots_changed)
  return { lots_new, lots_changed, lots_withdrawn, lots_settled, new_sources }
}

async function merge({
  sql,
  id,
  now,
  onProgress,
}: Load): Promise<{ lots_new: number; lots_changed: number }> {
  const total = await countStaged(sql)
  let lots_new = 0
  let lots_changed = 0
  for (let after = 0; after < total; after += BATCH_ROWS) {
    const upTo = Math.min(total, after + BATCH_ROWS)
    const merged = await mergeBatch(sql, id, { after, upTo, now })
    lots_new += merged.lots_new
    lots_changed += merged.lots_changed
    if (isRound(after, upTo))
      onProgress(`Stored ${upTo.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} rows.`)
  }
  return { lots_new, lots_changed }
}

function isRound(before: number, after: number): boolean {
  return Math.floor(after / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS)
}
