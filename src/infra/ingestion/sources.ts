import type { PhotosState } from '../../domain/photos.ts'
import { clock, liveAt } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { type Clock, firstValue, type SqlContext } from '../postgres/sql.ts'
import type { LedgerEntry } from './loads.ts'

/** A source as `data/sources.json` describes it. */
export interface SourceDescription
  extends Record<'key' | 'name' | 'homepage' | 'access', string> {
  tz: string | null
  premium_pct: number | null
  /**
   * The local hours from and by which it closes lots for which it publishes
   * only a day.
   */
  closing_hours?: number[]
}

/**
 * Stores the tracked sources. The open lots of a source whose fee changed
 * become due for a score.
 */
export async function storeSources(
  sql: Sql,
  sources: SourceDescription[],
): Promise<void> {
  await sql`
    with described as (
      select
        key, name, homepage, access, tz, premium_pct as premium_percent, coalesce(closing_hours[1], 10) as closes_from_hour,
        coalesce(closing_hours[2], 24) as closes_by_hour
      from jsonb_to_recordset(${sql.json(sources as never)}) as tracked (
        key text, name text, homepage text, access text, tz text, premium_pct numeric, closing_hours smallint[]
      )
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
    insert into sources (
      source, name, homepage, access, time_zone, premium_percent, closes_from_hour, closes_by_hour
    )
    select key, name, homepage, access, tz, premium_percent, closes_from_hour, closes_by_hour
    from described
    on conflict (source) do update set
      name = excluded.name, homepage = excluded.homepage, access = excluded.access, time_zone = excluded.time_zone,
      premium_percent = excluded.premium_percent, closes_from_hour = excluded.closes_from_hour,
      closes_by_hour = excluded.closes_by_hour`
}

/** A tracked source. */
export interface ZoneOfSource {
  source: string
  /** An IANA name; null where it has none of its own. */
  time_zone: string | null
}

/** The tracked sources, without those that a file of the operator added. */
export async function trackedSources(sql: Sql): Promise<ZoneOfSource[]> {
  return sql<ZoneOfSource[]>`
    select source, time_zone
    from sources
    where access <> 'operator_file'
    order by source`
}

/** When a source was last loaded completely. */
export interface LastSuccess {
  source: string
  /** Since 1970; 0 where it never was. */
  last_success_seconds: number
}

/**
 * When each source that is fetched or was ever loaded whole was, in seconds
 * since 1970; 0 where it never was, so that an alert sees it.
 */
export async function readLastSuccess({
  sql,
}: SqlContext): Promise<LastSuccess[]> {
  return sql<LastSuccess[]>`
    select source, coalesce(extract(epoch from last_success_at), 0)::float8 as last_success_seconds
    from sources
    left join sweeps using (source)
    where coalesce(last_success_at, next_due_at) is not null
    order by source`
}

/**
 * The address of a photo of an open lot of a source, the one seen last; null
 * where there is none, and within a day of the last check.
 */
export async function readUncheckedPhoto(
  sql: Sql,
  source: string,
): Promise<string | null> {
  return firstValue<string>(sql`
    select l.image_url
    from lots l
    join sources s using (source)
    where l.source = ${source}
    and l.is_open
    and l.image_url is not null
    and coalesce(s.photos_checked_at not between now() - interval '1 day' and now(), true)
    order by l.observed_at desc, l.id
    limit 1`)
}

/** @param status of a check, as HTTP has it; null: what was known stays. */
export async function storePhotoStatus(
  sql: Sql,
  source: string,
  status: number | null,
): Promise<void> {
  await sql`
    update sources
    set
      photos_checked_at = now(),
      photos_since = case
        when coalesce(${status}::smallint, photos_status) is distinct from photos_status then now()
        else photos_since
      end,
      photos_status = coalesce(${status}::smallint, photos_status)
    where source = ${source}`
}

/**
 * How many percent (rounded down) of the live lots of a source have what buyers
 * look for; null without a live lot.
 */
type Coverage = Record<
  'photo_percent' | 'zip_percent' | 'end_percent',
  number | null
>

/**
 * How one source stands; docs/sources.md explains the last load and the sweep.
 */
export interface SourceState extends PhotosState, Coverage {
  source: string
  name: string
  access: string
  live_lots: number
  /** Lots that ended with a price. */
  sales: number
  /**
   * Lots that statistics leave out, because the duplicate on another source
   * counts.
   */
  duplicates: number
  last_success_at: string | null
  /** When its publisher last changed it, as its portal or file says. */
  publisher_changed_at: string | null
  /** Since `last_success_at`, in hours. */
  age_hours: number | null
  /**
   * The latest load of the source, or of a file with live lots of it, with any
   * outcome, and its five most frequent faults of rows.
   */
  last_load:
    | (Omit<LedgerEntry, 'set_aside' | 'set_aside_reasons'> & {
        state: string
        reason: string | null
      })
    | null
  /**
   * The last attempt to fetch the source, by a sweeper or a command, and the
   * next one; null for a source that is never fetched.
   */
  sweep: SweepState | null
}

interface SweepState
  extends Record<
    'finished_at' | 'outcome' | 'reason' | 'wait_until' | 'next_due_at',
    string | null
  > {
  is_tried: boolean
  consecutive_failures: number
  interval_seconds: number | null
}

/**
 * Every source with its lots, its last good fetch, its last load and its last
 * and next sweep.
 */
export async function readSourceStates(
  sql: Sql,
  now: Clock,
): Promise<SourceState[]> {
  return sql<SourceState[]>`
    select
      s.source, s.name, s.access,
      coalesce(lots.live, 0) as live_lots, coalesce(lots.sold, 0) as sales, coalesce(lots.duplicates, 0) as duplicates,
      rfc3339(s.last_success_at) as last_success_at, rfc3339(s.publisher_changed_at) as publisher_changed_at, s.photos_status, rfc3339(s.photos_since) as photos_since,
      round((extract(epoch from ${clock(now)} - s.last_success_at) / 3600)::numeric, 1)::float8 as age_hours,
      covered.photo_percent, covered.zip_percent, covered.end_percent,
      to_json(last_load) as last_load,
      to_json(sweep) as sweep
    from sources s
    left join (
      select
        l.source, count(*) filter (where ${liveAt(clock(now))}) as live, count(l.sold_at) as sold,
        count(l.duplicate_of) as duplicates
      from lots l
      group by l.source
    ) as lots using (source)
    left join (
      select
        l.source,
        100 * count(l.image_url) / count(*) as photo_percent,
        100 * count(l.zip) / count(*) as zip_percent,
        100 * count(*) filter (where isfinite(l.ends_at)) / count(*) as end_percent
      from lots l
      where ${liveAt(clock(now))}
      group by l.source
    ) as covered using (source)
    left join lateral (
      select
        state, reason, rows_read, rows_taken, rows_set_aside,
        array(
          select json_build_object('rows', count(*), 'first_line', min(line), 'reason', reason)
          from set_aside_rows
          where load_id = loads.id
          group by reason
          order by count(*) desc, min(line)
          limit 5
        ) as set_aside
      from loads
      where loads.feed = s.source
      or loads.id = s.last_load_id
      order by loads.id desc
      limit 1
    ) as last_load on true
    left join lateral (
      select
        tried_at is not null as is_tried, rfc3339(finished_at) as finished_at, outcome, reason,
        failures as consecutive_failures, rfc3339(wait_until) as wait_until, interval_seconds,
        rfc3339(next_due_at) as next_due_at
      from sweeps
      where sweeps.source = s.source
    ) as sweep on true
    order by s.source`
}
