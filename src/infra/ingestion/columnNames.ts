import type { Sql } from '../postgres/database.ts'

/**
 * Column names as a list in SQL, of one table where it is named. A fragment of its own: written straight into an `insert`
 * or an `update`, postgres.js would take the names for rows.
 */
export function columnNames(sql: Sql, columns: readonly string[], table?: string) {
  return sql`${sql(table ? columns.map(column => `${table}.${column}`) : columns)}`
}
