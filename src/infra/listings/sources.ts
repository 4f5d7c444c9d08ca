import type { Schemas } from '../../contract/types.ts'
import { liveAt } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** Every tracked source with its number of live lots, by key. */
export async function readSources({
  sql,
  now,
}: {
  sql: Sql
  now: Date | null
}): Promise<Schemas['Source'][]> {
  return sql<Schemas['Source'][]>`
    select s.source, s.name, coalesce(live.lots, 0) as live_count, rfc3339(s.last_success_at) as last_success_at
    from sources s
    left join (
      select l.source, count(*) as lots
      from lots l
      where ${liveAt(sql, now)}
      group by l.source
    ) as live using (source)
    order by s.source`
}

/** Whether at least so many lots are open, by the estimate that PostgreSQL keeps for the index: no lot is read. */
export async function hasOpenLots(sql: Sql, least: number): Promise<boolean> {
  const [index] = await sql<{ lots: number }[]>`
    select reltuples as lots
    from pg_class
    where oid = to_regclass('open_lots_by_end')`
  return index !== undefined && index.lots >= least
}
