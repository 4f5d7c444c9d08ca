import { allEnd } from '../allEnd.ts'
import type { Sql } from '../postgres/database.ts'

/**
 * Drops the partial indexes of `lots`, those that only searches and statistics use: for a first load, into an empty table.
 * One statement, which also writes down what `restoreSearchIndexes` makes again.
 */
export async function setSearchIndexesAside(sql: Sql): Promise<void> {
  await sql`select set_search_indexes_aside()`
}

/**
 * Makes the indexes again that a first load has dropped, or one that died: usually none. Readers go on meanwhile.
 * @param sessions each makes one index at a time, the one that takes longest first; several do without parallel workers, since
 * they have the cores already.
 */
export async function restoreSearchIndexes(...sessions: [Sql, ...Sql[]]): Promise<void> {
  const aside = await sessions[0]<{ name: string }[]>`
    select name from set_aside_indexes order by definition like '%using gin%' desc, name`
  const helpers = sessions.length > 1 ? '0' : '2'
  const names = aside.map(({ name }) => name).values()
  await allEnd(
    sessions.map(async sql => {
      for (const name of names)
        await sql`select set_config('max_parallel_maintenance_workers', ${helpers}, true), restore_index(${name})`
    }),
  )
}
