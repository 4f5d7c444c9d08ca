import type { Sql } from './database.ts'

/** The moment a query is read at, as SQL: the given one (tests), or the clock of the database, which all processes share. */
export function clock(sql: Sql, now: Date | null) {
  return sql`coalesce(${now?.toISOString() ?? null}::timestamptz, now())`
}
