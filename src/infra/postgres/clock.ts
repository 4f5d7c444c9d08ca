import { WINDOW_DAYS } from '../../domain/valuation/comparables/corpus.ts'
import type { Sql } from './database.ts'

/**
 * How long sales speak, as an interval, in hours: a day of PostgreSQL is a calendar day, which has 23 or 25 of them when the
 * session's clocks change.
 */
export const SALES_WINDOW = `${WINDOW_DAYS * 24} hours`

/** The moment a query is read at, as SQL: the given one (tests), or the clock of the database, which all processes share. */
export function clock(sql: Sql, now: Date | null) {
  return sql`coalesce(${now?.toISOString() ?? null}::timestamptz, now())`
}

/** Whether a lot, called `l`, takes bids: by its two dates. `is_open` only lets PostgreSQL use the indexes of open lots. */
export function liveAt(sql: Sql, now: Date | null) {
  return sql`l.is_open and l.ends_at > ${clock(sql, now)} and l.starts_at <= ${clock(sql, now)}`
}
