import type { Validator } from '../fetching/validators.ts'
import { firstValue, type Sql } from '../postgres/sql.ts'

/** What the lots of a source were loaded from: enough to recognize it. */
export interface FetchedCopy {
  /** SHA-256 of all records. */
  hash: string
  /** Null where the answer came in pages. */
  validator: Validator | null
}

/**
 * Limits the effect of a wrong validator, or of an old version of this program.
 */
const LONGEST_TRUST = '24 hours'

/**
 * The copy that the lots of a source stand for; null when it was loaded a day
 * ago, or another load has written lots of the source since.
 */
export async function readCopy(
  sql: Sql,
  source: string,
  now: Date,
): Promise<FetchedCopy | null> {
  return firstValue<FetchedCopy>(sql`
    select copy
    from sweeps
    where source = ${source}
    and loaded_at > ${now.toISOString()}::timestamptz - ${LONGEST_TRUST}::interval
    and loaded_at <= ${now.toISOString()}::timestamptz`)
}

/**
 * Sets what the lots of these sources stand for: after a good load of one,
 * still under the load lock; and null before a load writes lots of them, so
 * that no copy stands for them until it ends.
 */
export async function setCopy(
  sql: Sql,
  sources: string[],
  copy: FetchedCopy | null,
  now: Date,
): Promise<void> {
  await sql`
    update sweeps
    set copy = ${copy && JSON.stringify(copy)}::text::jsonb, loaded_at = ${now.toISOString()}
    where source = any(${sources})`
}

/**
 * Marks the open lots that the last fetch has seen as observed again, and the
 * source as fetched. Must run under the load lock.
 * @returns false, with nothing done, when another load has written lots of the
 * source since.
 */
export async function observeAgain(
  sql: Sql,
  source: string,
  now: Date,
): Promise<boolean> {
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
