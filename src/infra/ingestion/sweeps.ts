import type { SweepBudget, SweepHistory } from '../../domain/sweeps/nextSweepAt.ts'
import type { CountedCall } from '../fetching/hops.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { Sql } from '../postgres/database.ts'

/** How a sweep ended: `refused` by the source or by us, `failed` by an error of our own, `dropped` because we were stopped. */
interface SweepEnd {
  outcome: 'done' | 'refused' | 'failed' | 'dropped'
  reason: string | null
  rows_taken?: number
  rows_set_aside?: number
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
      rows_taken = null,
      rows_set_aside = null,
      calls = 0,
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
      rows_taken = ${rows_taken},
      rows_set_aside = ${rows_set_aside},
      failures = case ${outcome}::text when 'done' then 0 when 'dropped' then failures else failures + 1 end,
      wait_until = clock_timestamp() + make_interval(secs => ${wait}::float8)
    where source = ${source}`
}

export interface PlannedFrom extends SweepHistory {
  source: string
  /** The requests of 24 hours, and their bytes, with the limits that the last request applied. */
  calls: number
  bytes: number
  mostCalls: number | null
  mostBytes: number | null
  publishedDueAt: Date | null
  publishedSeconds: number | null
  /** The clock of the database, which all processes share. */
  now: Date
}

/** What the next sweeps of these sources are planned from. A sweep that was dropped is one to repeat. For serving connections too: no arrays. */
export async function readSweepHistories(sql: Sql, sources: readonly string[]): Promise<PlannedFrom[]> {
  const histories = await sql<
    (Omit<PlannedFrom, 'budget' | 'versionTimes'> & SweepBudget & { times: string[] })[]
  >`
    select
      wanted.source,
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
      coalesce(to_json(s.version_times), '[]') as times,
      s.version_seen_at as "versionSeenAt",
      coalesce(day.calls, 0) as calls,
      coalesce(day.bytes, 0) as bytes,
      s.most_calls as "mostCalls",
      s.most_bytes as "mostBytes",
      coalesce(greatest(day.calls::float8 / nullif(s.most_calls, 0), day.bytes::float8 / s.most_bytes), 0) as used,
      coalesce(
        greatest(
          greatest(s.calls, ${CALLS_OF_A_SWEEP}::integer)::float8 / nullif(s.most_calls, 0), s.body_bytes::float8 / s.most_bytes
        ),
        0
      ) as sweep,
      day.frees_at as "freesAt",
      now() as now
    from json_array_elements_text(${JSON.stringify(sources)}::text::json) as wanted (source)
    left join sweeps s using (source)
    left join day_traffic day using (source)`
  return histories.map(({ used, sweep, freesAt, times, ...history }) => ({
    ...history,
    versionTimes: times.map(time => new Date(time)),
    budget: { used, sweep, freesAt },
  }))
}

/** Of a file that is found through a redirect. */
const CALLS_OF_A_SWEEP = 2

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

interface Limits {
  /** Of the calls that its key permits a fifth is used. */
  keyCalls?: number
  mostBytesADay: number
}

/**
 * Counts the requests of a sweep, each in the database before it is made: no process, restart or crash exceeds the budget.
 * @throws FetchFailure from the counter, when the budget is used up.
 */
export function requestCounter(sql: Sql, source: string, limits: Limits): () => Promise<CountedCall> {
  return async () => {
    const [taken] = await sql<{ hour: Date; reserved: number; readable: number }[]>`
      select taken_hour as hour, reserved, readable
      from take_call(${source}, ${limits.keyCalls ?? null}::integer, ${limits.mostBytesADay}::bigint)`
    if (taken === undefined) throw await spent(sql, source)
    const { hour, reserved, readable } = taken
    return {
      mostBytes: readable,
      end: async (bytes, rateLimit) => {
        await sql`
          with counted as (
            update source_traffic
            set bytes = bytes + ${bytes - reserved}::bigint
            where source = ${source}
            and hour = ${hour.toISOString()}
          )
          update sweeps
          set
            body_bytes = case when ${bytes}::bigint > 0 then ${bytes}::bigint else body_bytes end,
            rate_limit = coalesce(${rateLimit}::integer, rate_limit)
          where source = ${source}
          and (${bytes}::bigint > 0 or ${rateLimit}::integer is not null)`
      },
    }
  }
}

async function spent(sql: Sql, source: string): Promise<FetchFailure> {
  const [state] = await sql<{ used: string; frees_at: string; seconds: number }[]>`
    select
      format(
        '%s%s requests, %s of %s MB',
        coalesce(day.calls, 0), ' of ' || s.most_calls, round(coalesce(day.bytes, 0) / 1e6, 1), round(s.most_bytes / 1e6)
      ) as used,
      coalesce(rfc3339(day.frees_at), 'the next change of a limit') as frees_at,
      coalesce(ceil(extract(epoch from day.frees_at - now())), 3600)::integer as seconds
    from sweeps s
    left join day_traffic day using (source)
    where s.source = ${source}`
  return new FetchFailure(
    `The budget of ${source} for 24 hours is used up: ${state!.used}. Some of it is free again at ${state!.frees_at}.`,
    state!.seconds,
  )
}
