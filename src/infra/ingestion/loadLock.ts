import type { Sql } from '../postgres/database.ts'

/** Whoever changes lots holds this advisory lock; any number that no other program is likely to use. */
export const LOAD_LOCK = 7_402_119
/** The second session of a load holds this one: should the first die, its last statement is still awaited. */
export const HELPER_LOCK = 7_402_122

/**
 * Runs work that changes lots, one at a time in all processes: waits for another load to end, and says so first. The lock
 * belongs to the session, so it dies with the process, and taking it twice in one session is fine.
 */
export async function withLoadLock<Result>(
  sql: Sql,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const [attempt] = await sql<{ is_free: boolean }[]>`select pg_try_advisory_lock(${LOAD_LOCK}) as is_free`
  if (!attempt?.is_free) {
    onWait()
    await sql`select pg_advisory_lock(${LOAD_LOCK})`
  }
  try {
    await sql`select pg_advisory_lock(${HELPER_LOCK})`
    await sql`select pg_advisory_unlock(${HELPER_LOCK})`
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${LOAD_LOCK})`
  }
}

/** Runs work that changes lots when nobody else does, and not at all when somebody does. */
export async function whenNobodyLoads(sql: Sql, work: () => Promise<void>): Promise<void> {
  const [attempt] = await sql<{ is_free: boolean }[]>`select pg_try_advisory_lock(${LOAD_LOCK}) as is_free`
  if (!attempt?.is_free) return
  try {
    const [helper] = await sql<{ is_free: boolean }[]>`select ${isNobodyLoading(sql)} as is_free`
    if (helper?.is_free) await work()
  } finally {
    await sql`select pg_advisory_unlock(${LOAD_LOCK})`
  }
}

/** Whether no other session loads, as SQL; none can begin to before the end of the transaction. */
export function isNobodyLoading(sql: Sql) {
  return sql`
    case when pg_try_advisory_xact_lock(${LOAD_LOCK}) then pg_try_advisory_xact_lock(${HELPER_LOCK}) else false end`
}
