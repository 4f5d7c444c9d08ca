import type { Sql } from '../database.ts'

/**
 * How many lots of these sources are in a group with lots of other sources, counting or not. The groups are kept by
 * triggers (migrations/0007_duplicates.sql), in the statement that writes the lots.
 */
export async function countDuplicates(sql: Sql, sources: string[]): Promise<number> {
  const [found] = await sql<{ lots: number }[]>`
    select count(*) as lots
    from (
      select id, source
      from lots
      where duplicate_of is not null
      union
      select counting.id, counting.source
      from lots
      join lots as counting on counting.id = lots.duplicate_of
      where lots.duplicate_of is not null
    ) as grouped
    where source = any(${sources})`
  return found!.lots
}
