import type { Hop } from '../fetching/hops.ts'
import type { Sql } from '../postgres/database.ts'

/** What a sweep fetched: enough to recognize it. */
export interface FetchedCopy {
  /** SHA-256 of all records. */
  hash: string
  hops: Hop[]
  /** The `Last-Modified` of the file, or the moment of the fetch. */
  modified_at: string
}

/** The copy that the lots of a source were loaded from. */
export interface LoadedCopy extends FetchedCopy {
  load_id: number
}

/** Limits the effect of a wrong validator, or of an old version of this program. */
const LONGEST_TRUST = '24 hours'

/**
 * The copy that the open lots of a source stand for; null when it was loaded a day ago, or another load of the source has begun since,
 * even one that was refused.
 */
export async function readCopy(sql: Sql, source: string, now: Date): Promise<LoadedCopy | null> {
  const [found] = await sql<{ copy: LoadedCopy | null }[]>`
    select copy
    from sweeps
    where source = ${source}
    and (copy->>'loaded_at')::timestamptz > ${now.toISOString()}::timestamptz - ${LONGEST_TRUST}::interval
    and not exists (select from loads where feed = source and id > (copy->>'load_id')::bigint)`
  return found?.copy ?? null
}

/** Before a load writes lots of these sources: until it ends, no copy stands for them. */
export async function forgetCopies(sql: Sql, sources: string[]): Promise<void> {
  await sql`
    update sweeps
    set copy = null
    where source = any(${sources})
    and copy is not null`
}

/**
 * Marks the open lots that the last load of this copy has seen as observed again, and the source as fetched, in one statement. Must run
 * under the load lock.
 * @returns false, with nothing done, when another load has written lots of the source since.
 */
export async function observeAgain(
  sql: Sql,
  source: string,
  { load_id, hops, now }: { load_id: number; hops: Hop[]; now: Date },
): Promise<boolean> {
  const moment = now.toISOString()
  const { count } = await sql`
    with known as (
      select source, (copy->>'observed_at')::timestamptz as observed_at
      from sweeps
      where source = ${source}
      and (copy->>'load_id')::bigint = ${load_id}
    ),
    renewed as (
      update sweeps
      set copy = copy || jsonb_build_object('observed_at', ${moment}::text, 'hops', ${JSON.stringify(hops)}::text::jsonb)
      from known
      where sweeps.source = known.source
    ),
    seen_lots as (
      update lots
      set observed_at = ${moment}::timestamptz
      from known
      where lots.source = known.source
      and lots.is_open
      and lots.observed_at = known.observed_at
      and lots.observed_at <> ${moment}::timestamptz
    )
    update sources
    set last_success_at = ${moment}
    from known
    where sources.source = known.source`
  return count > 0
}
