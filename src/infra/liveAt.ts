import { clock } from './postgres/clock.ts'
import type { Sql } from './postgres/database.ts'

/** Whether a lot, called `l`, is open for bids. The clock decides; `is_open` keeps the indexes small. */
export function liveAt(sql: Sql, now: Date | null) {
  return sql`l.is_open and l.ends_at > ${clock(sql, now)} and l.starts_at <= ${clock(sql, now)}`
}
