import postgres from 'postgres'
import type { Sql } from '../database.ts'
import { HELPER_LOCK } from './loadLock.ts'
import { showStage } from './stage.ts'

/**
 * Runs work of a load with a second session like its own, which sees the stage, or with null where the database has no
 * connection left.
 */
export async function withHelper<Result>(
  sql: Sql,
  work: (helper: Sql | null) => Promise<Result>,
): Promise<Result> {
  const helper = postgres(sql.options as unknown as postgres.Options<{}>) as unknown as Sql
  try {
    const isThere = await helper`select pg_advisory_lock(${HELPER_LOCK})`.then(
      () => true,
      () => false,
    )
    if (!isThere) return await work(null)
    await showStage(helper)
    const result = await work(helper)
    await helper`select pg_advisory_unlock(${HELPER_LOCK})`
    return result
  } finally {
    await helper.end({ timeout: 5 })
  }
}
