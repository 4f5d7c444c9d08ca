import { MAY_LEAVE } from '../archives/archiveRows.ts'
import type { SqlContext } from '../postgres/sql.ts'

/**
 * Logs the limit of each open lot, once, in the 24 hours before the earliest
 * moment at which it can close; where the end moves later, what was logged
 * stays. To be called every minute.
 */
export async function logLimits({ sql, now }: SqlContext): Promise<void> {
  await sql`
    insert into limits (lot_id, limit_cents, grade, day)
    select lot_id, limit_cents, grade, case when ${MAY_LEAVE} then (${now} at time zone 'utc')::date end
    from unlogged_limits
    where ends_at between ${now} and ${now} + interval '2 days'
    and closes_at between ${now} and ${now} + interval '1 day'
    on conflict do nothing`
}

/**
 * What came of the logged limits, by month and grade. Amounts in US cents; null
 * for fewer than 30 lots.
 */
export type SettledLimits = {
  /** Null for all months and grades. */
  month: string | null
  grade: 'comparables' | 'few' | 'words' | null
  closed: number
  /** Those whose price a source published. */
  with_price: number
  /** Those of them at or under the limit. */
  under: number
  paid_cents: number | null
  /** Lots of these whose very title sold again. */
  resold: number
  paid_of_resold_cents: number | null
  resold_cents: number | null
  left_cents: number | null
}

/**
 * What came of the logged limits: all of it first, then the newest month first.
 */
export async function readSettledLimits({
  sql,
}: SqlContext): Promise<SettledLimits[]> {
  return sql`select * from settled_limits order by month desc nulls first, grade`
}
