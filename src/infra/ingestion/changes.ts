import { clock } from '../postgres/clock.ts'
import { type Clock, fragment, onlyRow, type Sql } from '../postgres/sql.ts'

/** The contract keeps changes for 90 days; whole months are dropped. */
const KEPT_DAYS = 90

/**
 * An SQL expression that dates the changes of this transaction
 * (migrations/0007_changes.sql). It must be evaluated before the statement
 * ends, and holds until its transaction does, so that no later statement has a
 * stale moment.
 * @param now null is the clock of the database.
 */
export function datesChanges(now: Clock) {
  return fragment`set_config('surplus.observed_at', ${now?.toISOString() ?? ''}, true)`
}

/**
 * Makes the partition of the log of changes for the next month, so that no load
 * has to.
 * @param now null is the clock of the database.
 */
export async function makeNextMonthOfChanges(
  sql: Sql,
  now: Clock = null,
): Promise<void> {
  await sql`select keep_month_of_changes(${clock(now)} + interval '1 month')`
}

/** How much of the log of changes was dropped. */
export interface DroppedChanges {
  months: number
  changes: number
}

/**
 * Drops the months of the log of changes that ended more than 90 days ago;
 * never the current one. It gives up where it would have to wait for readers;
 * the next call does it then.
 * @param kept months (`2026-10`) that stay however old they are.
 * @param now null is the clock of the database.
 * @returns how many months and changes were dropped.
 */
export async function dropMonthsOfChanges(
  sql: Sql,
  kept: string[],
  now: Clock = null,
): Promise<DroppedChanges> {
  return onlyRow(sql<[DroppedChanges]>`
    select months, changes
    from drop_months_of_changes(${clock(now)}, ${KEPT_DAYS}, ${kept})`)
}
