import type { Schemas } from '../contract/types.ts'
import type { ListingContext } from './listings/listings.ts'
import { liveAt } from './liveAt.ts'

/** Every source with its live lots, by key. */
export async function countLiveBySource({ sql, now }: ListingContext): Promise<Schemas['Source'][]> {
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
