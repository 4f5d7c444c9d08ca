import { ApiError, ClientLeft, hasCode } from '../../contract/errors.ts'
import type { Caller } from '../../domain/caller.ts'
import { MINUTE_MS } from '../../domain/durations.ts'
import type { Logger } from '../log.ts'
import type { Database, Sql } from '../postgres/database.ts'
import type { ListingContext } from './columns.ts'

/**
 * Runs a read of a caller at one moment, when its turn has come.
 * @throws ApiError 503 and ClientLeft as `createConnectionPool` says.
 */
type Read = <T>(
  caller: Caller,
  work: (context: ListingContext) => Promise<T>,
) => Promise<T>

/** Reads of one server. */
export interface Reads {
  read: Read
  /** For exports and counts of all lots, which may take longer. */
  export: Read
}

/** Reads on the connections of a database. */
export function readsOn(
  database: Database,
  contextOf: (sql: Sql) => ListingContext,
): Reads {
  const on =
    (pool: 'read' | 'export'): Read =>
    (caller, work) =>
      database[pool].run(caller, sql => work(contextOf(sql)))
  return { read: on('read'), export: on('export') }
}

/** A conflict with what the copy replays, which no read on the primary has. */
const CONFLICT_WITH_RECOVERY = '40001'

// Why: visitors while the copy restarts, or lacks a column that a migration has just added; npx vitest run test/infra/readUrl.test.ts
/**
 * Reads of the copy at DATABASE_READ_URL. A read that the copy fails runs on
 * the primary, which the log says once a minute; not one that took too long,
 * for which no time is left.
 */
export function readsOfCopy(copy: Reads, primary: Reads, log: Logger): Reads {
  let warnedAt = Number.NEGATIVE_INFINITY

  function warn(error: unknown) {
    const now = performance.now()
    if (now - warnedAt < MINUTE_MS) return
    warnedAt = now
    log.warn(
      { err: error },
      'DATABASE_READ_URL fails: public pages are read from the primary',
    )
  }

  const orElse =
    (name: 'read' | 'export'): Read =>
    async (caller, work) => {
      try {
        return await copy[name](caller, work)
      } catch (error) {
        if (!isFailureOfCopy(error)) throw error
        warn(error)
        return primary[name](caller, work)
      }
    }
  return { read: orElse('read'), export: orElse('export') }
}

function isFailureOfCopy(error: unknown) {
  if (!(error instanceof ApiError)) return !(error instanceof ClientLeft)
  return (
    error.status >= 500 &&
    (!error.isDeadline || hasCode(error.cause, CONFLICT_WITH_RECOVERY))
  )
}
