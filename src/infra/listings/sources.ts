import type { Schemas } from '../../contract/types.ts'
import type { PhotosState } from '../../domain/photos.ts'
import { liveAt } from '../postgres/dataVersion.ts'
import { firstValue, jsonList, type SqlContext } from '../postgres/sql.ts'

/** Every tracked source with its number of live lots, by key. */
export async function readSources({ sql, now }: SqlContext) {
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
  const data = await firstValue<Schemas['Source'][]>(sql`select ${jsonList(sources)}`)
  return data!
}

/** On which terms a source is read, and how many percent (rounded down) of its live lots have what buyers look for; null without a live lot. */
export interface SourceCoverage
  extends Record<'premium_percent' | 'photo_percent' | 'zip_percent' | 'end_percent', number | null>,
    PhotosState {
  source: string
  homepage: string | null
  access: string
  /** Of the last good fetch; null where there was none. */
  rows_set_aside: number | null
}

export async function readCoverage({ sql, now }: SqlContext) {
  return sql<SourceCoverage[]>`
    select
      s.source, s.homepage, s.access, s.premium_percent::float8, live.photo_percent, live.zip_percent, live.end_percent,
      s.photos_status, rfc3339(s.photos_since) as photos_since, loads.rows_set_aside
    from sources s
    left join loads on loads.id = s.last_load_id and loads.feed = s.source
    left join (
      select
        l.source,
        100 * count(l.image_url) / count(*) as photo_percent,
        100 * count(l.zip) / count(*) as zip_percent,
        100 * count(*) filter (where isfinite(l.ends_at)) / count(*) as end_percent
      from lots l
      where ${liveAt(now)}
      group by l.source
    ) as live using (source)`
}
