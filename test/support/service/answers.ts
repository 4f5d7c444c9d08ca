import type { Sql } from '../../../src/infra/postgres/database.ts'

/** Makes every process read anew what it remembers, as any change of the data does. */
export async function outdateAnswers(sql: Sql): Promise<void> {
  await sql`update data_version set version = version + 1`
}
