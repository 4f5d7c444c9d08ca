import { randomUUID } from 'node:crypto'
import type { Sql } from './postgres/database.ts'

/** Those in which anything may be written. Not `source`, which begins with a letter or digit (check of `sources`). */
const WORDS = new Set([
  'title',
  'source_name',
  'state',
  'city',
  'zip',
  'condition_grade',
  'image_url',
  'source_url',
])

/** Between two rows on their way here; nobody can have written it into a lot. */
const BETWEEN_ROWS = `\r\n${randomUUID()}`

/**
 * All rows called `page` in one text, for `csvLines`. A row of PostgreSQL as text is a line of CSV (RFC 4180) in brackets: quoted where
 * it must be and where there are blanks, except that backslashes are doubled.
 * @param columns of the Listing, in order.
 */
export function csvRows(sql: Sql, columns: string[]) {
  const cells = columns.map(column =>
    WORDS.has(column) ? sql`csv_safe(page.${sql(column)})` : sql`page.${sql(column)}`,
  )
  const row = cells.reduce((before, cell) => sql`${before}, ${cell}`)
  return sql`coalesce(string_agg(row(${row})::text, ${BETWEEN_ROWS}), '')`
}

/** The rows of several texts, in one. */
export function joinedRows(texts: string[]): string {
  return texts.filter(text => text !== '').join(BETWEEN_ROWS)
}

/** The lines of CSV, each with its end. */
export function csvLines(rows: string): string {
  if (rows === '') return ''
  const lines = rows.slice(1, -1).replaceAll(`)${BETWEEN_ROWS}(`, '\r\n')
  return `${lines.replaceAll('\\\\', '\\')}\r\n`
}
