import type { Sql } from '../../../src/infra/postgres/database.ts'

/** Makes later changes of this session observed at a moment, as a load does; null: at the clock. */
export async function observeAt(sql: Sql, moment: Date | null): Promise<void> {
  await sql`select set_config('surplus.observed_at', ${moment?.toISOString() ?? ''}, false)`
}
