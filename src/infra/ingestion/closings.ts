import { clock } from '../postgres/clock.ts'
import {
  type Clock,
  type Fragment,
  firstValue,
  fragment,
  onlyRow,
  type Sql,
} from '../postgres/sql.ts'
import { datesChanges } from './changes.ts'
import { takesLoadLock } from './locks.ts'

/**
 * Closes the lots whose end has passed. One that the last answer of its source
 * lacked on the last day of its bidding ended then. The last bid, by
 * `HAS_SALE`, becomes a sale with the basis `last_observed`. One autocommit
 * statement. It does nothing while another session loads, because a load closes
 * them itself, and two writers of the same rows could deadlock. The new sales
 * are counted beside the index of sales.
 * @param now null is the clock of the database.
 * @returns how many lots were closed.
 */
export async function closeEndedLots(sql: Sql, now: Clock): Promise<number> {
  const due = sql`
    select id, case when may_have_ended then missed_at else ends_at end as ended_at
    from lots
    left join missed_lots on lot_id = id
    where is_open and ends_at <= ${clock(now)}`
  return (await closeLots(sql, now, due)).ended
}

/**
 * Closes the open lots of these sources that the staged file does not name, not
 * even in a set-aside row: one that may have ended, by `mayHaveEnded`, has
 * ended now, and any other is withdrawn. Lots whose end has passed are left to
 * `closeEndedLots`.
 */
export async function closeMissingLots(
  sql: Sql,
  sources: string[],
  now: Date,
): Promise<ClosedLots> {
  const due = sql`
    select id, case when ${mayHaveEnded(now)} then ${clock(now)} end as ended_at
    from lots
    where ${isMissing(sources, now)}`
  return closeLots(sql, now, due)
}

/**
 * As `closeMissingLots`, but closes only lots that the whole answer before
 * lacked too, with the time of the first one that did, and records the others
 * as missed.
 */
export async function closeLotsMissedTwice(
  sql: Sql,
  sources: string[],
  now: Date,
): Promise<ClosedLots> {
  const closed = await closeMissedLots(sql, isMissing(sources, now), now)
  await sql`
    insert into missed_lots (lot_id, missed_at, may_have_ended)
    select id, ${now.toISOString()}::timestamptz, ${mayHaveEnded(now)}
    from lots
    where ${isMissing(sources, now)}
    on conflict do nothing`
  return closed
}

/**
 * Closes the lots of a source that its last answer lacked: it has just said
 * that this answer still stands.
 */
export async function closeLotsStillMissed(
  sql: Sql,
  source: string,
  now: Date,
): Promise<ClosedLots> {
  const isOpenHere = fragment`is_open and source = ${source} and ends_at > ${clock(now)}`
  return closeMissedLots(sql, isOpenHere, now)
}

async function closeMissedLots(sql: Sql, condition: Fragment, now: Date) {
  const due = sql`
    select id, case when may_have_ended then missed_at end as ended_at
    from lots
    join missed_lots on lot_id = id
    where ${condition}`
  return closeLots(sql, now, due)
}

/**
 * No lot that the staged file names, nor one that has closed, is missed any
 * more.
 * @param unread sources of which the file has rows that name no lot: nobody
 * knows which of their lots it lacks.
 */
export async function forgetFoundLots(
  sql: Sql,
  unread: string[],
): Promise<void> {
  await sql`
    delete from missed_lots
    using lots
    where id = lot_id
    and (not is_open or source = any(${unread}) or not ${IS_MISSING})`
}

/** How many lots were closed. */
export interface ClosedLots {
  withdrawn: number
  ended: number
}

/**
 * Whether the end of a row of `lots` makes a sale: where the number of bids is
 * not known, a price above the starting bid is one.
 */
const HAS_SALE = fragment`(
    current_bid_cents > 0
    and reserve_met is not false
    and (num_bids > 0 or (bids_known is not true and current_bid_cents > coalesce(starting_bid_cents, 0)))
  )`

/** @param due the lots to close, each with its end; null is withdrawn. */
async function closeLots(
  sql: Sql,
  now: Clock,
  due: Fragment,
): Promise<ClosedLots> {
  return onlyRow(sql<ClosedLots[]>`
    with due as (${due}),
    closed as (
      update lots
      set
        is_open = false,
        outcome = case when ended_at is null then 'withdrawn' end,
        ends_at = coalesce(ended_at, ends_at),
        final_bid_cents = case when ended_at is not null and ${HAS_SALE} then current_bid_cents end,
        price_basis = case when ended_at is not null and ${HAS_SALE} then 'last_observed' end,
        sold_at = case when ${HAS_SALE} then ended_at end
      from due
      where lots.id = due.id
      and (select ${takesLoadLock()})
      and (select ${datesChanges(now)}) is not null
      returning sold_at, outcome
    ),
    sales_counted as (
      update sales_indexes
      set sales_changed = sales_changed + (select count(sold_at) from closed)
      where (select count(sold_at) from closed) > 0
    )
    select count(outcome) as withdrawn, count(*) - count(outcome) as ended
    from closed`)
}

/**
 * Opens the lots again that were closed by a clock that was ahead. A lot
 * without an outcome closes at its end, so one whose end is still to come was
 * closed too early; by up to five minutes it may be the clock of a process that
 * loads. Reads all lots.
 */
export async function reopenLotsClosedAhead(
  sql: Sql,
  now: Clock,
): Promise<void> {
  await sql`
    update lots
    set is_open = true, final_bid_cents = null, price_basis = null, sold_at = null
    where not is_open
    and outcome is null
    and ends_at > ${clock(now)} + interval '5 minutes'
    and (select ${datesChanges(now)}) is not null`
}

/** Whether the staged file does not name a row of `lots`. */
export const IS_MISSING = fragment`
    not exists (
      select
      from staged
      where staged.source = lots.source and staged.source_id = lots.source_id
    )`

/**
 * Whether a row of `lots` is an open lot of these sources that the staged file
 * does not name.
 */
function isMissing(sources: string[], now: Date) {
  return fragment`is_open and source = any(${sources}) and ends_at > ${clock(now)} and ${IS_MISSING}`
}

/**
 * Whether a row of `lots` may have ended: from the first of its source's
 * closing hours, where the source publishes only a day.
 */
export function mayHaveEnded(now: Date) {
  return fragment`(
    ends_at <= ${now.toISOString()}::timestamptz + interval '1 day'
    and exists (
      select
      from sources
      where sources.source = lots.source
      and earliest_close(ends_at, time_zone, closes_from_hour) <= ${now.toISOString()}::timestamptz
    )
  )`
}

/**
 * How many lots of these sources are in a group with lots of other sources,
 * counting or not. The groups are kept by triggers
 * (migrations/0002_ingestion.sql), in the statement that writes the lots.
 */
export async function countDuplicates(
  sql: Sql,
  sources: string[],
): Promise<number> {
  const lots = await firstValue<number>(sql`
    select count(*) as lots
    from lots
    where source = any(${sources})
    and id in (select unnest(array[id, duplicate_of]) from lots where duplicate_of is not null)`)
  return lots!
}
