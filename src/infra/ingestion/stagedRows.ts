import type { StagedLot } from '../../domain/feeds/stagedLot.ts'
import type { Sql } from '../postgres/database.ts'
import { columnNames } from './columnNames.ts'
import { type Field, rowLiterals } from './rowLiterals.ts'
import { STAGED_COLUMNS } from './stage.ts'

/** The columns of `lots` that a load fills, in the order of the table; the slug apart, because it is only filled once. */
export const LOT_COLUMNS = [
  'source',
  'source_id',
  'title',
  'description',
  'category',
  'item',
  'state',
  'city',
  'zip',
  'latitude',
  'longitude',
  'current_bid_cents',
  'buy_now_cents',
  'starting_bid_cents',
  'num_bids',
  'condition_grade',
  'image_url',
  'source_url',
  'starts_at',
  'ends_at',
  'outcome',
  'is_open',
  'final_bid_cents',
  'price_basis',
  'sold_at',
] as const satisfies readonly (keyof StagedLot)[]

/** One row of a file on its way in: a lot, or the reason why it is set aside (with its key, where that is readable). */
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

/**
 * Adds rows to the stage. Not by COPY: through postgres.js 3.4.9 an error that Postgres reports after the last byte is never passed
 * on, and the load would wait for ever.
 *
 * Whatever takes the database long is done here, while the next rows are read and checked: which stored lot it is, whether another lot
 * has its slug, what its duplicates would have, and the search vector of an open lot; null where the stored lot has the same words.
 * The lot is found by its id, because any other index could be the wrong one in a table that has no statistics yet.
 * @param before how many rows of the file come before these.
 */
export async function stageRows(sql: Sql, rows: StagedRow[], before: number): Promise<void> {
  const literals = rowLiterals(rows.map((row, n) => fieldsOf(row, before + n + 1)))
  await sql`
    insert into staged (
      ordinal, line, reason, raw, slug, ${columnNames(sql, LOT_COLUMNS)}, search, is_new, id, likeness, vehicle
    )
    select
      read.ordinal,
      read.line,
      read.reason,
      read.raw,
      case
        when lots.id is null and exists (select from lots as other where other.slug = read.slug)
        then slug_apart(read.slug, read.source, read.source_id)
        else read.slug
      end,
      ${columnNames(sql, LOT_COLUMNS, 'read')},
      case
        when read.is_open
          and (lots.is_open and (lots.title, lots.description) is not distinct from (read.title, read.description)) is not true
        then search_of_words(
          coalesce(read.title_words, searchable(read.title)),
          coalesce(read.description_words, searchable(coalesce(read.description, '')))
        )
      end,
      lots.id is null,
      read.id,
      lot_likeness(read.title, read.state, read.ends_at),
      vehicle_mark(read.title || ' ' || coalesce(read.description, ''), read.ends_at)
    from (select set_config('plan_cache_mode', 'auto', true)) as planning
    cross join lateral (
      select *, lot_id(source, source_id) as id
      from unnest(${literals}::text::pg_temp.feed_row[])
      offset 0
    ) as read
    left join lots on lots.id = read.id`
}

function fieldsOf(row: StagedRow, ordinal: number): Field[] {
  const fields: Partial<Record<(typeof STAGED_COLUMNS)[number][0], Field>> = row
  return STAGED_COLUMNS.map(([name]) => (name === 'ordinal' ? ordinal : fields[name]))
}

/** The highest ordinal. */
export async function countStaged(sql: Sql): Promise<number> {
  const [found] = await sql<{ rows: number }[]>`select coalesce(max(ordinal), 0) as rows from staged`
  return found!.rows
}

/**
 * Leaves out all but one row of each lot: identical rows count once; of different ones the one with the latest end
 * stands, and of those the last in the file, which is the newest in every source that appends.
 */
export async function leaveOutRepeats(sql: Sql): Promise<number> {
  await sql`create index on load_stage (ordinal)`
  await sql`analyze load_stage (ordinal, id, is_new)`
  const { count } = await sql`
    update staged
    set is_left_out = true
    from (
      select ordinal, row_number() over (partition by id order by ends_at desc, ordinal desc) as place
      from staged
      join (
        select id
        from staged
        where reason is null
        group by id
        having count(*) > 1
      ) as repeated using (id)
      where reason is null
    ) as ranked
    where ranked.ordinal = staged.ordinal
    and place > 1`
  return count
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
