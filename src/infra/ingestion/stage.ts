import { UnusableFile } from '../../domain/feeds/badRow.ts'
import {
  LOT_COLUMNS,
  type LotRow,
  type StagedLot,
  sqlTypeOf,
} from '../../domain/feeds/lotRow.ts'
import { count } from '../../domain/format.ts'
import type { Report } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { asJson, type Fragment, firstValue, fragment } from '../postgres/sql.ts'

/**
 * One row of a file: a lot, or the reason why it is set aside (with its key,
 * where that is readable).
 */
export type StagedRow = { line: number } & (
  | (StagedLot & Pick<LotRow, 'unread'>)
  | { reason: string; raw: string; source?: string; source_id?: string }
)

/** The rows of one source in the file, each lot once. */
export interface SourceShare {
  source: string
  live_rows: number
  closed_rows: number
  /** Further rows of lots that the file names more than once. */
  repeated_rows: number
  /** Whether any of its lots is still open. */
  has_open: boolean
}

const PROGRESS_ROWS = 20_000
/** So many different values that could not be read are shown. */
const MOST_UNREAD = 20
const LOT_TYPES = LOT_COLUMNS.map(
  column => `${column} ${sqlTypeOf(column)}`,
).join(', ')
const STAGED_COLUMNS = [
  'ordinal',
  'line',
  'reason',
  'raw',
  'unread',
  ...LOT_COLUMNS,
] as const

/**
 * Reads all rows into the stage, a temporary table in which `ordinal` numbers
 * the rows from 1, each lot once. While the database stores some rows, the next
 * ones are read and checked.
 * @returns why the rows as a whole cannot be used, or null.
 */
export async function fillStage(
  sql: Sql,
  rows: AsyncIterable<StagedRow[]>,
  onProgress: Report,
): Promise<string | null> {
  await dropStage(sql)
  await sql`
    create temporary table staged (
      ordinal integer, line integer, reason text, raw text, unread text[], ${sql.unsafe(LOT_TYPES)},
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
      if (read % PROGRESS_ROWS < some.length)
        onProgress(`Read ${count(read, 'row')}.`)
    }
  } catch (error) {
    if (error instanceof UnusableFile) return error.message
    throw error
  } finally {
    await storing
  }
  if (read === 0) return 'There are no rows.'
  if (good === 0)
    return `None of the ${count(read, 'row')} can be used. Line ${firstBad!.line}: ${firstBad!.reason}`
  await sql`create index on staged (ordinal)`
  await sql`analyze staged (ordinal, source, source_id)`
  await setAsideSharedIds(sql)
  await leaveOutRepeats(sql)
  return null
}

/**
 * A session that was cut off and reconnected, without the load lock, has no
 * stage.
 */
export async function dropStage(sql: Sql): Promise<void> {
  await sql`drop table if exists pg_temp.staged`
}

/** Leaves no row in the stage. */
export async function emptyStage(sql: Sql): Promise<void> {
  await sql`truncate staged`
}

/**
 * Adds rows to the stage. Not by COPY: postgres.js 3.4.9 never reports an error
 * that PostgreSQL sends after the last byte, and the load would wait forever.
 * @param before how many rows of the file come before these.
 */
async function stageRows(sql: Sql, rows: StagedRow[], before: number) {
  // Changes the rows themselves: copying each took longer than writing it.
  const numbered = rows.map((row, n) =>
    Object.assign(row, { ordinal: before + n + 1 }),
  )
  await sql`
    insert into staged (${columnNames(STAGED_COLUMNS)})
    select ${columnNames(STAGED_COLUMNS)}
    from json_populate_recordset(null::staged, ${asJson(numbered)})`
}

/**
 * Sets aside the rows of different lots under one id, as a spreadsheet makes it
 * that rounds long numbers: rows that lead to different pages, or, where rows
 * of other ids lead to the same page, have different titles.
 */
async function setAsideSharedIds(sql: Sql) {
  await sql`
    with repeated as (
      select
        source, source_id, min(source_url) as source_url,
        min(source_url) < max(source_url) as has_pages, min(slug) < max(slug) as has_titles
      from staged
      where reason is null
      group by source, source_id
      having count(*) > 1
    ), shared_ids as (
      select source, source_id, count(*) as rows, (array_agg(line order by line))[1:20] as lines
      from repeated
      join staged using (source, source_id)
      where reason is null
      and (
        has_pages
        or has_titles and exists (
          select
          from staged as other
          where other.source = repeated.source
          and other.source_url = repeated.source_url
          and other.source_id <> repeated.source_id
          and other.reason is null
        )
      )
      group by source, source_id
    )
    update staged
    set
      reason = format(
        '%s rows that are different lots have the source_id %s (lines %s). Give each its own id.',
        rows, to_json(staged.source_id), array_to_string(lines, ', ')
      ),
      raw = json_build_object('source_id', staged.source_id, 'title', title, 'source_url', source_url)
    from shared_ids
    where (staged.source, staged.source_id) = (shared_ids.source, shared_ids.source_id)
    and reason is null`
}

/** Cells that could not be read, so that their lots lack a value. */
export interface UnreadCells {
  cells: number
  /**
   * Which value of which column: "price not read: To be determined
   * (starting_bid_cents)".
   */
  what: string
}

/** The cells of the stage that could not be read, the most frequent first. */
export async function unreadCells(sql: Sql): Promise<UnreadCells[]> {
  return sql<UnreadCells[]>`
    select count(*) as cells, what
    from staged
    cross join unnest(unread) as what
    where reason is null and not is_left_out
    group by what
    order by count(*) desc, what
    limit ${MOST_UNREAD}`
}

/**
 * How many rows of the stage do not say which lot they are of: the lots that no
 * row names may be theirs.
 */
export async function countUnnamed(sql: Sql): Promise<number> {
  const rows = await firstValue<number>(sql`
    select count(*) as rows
    from staged
    where source_id is null`)
  return rows!
}

/**
 * Leaves out all but one row of each lot: of several the one with the latest
 * end counts, and of those the last in the file, which is the newest in every
 * source that appends.
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
export async function sharesBySource(sql: Sql): Promise<SourceShare[]> {
  return sql<SourceShare[]>`
    select
      source, count(*) filter (where outcome is null and not is_left_out) as live_rows,
      count(outcome) filter (where not is_left_out) as closed_rows,
      count(*) filter (where is_left_out) as repeated_rows,
      bool_or(is_open and not is_left_out) as has_open
    from staged
    where reason is null
    group by source
    order by source`
}

/** Leaves out the rows of sources whose share of the file cannot be trusted. */
export async function leaveOutSources(
  sql: Sql,
  sources: string[],
): Promise<void> {
  await sql`
    update staged
    set is_left_out = true
    where source = any(${sources}) and reason is null`
}

/**
 * Column names as a list in SQL, qualified by a table where one is given. A
 * fragment of its own: directly in an `insert` or an `update`, postgres.js
 * would take the names for rows.
 */
export function columnNames(columns: readonly string[], table?: string) {
  return fragment`${fragment(table ? columns.map(column => `${table}.${column}`) : columns)}`
}

/** Columns in parentheses, for `set` and for comparing rows. */
export function rowOf(columns: readonly string[], table?: string): Fragment {
  return fragment`(${columnNames(columns, table)})`
}

/**
 * Whether a row of a table has other values in these columns than one of
 * another table.
 */
export function differIn(
  columns: readonly string[],
  table: string,
  other: string,
): Fragment {
  return fragment`${rowOf(columns, table)} is distinct from ${rowOf(columns, other)}`
}
