import type { Category } from '../../domain/titles/categories.ts'
import type { IndexAge } from '../../domain/valuation/indexAge.ts'
import type { Sql } from '../postgres/database.ts'

/** The share of a category's closed lots that sold, 0 to 1; absent where too few closed to say. */
export type SellThrough = Partial<Record<Category, number>>

/** The index that all estimates come from, without its columns. */
export interface IndexState extends IndexAge {
  id: number
  sell_through: SellThrough
}

/** The index that all open lots were estimated from, or null when there is none, or the last run did not come to its end. */
export async function readIndexState(sql: Sql): Promise<IndexState | null> {
  const [last] = await sql<(IndexState & { is_finished: boolean })[]>`
    select id, as_of, score_version, sales, sell_through, sales_changed, finished_at is not null as is_finished
    from sales_indexes
    order by id desc
    limit 1`
  return last?.is_finished ? last : null
}

/** Writes down that all lots are being estimated, which makes what was before invalid should this process die. */
export async function beginIndex(
  sql: Sql,
  { as_of, score_version, sales, sell_through }: Omit<IndexState, 'id' | 'sales_changed'>,
): Promise<number> {
  const [index] = await sql<{ id: number }[]>`
    insert into sales_indexes (as_of, score_version, sales, sell_through)
    values (${as_of.toISOString()}, ${score_version}, ${sales}, ${sql.json(sell_through)})
    returning id`
  return index!.id
}

/** All lots are estimated from this index now: it is the one, and those before it go. */
export async function finishIndex(sql: Sql, id: number, now: Date): Promise<void> {
  await sql`
    with others as (
      delete from sales_indexes
      where id <> ${id}
    )
    update sales_indexes
    set finished_at = ${now.toISOString()}
    where id = ${id}`
}
