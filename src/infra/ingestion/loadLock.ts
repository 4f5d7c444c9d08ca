import type { Sql } from '../database.ts'

/** Whoever changes lots holds this advisory lock; any number that no other program is likely to use. */
export const LOAD_LOCK = 7_402_119

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
    await work()
  } finally {
    await sql`select pg_advisory_unlock(${LOAD_LOCK})`
  }
}
