import type { SweepHistory } from '../../domain/sweeps/nextSweepAt.ts'
import type { Sql } from '../postgres/database.ts'
import { asJson } from '../postgres/sql.ts'

/**
 * How a sweep ended: `refused` by the source or by us, `failed` by an error of
 * our own, `dropped` because we were stopped.
 */
interface SweepEnd {
  outcome: 'done' | 'refused' | 'failed' | 'dropped'
  reason: string | null
  /** The wait that the source requested (`Retry-After`). */
  retry_after_seconds?: number | null
  /**
   * When the publisher changed its data last, RFC 3339; null: what was known
   * stays.
   */
  changed_at?: string | null
}

/** A longer `Retry-After` counts as a week: 30 years are a mistake. */
const LONGEST_WAIT_SECONDS = 7 * 86_400

/**
 * Records an attempt before the source is fetched, as a failed one until it
 * ends well: it counts even when the process dies. The reason of the attempt
 * before it stays until this one ends.
 */
export async function beginSweep(sql: Sql, source: string): Promise<void> {
  await sql`
    insert into sweeps (source, last_attempt_at, failures)
    values (${source}, date_trunc('milliseconds', clock_timestamp()), 1)
    on conflict (source) do update set
      last_attempt_at = excluded.last_attempt_at, failures = sweeps.failures + 1, finished_at = null, outcome = null,
      wait_until = null`
}

export async function endSweep(
  sql: Sql,
  source: string,
  end: SweepEnd,
): Promise<void> {
  const { outcome, reason, retry_after_seconds = null, changed_at = null } = end
  const wait =
    retry_after_seconds === null
      ? null
      : Math.min(retry_after_seconds, LONGEST_WAIT_SECONDS)
  await sql`
    with told as (
      update sources
      set publisher_changed_at = coalesce(${changed_at}::timestamptz, publisher_changed_at)
      where source = ${source}
    )
    update sweeps
    set
      finished_at = clock_timestamp(), outcome = ${outcome}, reason = ${reason},
      failures = case when ${outcome === 'done'} then 0 else failures end,
      wait_until = clock_timestamp() + make_interval(secs => ${wait}::float8)
    where source = ${source}`
}

/**
 * A source with what its next sweep is planned from, and with the plan that was
 * published last.
 */
export interface PlannedFrom extends SweepHistory {
  source: string
  /** Whether an operator has tried it. */
  isTried: boolean
  publishedDueAt: Date | null
  publishedSeconds: number | null
  /** The clock of the database, which all processes share. */
  now: Date
}

/**
 * What the next sweeps of these sources are planned from, in their order. For
 * serving connections too: no arrays.
 */
export async function readSweepHistories(
  sql: Sql,
  sources: readonly string[],
): Promise<PlannedFrom[]> {
  return sql<PlannedFrom[]>`
    select
      wanted.source, s.tried_at is not null as "isTried",
      -- One that died or was stopped is made again at once, but not twice: the next waits as after any failure.
      -- An attempt or an end in the future is one of a clock that was ahead: it holds back no sweep.
      case
        when (coalesce(s.outcome, 'dropped') <> 'dropped' or s.failures > 1) and s.last_attempt_at <= now()
        then s.last_attempt_at
      end as "lastAttemptAt",
      coalesce(s.failures, 0) as failures, case when s.finished_at <= now() then s.wait_until end as "waitUntil",
      s.next_due_at as "publishedDueAt",
      s.interval_seconds as "publishedSeconds", now() as now,
      case when s.failures > 0 and s.outcome is distinct from 'dropped' then s.reason end as fault,
      (
        select min(l.ends_at)
        from lots l
        where l.source = wanted.source
        and l.is_open
        and l.ends_at > now()
        and l.ends_at < 'infinity'
      ) as "nextEndAt"
    from json_array_elements_text(${asJson(sources)}) with ordinality as wanted (source, place)
    left join sweeps s using (source)
    order by wanted.place`
}

/**
 * Records that an operator has read a source successfully: from now on it is
 * fetched.
 */
export async function markTried(sql: Sql, source: string): Promise<void> {
  await sql`
    insert into sweeps (source, tried_at)
    values (${source}, now())
    on conflict (source) do update set tried_at = coalesce(sweeps.tried_at, excluded.tried_at)`
}

/** Stores when each of these sources is due, and its interval in seconds. */
export async function storeDueTimes(
  sql: Sql,
  dues: { source: string; seconds: number; dueAt: Date }[],
): Promise<void> {
  await sql`
    insert into sweeps (source, interval_seconds, next_due_at)
    select source, seconds, "dueAt"
    from json_to_recordset(${asJson(dues)})
      as due (source text, seconds float8, "dueAt" timestamptz)
    on conflict (source) do update set
      interval_seconds = excluded.interval_seconds, next_due_at = excluded.next_due_at`
}
