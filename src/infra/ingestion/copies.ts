import type { Validator } from '../fetching/validators.ts'
import type { Sql } from '../postgres/database.ts'

/** What the lots of a source were loaded from: enough to recognize it. */
export interface FetchedCopy {
  /** SHA-256 of all records. */
  hash: string
  /** Null where the answer came in pages. */
  validator: Validator | null
}

/** Limits the effect of a wrong validator, or of an old version of this program. */
const LONGEST_TRUST = '24 hours'

/** The copy that the lots of a source stand for; null when it was loaded a day ago, or another load has written lots of the source since. */
export async function readCopy(sql: Sql, source: string, now: Date): Promise<FetchedCopy | null> {
  const [found] = await sql<{ copy: FetchedCopy }[]>`
    select copy
    from sweeps
    where source = ${source}
    and loaded_at > ${now.toISOString()}::timestamptz - ${LONGEST_TRUST}::interval
    and copy is not null`
  return found?.copy ?? null
}

/** After a good load, still under the load lock. */
export async function keepCopy(sql: Sql, source: string, copy: FetchedCopy, now: Date): Promise<void> {
  await sql`
    update sweeps
    set copy = ${JSON.stringify(copy)}::text::jsonb, loaded_at = ${now.toISOString()}
    where source = ${source}`
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
 * Marks the open lots that the last fetch has seen as observed again, and the source as fetched, in one statement. Must run under the
 * load lock.
 * @returns false, with nothing done, when another load has written lots of the source since.
 */
export async function observeAgain(sql: Sql, source: string, now: Date): Promise<boolean> {
  const moment = now.toISOString()
  const { count } = await sql`
    with seen as (
      select source, last_success_at
      from sources
      join sweeps using (source)
      where source = ${source}
      and copy is not null
    ),
    seen_lots as (
      update lots
      set observed_at = ${moment}::timestamptz
      from seen
      where lots.source = seen.source
      and lots.is_open
      and lots.observed_at = seen.last_success_at
      and lots.observed_at <> ${moment}::timestamptz
    )
    update sources
    set last_success_at = ${moment}
    from seen
    where sources.source = seen.source`
  return count > 0
}
