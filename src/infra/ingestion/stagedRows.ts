import type { StagedLot } from '../../domain/feeds/stagedLot.ts'
import type { Sql } from '../database.ts'
import { columnNames } from './columnNames.ts'

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

/** Makes the temporary table that a file is read into; rows are numbered by `ordinal` from 1, as they come. */
export async function createStage(sql: Sql): Promise<void> {
  await sql`drop table if exists staged`
  await sql`
    create temporary table staged (
      ordinal integer generated always as identity,
      line integer not null,
      reason text,
      raw text,
      is_left_out boolean not null default false,
      is_old_news boolean not null default false,
      source text,
      source_id text,
      slug text,
      title text,
      description text,
      category text,
      item text,
      state text,
      city text,
      zip text,
      latitude float8,
      longitude float8,
      current_bid_cents bigint,
      buy_now_cents bigint,
      starting_bid_cents bigint,
      num_bids integer,
      condition_grade text,
      image_url text,
      source_url text,
      starts_at timestamptz,
      ends_at timestamptz,
      outcome text,
      is_open boolean,
      final_bid_cents bigint,
      price_basis text,
      sold_at timestamptz,
      title_words text,
      description_words text,
      search tsvector
    )`
}

/**
 * Adds rows to the stage. Not by COPY: through postgres.js 3.4.9 it is twice as fast (6 µs a row instead of 12), but an
 * error that Postgres reports after the last byte is never passed on, and the load would wait for ever.
 *
 * The search vectors of open lots are made here, while the next rows are read and checked; null where the stored lot has the same
 * words. By the id, because any other index could be the wrong one in a table that has no statistics yet.
 */
export async function stageRows(sql: Sql, rows: StagedRow[]): Promise<void> {
  await sql`
    insert into staged (line, reason, raw, slug, ${columnNames(sql, LOT_COLUMNS)}, search)
    select
      line, reason, raw, slug, ${columnNames(sql, LOT_COLUMNS)},
      case
        when is_open and not exists (
          select
          from lots
          where lots.id = lot_id(read.source, read.source_id)
          and lots.is_open
          and (lots.title, lots.description) is not distinct from (read.title, read.description)
        )
        then search_of_words(
          coalesce(title_words, searchable(title)),
          coalesce(description_words, searchable(coalesce(description, '')))
        )
      end
    from (select set_config('plan_cache_mode', 'auto', true)) as planning
    cross join json_populate_recordset(null::staged, ${JSON.stringify(rows)}::text::json) as read`
}

export async function dropStage(sql: Sql): Promise<void> {
  await sql`drop table if exists staged`
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
  await sql`create index on staged (ordinal)`
  await sql`analyze staged (ordinal, source, source_id, reason)`
  const { count } = await sql`
    update staged
    set is_left_out = true
    from (
      select ordinal, row_number() over (partition by source, source_id order by ends_at desc, ordinal desc) as place
      from staged
      join (
        select source, source_id
        from staged
        where reason is null
        group by source, source_id
        having count(*) > 1
      ) as repeated using (source, source_id)
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
