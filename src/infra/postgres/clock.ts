import { WINDOW_DAYS } from '../../domain/durations.ts'
import { type Clock, type Fragment, fragment } from './sql.ts'

/**
 * The moment a query is read at, as SQL: the given one (tests), or the clock of
 * the database, which all processes share.
 */
export function clock(now: Clock): Fragment {
  return fragment`coalesce(${now?.toISOString() ?? null}::timestamptz, now())`
}

/** The moment that the database has. */
export const DATABASE_NOW = clock(null)

/**
 * Window of sales used for statistics, as an interval in hours: a day of
 * PostgreSQL is a calendar day, which has 23 or 25 of them when the session's
 * clocks change.
 */
export const SALES_WINDOW = `${WINDOW_DAYS * 24} hours`

/**
 * Whether a lot, called `l`, takes bids: by its two dates. `is_open` only lets
 * PostgreSQL use the indexes of open lots. A subselect hides that most lots
 * have ended: multiplied with the share of open ones, it would make PostgreSQL
 * expect a twelfth of the lots, and sort them all.
 */
export function liveAt(now: Fragment): Fragment {
  return fragment`l.is_open and l.ends_at > (select ${now}) and l.starts_at <= ${now}`
}
