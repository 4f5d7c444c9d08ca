import { onlyRow, type SqlContext } from '../postgres/sql.ts'

/** The calls of an account in a calendar month (UTC). */
export interface MonthOfCalls {
  /** The first of the month: 2026-11-01. */
  month: string
  used: number
  /** The calls of each day of the month, from the first; later days are 0. */
  days: number[]
  /** Today's day of the month, from 1. */
  today: number
}

export async function usageThisMonth(
  { sql, now }: SqlContext,
  accountId: number,
): Promise<MonthOfCalls> {
  return onlyRow(sql<MonthOfCalls[]>`
    with moment as (
      select today, date_trunc('month', today)::date as first
      from (select (${now} at time zone 'utc')::date as today) t
    )
    select
      to_char(m.first, 'YYYY-MM-DD') as month, extract(day from m.today)::integer as today, coalesce(u.used, 0) as used,
      (
        select jsonb_agg(coalesce(u.days[day], 0) order by day)
        from generate_series(1, extract(day from m.first + interval '1 month - 1 day')::integer) as day
      ) as days
    from moment m
    left join monthly_usage u on u.meter = ${`account:${accountId}`} and u.month = m.first`)
}

/** The calls of one key to one operation in a month. */
export interface OperationCalls {
  /** 2026-11, UTC. */
  month: string
  key: string
  /** The last four characters of the key. */
  hint: string
  /** An operationId of the contract. */
  operation: string
  calls: number
}

/**
 * The calls of an account by month, key and operation: the latest month first,
 * the newest key first, the most calls first.
 */
export async function callsByOperation(
  { sql }: SqlContext,
  accountId: number,
): Promise<OperationCalls[]> {
  return sql<OperationCalls[]>`
    select to_char(c.month, 'YYYY-MM') as month, k.name as key, k.hint, c.operation, sum(c.calls)::integer as calls
    from keys k
    join (
      select key_id, month, operation, calls from operation_usage
      union all
      select key_id, month, operation, calls from operation_calls
    ) c on c.key_id = k.id
    where k.account_id = ${accountId}
    group by c.month, k.id, c.operation
    having sum(c.calls) > 0
    order by c.month desc, k.created_at desc, k.id, sum(c.calls) desc, c.operation`
}
