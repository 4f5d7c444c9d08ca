import type { Sql } from '../../../src/infra/postgres/database.ts'

/** Those of these columns of a lot that a trigger function does not compare before and after a change. */
export async function uncomparedBy(sql: Sql, trigger: string, columns: readonly string[]): Promise<string[]> {
  const [found] = await sql<{ body: string }[]>`select prosrc as body from pg_proc where proname = ${trigger}`
  const isCompared = (column: string) =>
    ['before', 'after'].every(row => new RegExp(`\\b${row}\\.${column}\\b`).test(found!.body))
  return columns.filter(column => !isCompared(column))
}
