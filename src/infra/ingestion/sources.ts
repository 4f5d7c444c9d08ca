import type { Sql } from '../postgres/database.ts'

/** A source as `data/sources.json` describes it. */
export interface SourceDescription {
  key: string
  name: string
  homepage: string
  tz: string | null
  access: string
  premium_pct: number | null
}

/** Stores the tracked sources. The open lots of a source whose fee changed become due for a score. */
export async function storeSources(sql: Sql, sources: SourceDescription[]): Promise<void> {
  await sql`
    with described as (
      select key, name, homepage, access, tz, premium_pct as premium_percent
      from jsonb_to_recordset(${sql.json(sources as never)}) as tracked
        (key text, name text, homepage text, access text, tz text, premium_pct numeric)
    ),
    changed_fees as (
      update scoring_queue a
      set due_at = '-infinity', changes = a.changes + 1
      from lots l, sources s, described
      where a.lot_id = l.id
      and l.is_open
      and l.source = s.source
      and s.source = described.key
      and coalesce(s.premium_percent, 0) <> coalesce(described.premium_percent, 0)
    )
    insert into sources (source, name, homepage, access, time_zone, premium_percent)
    select key, name, homepage, access, tz, premium_percent
    from described
    on conflict (source) do update set
      name = excluded.name,
      homepage = excluded.homepage,
      access = excluded.access,
      time_zone = excluded.time_zone,
      premium_percent = excluded.premium_percent`
}

/** The tracked sources, without those that a file of the operator added. */
export async function trackedSources(sql: Sql): Promise<{ source: string; time_zone: string | null }[]> {
  return sql`
    select source, time_zone
    from sources
    where access <> 'operator_file'
    order by source`
}

/** When each source that was ever loaded whole was, in seconds since 1970. */
export async function readLastSuccess(sql: Sql): Promise<{ source: string; last_success_seconds: number }[]> {
  return sql`
    select source, extract(epoch from last_success_at)::float8 as last_success_seconds
    from sources
    where last_success_at is not null
    order by source`
}
