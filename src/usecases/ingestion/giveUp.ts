import { UserError } from '../../domain/userError.ts'
import { closeDeadLoads } from '../../infra/ingestion/loads.ts'
import { dropStage } from '../../infra/ingestion/stage.ts'
import type { Sql } from '../../infra/postgres/database.ts'

const DISK_FULL =
  'The disk of the database is full. What the load had stored is whole and stays; make room, then load the file again to complete it.'

/**
 * Ends a load that broke off. Where the disk is full (SQLSTATE 53100) the stage goes first, which gives its room back at
 * once, for a sweeper keeps its session; then the ledger says why.
 * @throws UserError for a full disk; otherwise what was thrown.
 */
export async function giveUp(sql: Sql, error: unknown, now: Date): Promise<never> {
  const isFull = typeof error === 'object' && error !== null && 'code' in error && error.code === '53100'
  if (!isFull) throw error
  const failed = new UserError(DISK_FULL)
  failed.cause = error
  // Should even this not fit, the next load closes the record.
  await dropStage(sql)
    .then(() => closeDeadLoads(sql, now, DISK_FULL))
    .catch(() => {})
  throw failed
}
