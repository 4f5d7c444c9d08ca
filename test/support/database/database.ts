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
  await copyTemplate(name)
  const sql = openAdminConnection(url.href)
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end()
      await admin().unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

let kept: Sql | undefined

/** Kept by each worker for all its databases: a connection costs a fifth of a database. */
const admin = () => (kept ??= openAdminConnection(inject('clusterUrl')))

async function copyTemplate(name: string): Promise<void> {
  // Two copies of one template at once are refused by PostgreSQL (55006), so they queue.
  await admin()`select pg_advisory_lock(7402999)`
  try {
    // To copy its files costs a third of what it costs to log each of their pages.
    await admin().unsafe(
      `create database ${name} template ${inject('templateName')} strategy file_copy`,
    )
  } finally {
    await admin()`select pg_advisory_unlock(7402999)`
  }
}

/** Empties the caches of every process that reads this database, as any change of the data does. */
export async function outdateAnswers(sql: Sql): Promise<void> {
  await sql`update data_version set version = version + 1`
}
