import type { Sql } from '../postgres/database.ts'

/** What a row of a file brings, and its type in SQL. */
export const STAGED_COLUMNS = [
  ['ordinal', 'integer'],
  ['line', 'integer'],
  ['reason', 'text'],
  ['raw', 'text'],
  ['source', 'text'],
  ['source_id', 'text'],
  ['slug', 'text'],
  ['title', 'text'],
  ['description', 'text'],
  ['category', 'text'],
  ['item', 'text'],
  ['state', 'text'],
  ['city', 'text'],
  ['zip', 'text'],
  ['latitude', 'float8'],
  ['longitude', 'float8'],
  ['current_bid_cents', 'bigint'],
  ['buy_now_cents', 'bigint'],
  ['starting_bid_cents', 'bigint'],
  ['num_bids', 'integer'],
  ['condition_grade', 'text'],
  ['image_url', 'text'],
  ['source_url', 'text'],
  ['starts_at', 'timestamptz'],
  ['ends_at', 'timestamptz'],
  ['outcome', 'text'],
  ['is_open', 'boolean'],
  ['final_bid_cents', 'bigint'],
  ['price_basis', 'text'],
  ['sold_at', 'timestamptz'],
  ['title_words', 'text'],
  ['description_words', 'text'],
] as const

/**
 * Makes the table that a file is read into; rows are numbered by `ordinal` from 1, as they come. Two sessions fill and merge it, so it is no
 * temporary one, but it is not in the log either, and a session sees it as `staged` only once it is told to: one that was cut
 * off and came back, without the lock of a load, finds nothing.
 */
export async function createStage(sql: Sql): Promise<void> {
  await dropStage(sql)
  await sql`
    create unlogged table load_stage (
      is_left_out boolean not null default false,
      is_old_news boolean not null default false,
      has_twins boolean not null default false,
      is_new boolean not null,
      id uuid,
      likeness uuid,
      vehicle uuid,
      search tsvector,
      ${columns(sql)}
    ) with (autovacuum_enabled = false)`
  await showStage(sql)
}

/** Lets a session see the stage as `staged`, and write `feed_row`s into it. */
export async function showStage(sql: Sql): Promise<void> {
  await sql`create type pg_temp.feed_row as (${columns(sql)})`
  await sql`create temporary view staged as select * from load_stage`
}

/** Takes the stage away from all sessions, also one that a dead load has left. */
export async function dropStage(sql: Sql): Promise<void> {
  await sql`drop table if exists load_stage cascade`
  await sql`drop type if exists pg_temp.feed_row`
}

function columns(sql: Sql) {
  return sql.unsafe(STAGED_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', '))
}
