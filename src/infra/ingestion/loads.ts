import type { SweepHistory } from '../../domain/sweeps/nextSweepAt.ts'
import { asJson, firstValue, onlyRow, type Sql } from '../postgres/sql.ts'
import { IS_MISSING, mayHaveEnded } from './closings.ts'

/** So many of the rows that were set aside are shown. */
const MOST_SHOWN = 20

/**
 * The figures of one load, and the first rows that were set aside, in the order
 * of the file.
 */
export interface LedgerEntry
  extends Record<'rows_read' | 'rows_taken' | 'rows_set_aside', number> {
  set_aside: { line: number; reason: string }[]
  /** The same by reason, the most frequent first. */
  set_aside_reasons: {
    rows: number
    first_line: number
    lines: string
    reason: string
  }[]
}

export async function beginLoad(
  sql: Sql,
  feed: string,
  now: Date,
): Promise<number> {
  const id = await firstValue<number>(sql`
    insert into loads (feed, started_at)
    values (${feed}, ${now.toISOString()})
    returning id`)
  return id!
}

const DIED =
  'The process ended before the load did. What it had taken stays; load the file again to complete it.'

/**
 * Closes the records of loads whose process died: no other load can be running
 * under the load lock. Their whole batches and set-aside rows stay; loading the
 * same file again completes them.
 */
export async function closeDeadLoads(
  sql: Sql,
  now: Date,
  reason = DIED,
): Promise<void> {
  await sql`
    update loads
    set state = 'refused', finished_at = ${now.toISOString()}, reason = ${reason}
    where state = 'running'`
}

/**
 * What the next load of the open dataset is planned from. A load whose process
 * died is no attempt: it starts again at once.
 * @returns also when the last good load began, null before it, and the clock of
 * the database.
 */
export async function readPricesHistory(
  sql: Sql,
): Promise<SweepHistory & { goodAt: Date | null; now: Date }> {
  return onlyRow(sql`
    with attempts as (
      select started_at, state, reason
      from loads
      where feed = 'open-data' and state <> 'running' and reason is distinct from ${DIED}
      -- Its moment is of the process that loaded; a clock may be ahead, but not by a day.
      and started_at < now() + interval '1 day'
    ), good as (
      select max(started_at) as at
      from attempts
      where state = 'done'
    )
    select
      now() as now, at as "goodAt", null as "waitUntil", null as "nextEndAt",
      (select max(started_at) from attempts) as "lastAttemptAt",
      (select reason from attempts order by started_at desc limit 1) as fault,
      (select count(*) from attempts where started_at > coalesce(at, '-infinity')) as failures
    from good`)
}

/**
 * How many live rows of a source a file should hold, going by the last good
 * load of that source.
 */
export interface Expectation {
  source: string
  /** Live rows of the last good load. */
  last_live_rows: number
  /**
   * Lots of the source whose end has come since, or that may have ended and are
   * not in the file.
   */
  ended_since: number
}

/**
 * What to expect of the staged rows of each of these sources, by its last good
 * load. A source without one is not in the result.
 */
export async function expectationsOf(
  sql: Sql,
  sources: string[],
  now: Date,
): Promise<Expectation[]> {
  const moment = now.toISOString()
  return sql<Expectation[]>`
    select
      source, last_live_rows,
      (
        select count(*)
        from lots
        where lots.source = sources.source
        and ends_at > loads.finished_at
        -- The last load lacked these already.
        and not exists (select from missed_lots where lot_id = lots.id)
        and (ends_at <= ${moment} or (is_open and ${mayHaveEnded(now)} and ${IS_MISSING}))
      ) as ended_since
    from sources
    join loads on loads.id = last_load_id
    where source = any(${sources})`
}

/** Adds sources for untracked keys. @returns those keys. */
export async function addUnknownSources(
  sql: Sql,
  keys: string[],
): Promise<string[]> {
  const added = await sql<{ source: string }[]>`
    insert into sources (source, name, access)
    select key, key, 'operator_file'
    from unnest(${keys}::text[]) as key
    on conflict (source) do nothing
    returning source`
  return added.map(row => row.source).sort()
}

/**
 * Ends the record of a good load and marks its sources as fetched, in one
 * statement; the open dataset has past sales of them alone, and comes from
 * somebody else.
 * @param end `offers`: the sources, each with the live rows of its whole offer,
 * with which the next load is compared; 0 leaves that as it was.
 */
export async function finishLoad(
  sql: Sql,
  loadId: number,
  end: {
    now: Date
    reason: string | null
    offers: { source: string; live_rows: number }[]
  },
): Promise<void> {
  const finishedAt = end.now.toISOString()
  await sql`
    with ledger as (
      update loads
      set state = 'done', finished_at = ${finishedAt}, reason = ${end.reason}
      where id = ${loadId}
      returning feed
    )
    update sources
    set
      last_success_at = ${finishedAt},
      last_load_id = case when live_rows > 0 then ${loadId} else last_load_id end,
      last_live_rows = coalesce(nullif(live_rows, 0), last_live_rows)
    from json_to_recordset(${asJson(end.offers)}) as offer (source text, live_rows integer), ledger
    where sources.source = offer.source
    and feed <> 'open-data'`
}

/**
 * Ends the record of a file that is refused as a whole: its set-aside rows are
 * kept, so that the file can be fixed.
 */
export async function refuseLoad(
  sql: Sql,
  loadId: number,
  reason: string,
  now: Date,
): Promise<void> {
  await sql`
    with set_aside as (
      insert into set_aside_rows (load_id, line, reason, raw)
      select ${loadId}, line, reason, raw
      from staged
      where reason is not null
    )
    update loads
    set
      state = 'refused', finished_at = ${now.toISOString()}, reason = ${reason},
      rows_read = (select count(*) from staged), rows_set_aside = (select count(reason) from staged)
    where id = ${loadId}`
}

export async function readLoad(sql: Sql, loadId: number): Promise<LedgerEntry> {
  return onlyRow(sql`
    select
      rows_read, rows_taken, rows_set_aside,
      to_json(array(
        select json_build_object('line', line, 'reason', reason)
        from set_aside_rows
        where load_id = ${loadId}
        order by line
        limit ${MOST_SHOWN}
      )) as set_aside,
      to_json(array(
        select json_build_object(
          'rows', count(*), 'first_line', min(line),
          'lines', array_to_string((array_agg(line order by line))[1:10], ', '), 'reason', reason
        )
        from set_aside_rows
        where load_id = ${loadId}
        group by reason
        order by count(*) desc, min(line)
        limit ${MOST_SHOWN}
      )) as set_aside_reasons
    from loads
    where id = ${loadId}`)
}

/**
 * Updates the statistics of the planner and the visibility map after a load. A
 * vacuum pays only after a big load, and an analyze (1.3 s at 1.2 million lots)
 * only after a change of more than 2 %.
 */
export async function tidyLots(sql: Sql, changedRows: number): Promise<void> {
  if (changedRows > 10_000) await sql`vacuum (analyze) lots`
  else if (changedRows > 0) {
    const many =
      await sql`select from pg_class where oid = 'lots'::regclass and ${changedRows} > 0.02 * reltuples`
    if (many.length > 0) await analyzeLots(sql)
  }
}

/**
 * Updates the statistics of the planner, which nobody else does where
 * autovacuum is off.
 */
export async function analyzeLots(sql: Sql): Promise<void> {
  await sql`analyze lots, lot_changes`
}
