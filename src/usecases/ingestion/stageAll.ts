import type { Sql } from '../../infra/database.ts'
import { UnusableFile } from '../../infra/ingestion/feeds/unusableFile.ts'
import { createStage } from '../../infra/ingestion/stage.ts'
import { leaveOutRepeats, type StagedRow, stageRows } from '../../infra/ingestion/stagedRows.ts'

const PROGRESS_ROWS = 20_000

/**
 * Reads all rows into the stage, each lot once.
 * @returns why the rows as a whole cannot be used, or null.
 */
export async function stageAll(
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
      // While Postgres stores these, the next ones are read and checked.
      await storing
      storing = stageRows(sql, some)
      storing.catch(() => {})
      const bad = some.filter(row => 'reason' in row)
      firstBad ??= bad[0]
      good += some.length - bad.length
      const before = read
      read += some.length
      const isRound = Math.floor(read / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS)
      if (isRound) onProgress(`Read ${read.toLocaleString('en-US')} rows.`)
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
