import { LOT_COLUMNS, type StagedLot, sqlTypeOf } from '../../domain/feeds/lotRow.ts'
import type { Sql } from '../postgres/database.ts'

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

const STAGED_COLUMNS = ['ordinal', 'line', 'reason', 'raw', ...LOT_COLUMNS] as const

/**
 * Creates the temporary table that a file is read into; `ordinal` numbers the rows from 1. A session that was cut off and
 * reconnected, without the load lock, has no such table.
 */
export async function createStage(sql: Sql): Promise<void> {
  await dropStage(sql)
  await sql`
    create temporary table staged (
      ordinal integer,
      line integer,
      reason text,
      raw text,
      ${sql.unsafe(LOT_COLUMNS.map(column => `${column} ${sqlTypeOf(column)}`).join(', '))},
      is_left_out boolean not null default false,
      is_old_news boolean not null default false
    )`
}

export async function dropStage(sql: Sql): Promise<void> {
  await sql`drop table if exists pg_temp.staged`
}

/**
 * Adds rows to the stage. Not by COPY: postgres.js 3.4.9 never reports an error that PostgreSQL sends after the last byte, and the
 * load would wait forever.
 * @param before how many rows of the file come before these.
 */
export async function stageRows(sql: Sql, rows: StagedRow[], before: number): Promise<void> {
  // Changes the rows themselves: copying each took longer than writing it.
  const numbered = rows.map((row, n) => Object.assign(row, { ordinal: before + n + 1 }))
  await sql`
    insert into staged (${columnNames(sql, STAGED_COLUMNS)})
    select ${columnNames(sql, STAGED_COLUMNS)}
    from json_populate_recordset(null::staged, ${JSON.stringify(numbered)}::text::json)`
}

/** Prepares a filled stage for the statements that merge it. */
export async function indexStage(sql: Sql): Promise<void> {
  await sql`create index on staged (ordinal)`
  await sql`analyze staged (ordinal, source, source_id)`
}

export async function countStaged(sql: Sql): Promise<number> {
  const [found] = await sql<{ rows: number }[]>`select count(*) as rows from staged`
  return found!.rows
}

/**
 * Leaves out all but one row of each lot: of several the one with the latest end counts, and of those the last in the file, which is
 * the newest in every source that appends.
 */
export async function leaveOutRepeats(sql: Sql): Promise<void> {
  await sql`
    update staged
    set is_left_out = true
    from (
      select ordinal, row_number() over (partition by source, source_id order by ends_at desc, ordinal desc) as rank
      from staged
      where reason is null
    ) as ranked
    where ranked.ordinal = staged.ordinal
    and rank > 1`
}

/** What the file holds of each source. A live row is one without an outcome. */
export async function sharesBySource(sql: Sql): Promise<SourceShare[]> {
  return sql<SourceShare[]>`
    select
      source,
      count(*) filter (where outcome is null) as live_rows,
      count(*) filter (where outcome is not null) as closed_rows,
      bool_or(is_open) as has_open
    from staged
    where reason is null
    and not is_left_out
    group by source
    order by source`
}

/** Leaves out the rows of sources whose share of the file cannot be trusted. */
export async function leaveOutSources(sql: Sql, sources: string[]): Promise<void> {
  await sql`
    update staged
    set is_left_out = true
    where source = any(${sources})
    and reason is null`
}

/**
 * Column names as a list in SQL, qualified by a table where one is given. A fragment of its own: directly in an `insert` or an
 * `update`, postgres.js would take the names for rows.
 */
export function columnNames(sql: Sql, columns: readonly string[], table?: string) {
  return sql`${sql(table ? columns.map(column => `${table}.${column}`) : columns)}`
}
