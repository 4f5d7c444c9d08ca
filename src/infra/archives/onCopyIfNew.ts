import { openAdminConnection, type Sql } from '../postgres/database.ts'
import { firstValue } from '../postgres/sql.ts'

// Why: readers of a month, whose files are written once, also after a replica has stopped following; npx vitest run test/archives/copy.test.ts
/**
 * Runs work on the copy at DATABASE_READ_URL if that has all that the primary
 * has, otherwise on the primary. One transaction keeps the work on one server
 * behind a load balancer or a pooler, and without the statement timeout that a
 * role has for a pooler.
 * @param url of the copy; null: there is none.
 * @param say is given a sentence when the copy cannot be used.
 * @returns what the work returns.
 */
export async function onCopyIfNew<Result>(
  url: string | null,
  primary: Sql,
  say: (what: string) => unknown,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  if (url === null) return work(primary)
  const copy = openAdminConnection(url)
  try {
    if (await beginIfNew(copy, primary).catch(() => false))
      return await work(copy)
    say(
      'DATABASE_READ_URL does not answer or is behind: the rows are read from the primary.',
    )
    return await work(primary)
  } finally {
    await copy.end({ timeout: 0 })
  }
}

/**
 * Begins a transaction that lasts until the connection ends.
 * @returns whether it sees what the primary has.
 */
async function beginIfNew(copy: Sql, primary: Sql) {
  const least = await readVersion(primary)
  await copy`begin isolation level repeatable read read only`
  await copy`set local statement_timeout = 0`
  return (await readVersion(copy)) >= least
}

async function readVersion(sql: Sql) {
  return (await firstValue<number>(sql`select version from data_version`))!
}
