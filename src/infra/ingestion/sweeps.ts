import type { SweepHistory } from '../../domain/sweeps/nextSweepAt.ts'
import type { Sql } from '../postgres/database.ts'

/** How a sweep ended: `refused` by the source or by us, `failed` by an error of our own, `dropped` because we were stopped. */
interface SweepEnd {
  outcome: 'done' | 'refused' | 'failed' | 'dropped'
  reason: string | null
  /** Absent when nothing was loaded: those of the last load stay. */
  rows_taken?: number | undefined
  rows_set_aside?: number | undefined
  /** The wait that the source requested (`Retry-After`). */
  retry_after_seconds?: number | null
}

/** A longer `Retry-After` counts as a week: 30 years are a mistake. */
const LONGEST_WAIT_SECONDS = 7 * 86_400

/**
 * Records an attempt before the source is fetched, so that it counts even when the process dies. An attempt that never ended
 * counts as a failure.
 */
export async function beginSweep(sql: Sql, source: string): Promise<void> {
  await sql`
    insert into sweeps (source, last_attempt_at)
    values (${source}, date_trunc('milliseconds', clock_timestamp()))
    on conflict (source) do update set
      last_attempt_at = excluded.last_attempt_at,
      failures = sweeps.failures + (sweeps.last_attempt_at is not null and sweeps.outcome is null)::integer,
      finished_at = null,
      outcome = null,
      reason = null,
      wait_until = null`
}

export async function endSweep(sql: Sql, source: string, end: SweepEnd): Promise<void> {
  const { outcome, reason, rows_taken = null, rows_set_aside = null, retry_after_seconds = null } = end
  const wait = retry_after_seconds === null ? null : Math.min(retry_after_seconds, LONGEST_WAIT_SECONDS)
  await sql`
    update sweeps
    set
      finished_at = clock_timestamp(),
      outcome = ${outcome},
      reason = ${reason},
      rows_taken = coalesce(${rows_taken}::integer, rows_taken),
      rows_set_aside = coalesce(${rows_set_aside}::integer, rows_set_aside),
      failures = case ${outcome}::text when 'done' then 0 when 'dropped' then failures else failures + 1 end,
      wait_until = clock_timestamp() + make_interval(secs => ${wait}::float8)
    where source = ${source}`
}

/** A source with what its next sweep is planned from, and with the plan that was published last. */
export interface PlannedFrom extends SweepHistory {
  source: string
  /** Whether an operator has tried it. */
  isTried: boolean
  publishedDueAt: Date | null
  publishedSeconds: number | null
  /** The clock of the database, which all processes share. */
  now: Date
}

/** What the next sweeps of these sources are planned from. A sweep that was dropped is one to repeat. For serving connections too: no arrays. */
export async function readSweepHistories(sql: Sql, sources: readonly string[]): Promise<PlannedFrom[]> {
  return sql<PlannedFrom[]>`
    select
      wanted.source,
      s.tried_at is not null as "isTried",
      s.last_attempt_at as "lastAttemptAt",
      case
        when s.last_attempt_at is null then 0
        when s.outcome is null then s.failures + 1
        when s.outcome = 'dropped' then greatest(s.failures, 1)
        else s.failures
      end as failures,
      s.wait_until as "waitUntil",
      s.next_due_at as "publishedDueAt",
      s.interval_seconds as "publishedSeconds",
      (
        select l.ends_at
        from lots l
        where l.source = wanted.source
        and l.is_open
        and l.ends_at > now()
        and l.ends_at < 'infinity'
        order by l.ends_at
        limit 1
      ) as "nextEndAt",
      now() as now
    from json_array_elements_text(${JSON.stringify(sources)}::text::json) as wanted (source)
    left join sweeps s using (source)`
}

/** Records that an operator has read a source successfully: from now on it is fetched. */
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
    from json_to_recordset(${JSON.stringify(dues)}::text::json)
      as due (source text, seconds float8, "dueAt" timestamptz)
    on conflict (source) do update set
      interval_seconds = excluded.interval_seconds,
      next_due_at = excluded.next_due_at`
}
