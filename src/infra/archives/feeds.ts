import type { SavedSearch } from '../../domain/alerts/savedSearch.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** A saved search of which a file is written each day. Days are in UTC. */
interface DueFeed {
  id: number
  account_id: number
  query: SavedSearch['query']
  day: string
  /** Files of this day and earlier ones are dropped. */
  oldest_day: string
}

/** The saved searches of Enterprise accounts with a daily file. */
export function dueFeeds(sql: Sql, now: Date | null, keptDays: number): Promise<DueFeed[]> {
  return sql<DueFeed[]>`
    select
      s.id, s.account_id, s.query,
      to_char(${clock(sql, now)} at time zone 'utc', 'YYYY-MM-DD') as day,
      to_char((${clock(sql, now)} at time zone 'utc') - make_interval(days => ${keptDays}), 'YYYY-MM-DD') as oldest_day
    from saved_searches s
    join accounts a on a.id = s.account_id
    where s.by_file and not s.is_paused and s.lot_id is null and a.plan = 'enterprise'
    order by s.id`
}

/** The names of the saved searches of an account, by id. */
export async function feedNames(sql: Sql, accountId: number | null): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from saved_searches where account_id = ${accountId}::bigint`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
