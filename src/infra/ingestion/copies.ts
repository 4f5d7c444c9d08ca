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
    and loaded_at > ${now.toISOString()}::timestamptz - ${LONGEST_TRUST}::interval`
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
    where source = any(${sources})`
}

/**
 * Marks the open lots that the last fetch has seen as observed again, and the source as fetched. Must run under the load lock.
 * @returns false, with nothing done, when another load has written lots of the source since.
 */
export async function observeAgain(sql: Sql, source: string, now: Date): Promise<boolean> {
  if ((await readCopy(sql, source, now)) === null) return false
  const moment = now.toISOString()
  await sql`
    with seen_lots as (
      update lots
      set observed_at = ${moment}
      where source = ${source}
      and is_open
      and observed_at = (select last_success_at from sources where source = ${source})
    )
    update sources
    set last_success_at = ${moment}
    where source = ${source}`
  return true
}
