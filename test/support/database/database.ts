import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'

export interface FreshDatabase {
  url: string
  sql: Sql
  /** Ends `sql`, and drops the database. */
  drop(): Promise<void>
}

/** A migrated database of one's own, with the sources in it, on the PostgreSQL of the run. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `surplus_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('clusterUrl'))
  url.pathname = `/${name}`
  await administer(sql => sql.unsafe(`create database ${name} template ${inject('templateName')}`))
  const sql = openAdminConnection(url.href)
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end()
      await administer(admin => admin.unsafe(`drop database if exists ${name} with (force)`))
    },
  }
}

async function administer(
  work: (sql: ReturnType<typeof openAdminConnection>) => Promise<unknown>,
): Promise<void> {
  const sql = openAdminConnection(inject('clusterUrl'))
  try {
    // Two copies of one template at once are refused by PostgreSQL (55006), so they queue.
    await sql`select pg_advisory_lock(7402999)`
    await work(sql)
  } finally {
    await sql.end()
  }
}

/** Empties the caches of every process that reads this database, as any change of the data does. */
export async function outdateAnswers(sql: Sql): Promise<void> {
  await sql`update data_version set version = version + 1`
}
