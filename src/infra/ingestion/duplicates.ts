import type { Sql } from '../postgres/database.ts'

/**
 * How many lots of these sources are in a group with lots of other sources, counting or not. The groups are kept by
 * triggers (migrations/0002_ingestion.sql), in the statement that writes the lots.
 */
export async function countDuplicates(sql: Sql, sources: string[]): Promise<number> {
  const [found] = await sql<{ lots: number }[]>`
    select count(*) as lots
    from lots
    where source = any(${sources})
    and id in (
      select id from lots where duplicate_of is not null
      union
      select duplicate_of from lots where duplicate_of is not null
    )`
  return found!.lots
}
