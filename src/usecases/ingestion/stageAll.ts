import { UnusableFile } from '../../domain/feeds/badRow.ts'
import { allEnd } from '../../infra/allEnd.ts'
import { type Sessions, withHelper } from '../../infra/ingestion/helper.ts'
import { createStage } from '../../infra/ingestion/stage.ts'
import { leaveOutRepeats, type StagedRow, stageRows } from '../../infra/ingestion/stagedRows.ts'
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
export async function stageAll(
  sql: Sql,
  rows: AsyncIterable<StagedRow[]>,
  onProgress: (message: string) => void,
): Promise<string | null> {
  await createStage(sql)
  const read: Read = { rows: 0, good: 0, firstBad: undefined }
  try {
    await withHelper(sql, sessions => readAll(sessions, rows, read, onProgress))
  } catch (error) {
    if (error instanceof UnusableFile) return error.message
    throw error
  }
  const { good, firstBad } = read
  if (firstBad && good === 0)
    return `None of the ${read.rows} rows can be used. Line ${firstBad.line}: ${firstBad.reason}`
  if (good === 0) return 'There are no rows.'
  await leaveOutRepeats(sql)
  return null
}

/** While the sessions store some rows, in turns, the next ones are read and checked. */
async function readAll(
  sessions: Sessions,
  rows: AsyncIterable<StagedRow[]>,
  read: Read,
  onProgress: (message: string) => void,
): Promise<void> {
  const storing = sessions.map(() => Promise.resolve())
  let turn = 0
  try {
    for await (const some of rows) {
      await storing[turn]
      storing[turn] = stageRows(sessions[turn]!, some, read.rows)
      storing[turn]!.catch(() => {})
      turn = (turn + 1) % sessions.length
      count(read, some, onProgress)
    }
  } finally {
    await allEnd(storing)
  }
}

function count(read: Read, some: StagedRow[], onProgress: (message: string) => void): void {
  const bad = some.filter(row => 'reason' in row)
  read.firstBad ??= bad[0]
  read.good += some.length - bad.length
  const before = read.rows
  read.rows += some.length
  const isRound = Math.floor(read.rows / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS)
  if (isRound) onProgress(`Read ${read.rows.toLocaleString('en-US')} rows.`)
}
