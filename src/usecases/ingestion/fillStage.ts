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

interface Read {
  rows: number
  good: number
  firstBad: { line: number; reason: string } | undefined
}

const PROGRESS_ROWS = 20_000

/**
 * Reads all rows into the stage, each lot once.
 * @returns why the rows as a whole cannot be used, or null.
 */
export async function fillStage(
  sql: Sql,
  rows: AsyncIterable<StagedRow[]>,
  onProgress: (message: string) => void,
): Promise<string | null> {
  await createStage(sql)
  const read: Read = { rows: 0, good: 0, firstBad: undefined }
  try {
    await readAll(sql, rows, read, onProgress)
  } catch (error) {
    if (error instanceof UnusableFile) return error.message
    throw error
  }
  const { good, firstBad } = read
  if (firstBad && good === 0)
    return `None of the ${read.rows} rows can be used. Line ${firstBad.line}: ${firstBad.reason}`
  if (good === 0) return 'There are no rows.'
  await indexStage(sql)
  await leaveOutRepeats(sql)
  return null
}

/** While the database stores some rows, the next ones are read and checked. */
async function readAll(
  sql: Sql,
  rows: AsyncIterable<StagedRow[]>,
  read: Read,
  onProgress: (message: string) => void,
): Promise<void> {
  let storing = Promise.resolve()
  try {
    for await (const some of rows) {
      await storing
      storing = stageRows(sql, some, read.rows)
      storing.catch(() => {})
      count(read, some, onProgress)
    }
  } finally {
    await storing
  }
}

function count(read: Read, some: StagedRow[], onProgress: (message: string) => void): void {
  const bad = some.filter(row => 'reason' in row)
  read.firstBad ??= bad[0]
  read.good += some.length - bad.length
  const before = read.rows
  read.rows += some.length
  const isRound = Math.floor(read.rows / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS)
  if (isRound) onProgress(`Read ${formatNumber(read.rows)} rows.`)
}
