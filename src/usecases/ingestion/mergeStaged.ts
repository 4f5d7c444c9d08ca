import { allEnd } from '../../infra/allEnd.ts'
import { type Sessions, withHelper } from '../../infra/ingestion/helper.ts'
import { holdsLots } from '../../infra/ingestion/loads.ts'
import { restoreSearchIndexes, setSearchIndexesAside } from '../../infra/ingestion/searchIndexes.ts'
import { type Batch, type MergedBatch, mergeBatch } from '../../infra/ingestion/stagedMerge.ts'
import { countStaged } from '../../infra/ingestion/stagedRows.ts'
import { endsOfTwinBatches, markTwins, tellSlugsApart } from '../../infra/ingestion/stagedTwins.ts'
import type { Sql } from '../../infra/postgres/database.ts'

interface Merge {
  sql: Sql
  /** Of the load. */
  id: number
  now: Date
  onProgress(message: string): void
}

const BATCH_ROWS = 5000
const PROGRESS_ROWS = 20_000
const ROWS_WORTH_NEW_INDEXES = 20_000

/**
 * Merges the whole stage, in batches, by two sessions where there is more than one. Rows whose duplicates may be of other sources
 * are merged by the first session alone, one batch after the other.
 */
export async function mergeStaged(merge: Merge): Promise<MergedBatch> {
  const { sql } = merge
  const rows = await countStaged(sql)
  await tellSlugsApart(sql)
  await markTwins(sql)
  if (rows <= BATCH_ROWS) return mergeRows([sql], merge, rows)
  return withHelper(sql, async sessions => {
    if (rows < ROWS_WORTH_NEW_INDEXES || (await holdsLots(sql))) return mergeRows(sessions, merge, rows)
    return withoutSearchIndexes(sessions, merge, () => mergeRows(sessions, merge, rows))
  })
}

/** A first load, into an empty table, makes the indexes of the searches when its rows are in. */
async function withoutSearchIndexes<Result>(
  sessions: Sessions,
  { sql, onProgress }: Merge,
  work: () => Promise<Result>,
): Promise<Result> {
  await setSearchIndexesAside(sql)
  try {
    return await work()
  } finally {
    onProgress('Indexing what was stored.')
    await restoreSearchIndexes(...sessions)
  }
}

async function mergeRows(
  sessions: Sessions,
  { sql, id, now, onProgress }: Merge,
  rows: number,
): Promise<MergedBatch> {
  const merged: MergedBatch = { lots_new: 0, lots_changed: 0 }
  const twins = await batchesWithTwins(sql)
  const others = batchesWithoutTwins(rows)
  await allEnd(
    sessions.map(async session => {
      if (session === sql) for (const batch of twins) await take(session, batch)
      // Whoever is free takes the next one; one that fails ends them for all.
      for (const batch of others) await take(session, batch)
    }),
  )
  return merged

  async function take(session: Sql, batch: Batch): Promise<void> {
    const { lots_new, lots_changed } = await mergeBatch(session, id, batch, now)
    merged.lots_new += lots_new
    merged.lots_changed += lots_changed
    if (!batch.hasTwins && batch.upTo % PROGRESS_ROWS === 0)
      onProgress(`Stored ${batch.upTo.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows.`)
  }
}

async function batchesWithTwins(sql: Sql): Promise<Batch[]> {
  const ends = await endsOfTwinBatches(sql, BATCH_ROWS)
  return ends.map((upTo, n) => ({ after: ends[n - 1] ?? 0, upTo, hasTwins: true }))
}

function* batchesWithoutTwins(rows: number): Generator<Batch> {
  for (let after = 0; after < rows; after += BATCH_ROWS)
    yield { after, upTo: Math.min(rows, after + BATCH_ROWS), hasTwins: false }
}
