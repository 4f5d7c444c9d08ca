import type { CountedCall } from '../fetching/hops.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { Sql } from '../postgres/database.ts'

/** What a source may be asked in 24 hours. */
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
