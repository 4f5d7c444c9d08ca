import type { Sql } from '../database.ts'

/**
 * Drops the partial indexes of `lots`, those that only searches and statistics use: for a first load, into an empty table.
 * One statement, which also writes down what `restoreSearchIndexes` makes again.
 */
export async function setSearchIndexesAside(sql: Sql): Promise<void> {
  await sql`select set_search_indexes_aside()`
}

/** Makes the indexes again that a first load has dropped, or one that died: usually none. Readers go on meanwhile. */
export async function restoreSearchIndexes(sql: Sql): Promise<void> {
  const aside = await sql<{ name: string }[]>`select name from set_aside_indexes order by name`
  for (const { name } of aside) await sql`select restore_index(${name})`
}
