import { UnusableFile } from '../../domain/feeds/badRow.ts'
import { LOT_COLUMNS, type StagedLot, sqlTypeOf } from '../../domain/feeds/lotRow.ts'
import { formatNumber } from '../../domain/format.ts'
import type { Report } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { asJson, fragment } from '../postgres/sql.ts'

/** One row of a file: a lot, or the reason why it is set aside (with its key, where that is readable). */
export type StagedRow = { line: number } & (
  | StagedLot
  | { reason: string; raw: string; source?: string; source_id?: string }
)

/** The rows of one source in the file, each lot once. */
export interface SourceShare {
  source: string
  live_rows: number
  closed_rows: number
  /** Whether any of its lots is still open. */
  has_open: boolean
}

const PROGRESS_ROWS = 20_000
const LOT_TYPES = LOT_COLUMNS.map(column => `${column} ${sqlTypeOf(column)}`).join(', ')
const STAGED_COLUMNS = ['ordinal', 'line', 'reason', 'raw', ...LOT_COLUMNS] as const

/**
 * Reads all rows into the stage, a temporary table in which `ordinal` numbers the rows from 1, each lot once. While the database stores some rows, the next ones are read and checked.
 * @returns why the rows as a whole cannot be used, or null.
 */
export async function fillStage(sql: Sql, rows: AsyncIterable<StagedRow[]>, onProgress: Report) {
  await dropStage(sql)
  await sql`
    create temporary table staged (
      ordinal integer, line integer, reason text, raw text, ${sql.unsafe(LOT_TYPES)},
      is_left_out boolean not null default false, is_old_news boolean not null default false
    )`
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
      read += some.length
      if (read % PROGRESS_ROWS < some.length) onProgress(`Read ${formatNumber(read)} rows.`)
    }
  } catch (error) {
    if (error instanceof UnusableFile) return error.message
    throw error
  } finally {
    await storing
  }
  if (read === 0) return 'There are no rows.'
  if (good === 0) return `None of the ${read} rows can be used. Line ${firstBad!.line}: ${firstBad!.reason}`
  await sql`create index on staged (ordinal)`
  await sql`analyze staged (ordinal, source, source_id)`
  await leaveOutRepeats(sql)
  return null
}

/** A session that was cut off and reconnected, without the load lock, has no stage. */
export async function dropStage(sql: Sql) {
  await sql`drop table if exists pg_temp.staged`
}

/** Leaves no row in the stage. */
export async function emptyStage(sql: Sql) {
  await sql`truncate staged`
}

/**
 * Adds rows to the stage. Not by COPY: postgres.js 3.4.9 never reports an error that PostgreSQL sends after the last byte, and the
 * load would wait forever.
 * @param before how many rows of the file come before these.
 */
async function stageRows(sql: Sql, rows: StagedRow[], before: number) {
  // Changes the rows themselves: copying each took longer than writing it.
  const numbered = rows.map((row, n) => Object.assign(row, { ordinal: before + n + 1 }))
  await sql`
    insert into staged (${columnNames(STAGED_COLUMNS)})
    select ${columnNames(STAGED_COLUMNS)}
    from json_populate_recordset(null::staged, ${asJson(numbered)})`
}

/**
 * Leaves out all but one row of each lot: of several the one with the latest end counts, and of those the last in the file, which is
 * the newest in every source that appends.
 */
async function leaveOutRepeats(sql: Sql) {
  await sql`
    update staged
    set is_left_out = true
    from (
      select ordinal, row_number() over (partition by source, source_id order by ends_at desc, ordinal desc) as rank
      from staged
      where reason is null
    ) as ranked
    where ranked.ordinal = staged.ordinal and rank > 1`
}

/** What the file holds of each source. A live row is one without an outcome. */
export async function sharesBySource(sql: Sql) {
  return sql<SourceShare[]>`
    select
      source, count(*) - count(outcome) as live_rows, count(outcome) as closed_rows, bool_or(is_open) as has_open
    from staged
    where reason is null and not is_left_out
    group by source
    order by source`
}

/** Leaves out the rows of sources whose share of the file cannot be trusted. */
export async function leaveOutSources(sql: Sql, sources: string[]) {
  await sql`
    update staged
    set is_left_out = true
    where source = any(${sources}) and reason is null`
}

/**
 * Column names as a list in SQL, qualified by a table where one is given. A fragment of its own: directly in an `insert` or an
 * `update`, postgres.js would take the names for rows.
 */
export function columnNames(columns: readonly string[], table?: string) {
  return fragment`${fragment(table ? columns.map(column => `${table}.${column}`) : columns)}`
}

/** Columns in parentheses, for `set` and for comparing rows. */
export function rowOf(columns: readonly string[], table?: string) {
  return fragment`(${columnNames(columns, table)})`
}

/** Whether a row of a table has other values in these columns than one of another table. */
export function differIn(columns: readonly string[], table: string, other: string) {
  return fragment`${rowOf(columns, table)} is distinct from ${rowOf(columns, other)}`
}
