import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'
import { datesChanges } from './changes.ts'
import { takesLoadLock } from './locks.ts'

/**
 * Closes the lots whose end has passed; the last bid, when there is one above 0, becomes a sale with the basis
 * `last_observed`. One autocommit statement. It does nothing while another session loads, because a load closes them
 * itself, and two writers of the same rows could deadlock. The new sales are counted beside the index of sales.
 * @param now null is the clock of the database.
 * @returns how many lots were closed.
 */
export async function closeEndedLots(sql: Sql, now: Date | null): Promise<number> {
  const [closed] = await sql<{ lots: number }[]>`
    with closed as (
      update lots
      set
        is_open = false,
        final_bid_cents = case when current_bid_cents > 0 then current_bid_cents end,
        price_basis = case when current_bid_cents > 0 then 'last_observed' end,
        sold_at = case when current_bid_cents > 0 then ends_at end
      where is_open
      and ends_at <= ${clock(sql, now)}
      and (select ${takesLoadLock(sql)})
      and (select ${datesChanges(sql, now)}) is not null
      returning sold_at
    ),
    sales_counted as (
      update sales_indexes
      set sales_changed = sales_changed + (select count(sold_at) from closed)
      where (select count(sold_at) from closed) > 0
    )
    select count(*) as lots
    from closed`
  return closed!.lots
}

/**
 * Withdraws the open lots of these sources that the staged file does not name, not even in a set-aside row. Lots whose end has
 * passed have ended and are not withdrawn.
 */
export async function withdrawMissingLots(sql: Sql, sources: string[], now: Date): Promise<number> {
  const { count } = await sql`
    update lots
    set
      is_open = false,
      outcome = 'withdrawn'
    where is_open
    and source = any(${sources})
    and ends_at > ${now.toISOString()}::timestamptz
    and (select ${datesChanges(sql, now)}) is not null
    and not exists (
      select
      from staged
      where staged.source = lots.source
      and staged.source_id = lots.source_id
    )`
  return count
}

/**
 * How many lots of these sources are in a group with lots of other sources, counting or not. The groups are kept by
 * triggers (migrations/0002_ingestion.sql), in the statement that writes the lots.
 */
export async function countDuplicates(sql: Sql, sources: string[]): Promise<number> {
  const [found] = await sql<{ lots: number }[]>`
    select count(*) as lots
    from lots
    where source = any(${sources})
    and id in (
      select id from lots where duplicate_of is not null
      union
      select duplicate_of from lots where duplicate_of is not null
    )`
  return found!.lots
}
