import { formatNumber } from '../../domain/format.ts'
import { dropSearchIndexes, holdsLots, restoreSearchIndexes } from '../../infra/ingestion/loads.ts'
import { type MergedBatch, mergeBatch } from '../../infra/ingestion/merge.ts'
import { countStaged } from '../../infra/ingestion/stage.ts'
import type { Sql } from '../../infra/postgres/database.ts'

interface Load {
  sql: Sql
  id: number
  now: Date
  onProgress(message: string): void
}

const BATCH_ROWS = 5000
const PROGRESS_ROWS = 20_000
const ROWS_WORTH_NEW_INDEXES = 20_000

/**
 * Merges the whole stage into the lots, in batches. A first load, into an empty table, creates the indexes of the searches after its
 * rows, which takes half the time.
 */
export async function mergeStage(load: Load): Promise<MergedBatch> {
  const { sql, onProgress } = load
  const rows = await countStaged(sql)
  if (rows < ROWS_WORTH_NEW_INDEXES || (await holdsLots(sql))) return mergeBatches(load, rows)
  await dropSearchIndexes(sql)
  try {
    return await mergeBatches(load, rows)
  } finally {
    onProgress('Indexing what was stored.')
    await restoreSearchIndexes(sql)
  }
}

async function mergeBatches({ sql, id, now, onProgress }: Load, rows: number): Promise<MergedBatch> {
  const merged: MergedBatch = { lots_new: 0, lots_changed: 0 }
  for (let after = 0; after < rows; after += BATCH_ROWS) {
    const upTo = Math.min(rows, after + BATCH_ROWS)
    const { lots_new, lots_changed } = await mergeBatch(sql, id, { after, upTo }, now)
    merged.lots_new += lots_new
    merged.lots_changed += lots_changed
    if (upTo % PROGRESS_ROWS === 0) onProgress(`Stored ${formatNumber(upTo)} of ${formatNumber(rows)} rows.`)
  }
  return merged
}
