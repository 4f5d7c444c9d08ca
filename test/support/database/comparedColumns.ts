import type { Sql } from '../../../src/infra/postgres/database.ts'

/** Those of these columns of a lot that a trigger function does not compare before and after a change, neither itself nor by `lot_details`. */
export async function uncomparedBy(sql: Sql, trigger: string, columns: readonly string[]): Promise<string[]> {
  const [found] = await sql<{ body: string; details: string }[]>`
    select prosrc as body, pg_get_functiondef('lot_details'::regproc) as details
    from pg_proc
    where proname = ${trigger}`
  const { body, details } = found!
  const isDetail = (column: string) =>
    body.includes('lot_details(before::lots)') && new RegExp(`\\(lot\\)\\.${column}\\b`).test(details)
  const isCompared = (column: string) =>
    ['before', 'after'].every(row => new RegExp(`\\b${row}\\.${column}\\b`).test(body))
  return columns.filter(column => !isDetail(column) && !isCompared(column))
}
