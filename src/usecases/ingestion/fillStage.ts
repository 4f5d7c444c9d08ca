import { UnusableFile } from '../../domain/feeds/badRow.ts'
import { formatNumber } from '../../domain/format.ts'
import {
  createStage,
  indexStage,
  leaveOutRepeats,
  type StagedRow,
  stageRows,
} from '../../infra/ingestion/stage.ts'
import type { Sql } from '../../infra/postgres/database.ts'

const PROGRESS_ROWS = 20_000

/**
 * Reads all rows into the stage, each lot once. While the database stores some rows, the next ones are read and checked.
 * @returns why the rows as a whole cannot be used, or null.
 */
export async function fillStage(
  sql: Sql,
  rows: AsyncIterable<StagedRow[]>,
  onProgress: (message: string) => void,
): Promise<string | null> {
  await createStage(sql)
  let read = 0
  let good = 0
  let firstBad: { line: number; reason: string } | undefined
  let storing = Promise.resolve()
  try {
    for await (const some of rows) {
      await storing
      storing = stageRows(sql, some, read)
      storing.catch(() => {})
      const bad = some.filter(row => 'reason' in row)
      firstBad ??= bad[0]
      good += some.length - bad.length
      const isReported = (read % PROGRESS_ROWS) + some.length >= PROGRESS_ROWS
      read += some.length
      if (isReported) onProgress(`Read ${formatNumber(read)} rows.`)
    }
  } catch (error) {
    if (error instanceof UnusableFile) return error.message
    throw error
  } finally {
    await storing
  }
  if (firstBad && good === 0)
    return `None of the ${read} rows can be used. Line ${firstBad.line}: ${firstBad.reason}`
  if (good === 0) return 'There are no rows.'
  await indexStage(sql)
  await leaveOutRepeats(sql)
  return null
}
