import type { Schemas } from '../../contract/types.ts'
import type { PhotosState } from '../../domain/photos.ts'
import { liveAt } from '../postgres/clock.ts'
import { firstValue, jsonList, type SqlContext } from '../postgres/sql.ts'

/** Every tracked source with its number of live lots, by key. */
export async function readSources({
  sql,
  now,
}: SqlContext): Promise<Schemas['Source'][]> {
  const sources = sql`
    select
      s.source, s.name, coalesce(live.lots, 0) as live_count, rfc3339(s.last_success_at) as last_success_at,
      rfc3339(s.publisher_changed_at) as publisher_changed_at
    from sources s
    left join (
      select l.source, count(*) as lots
      from lots l
      where ${liveAt(now)}
      group by l.source
    ) as live using (source)
    order by s.source`
  const data = await firstValue<Schemas['Source'][]>(
    sql`select ${jsonList(sources)}`,
  )
  return data!
}

/** On which terms a source is read, and whether its photos are shown. */
export interface SourceCoverage extends PhotosState {
  source: string
  homepage: string | null
  access: string
  premium_percent: number | null
}

export async function readCoverage({
  sql,
}: SqlContext): Promise<SourceCoverage[]> {
  return sql<SourceCoverage[]>`
    select
      source, homepage, access, premium_percent::float8, photos_status, rfc3339(photos_since) as photos_since
    from sources`
}
