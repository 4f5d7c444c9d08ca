import { anotherWorkbench, type Sql } from '../postgres/database.ts'
import { HELPER_LOCK } from './loadLock.ts'
import { showStage } from './stage.ts'

/** The session of a load, and a second one where there is one. */
export type Sessions = [Sql, ...Sql[]]

/**
 * Runs work of a load with its session and a second one like it, which sees the stage too; with the first alone where the
 * database has no connection left.
 */
export async function withHelper<Result>(
  sql: Sql,
  work: (sessions: Sessions) => Promise<Result>,
): Promise<Result> {
  const helper = anotherWorkbench(sql)
  try {
    const isThere = await helper`select pg_advisory_lock(${HELPER_LOCK})`.then(
      () => true,
      () => false,
    )
    if (!isThere) return await work([sql])
    await showStage(helper)
    const result = await work([sql, helper])
    await helper`select pg_advisory_unlock(${HELPER_LOCK})`
    return result
  } finally {
    await helper.end({ timeout: 5 })
  }
}
