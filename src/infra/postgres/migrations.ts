import { readdir, readFile } from 'node:fs/promises'
import { projectFile } from '../../contract/projectFile.ts'
import type { Sql } from './database.ts'

/** Any number that no other program is likely to lock: two migrations started at once run one after the other. */
const MIGRATION_LOCK = 7_402_118

/**
 * Applies the files of `migrations/` that the database has not seen, in order, each in a transaction of its own.
 * @returns the names of the files that were applied now.
 */
export async function migrate(sql: Sql): Promise<string[]> {
  const files = (await readdir(projectFile('migrations'))).filter(name => name.endsWith('.sql')).sort()
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
  try {
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const seen = new Set((await sql<{ name: string }[]>`select name from migrations`).map(row => row.name))
    const fresh = files.filter(name => !seen.has(name))
    for (const name of fresh) {
      const text = await readFile(projectFile('migrations', name), 'utf8')
      await sql.begin(async transaction => {
        await transaction.unsafe(text)
        await transaction`insert into migrations (name) values (${name})`
      })
    }
    return fresh
  } finally {
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`
  }
}

/** What a database lacks. */
export interface Pending {
  /** The files of `migrations/` that it has not seen: none when the service may serve. */
  names: string[]
  /** Whether it has seen none at all, so that it is nobody's yet. */
  isNew: boolean
}

/** Reads what the database lacks; where somebody migrates it at the moment, when that is done. */
export async function pendingMigrations(sql: Sql): Promise<Pending> {
  const files = (await readdir(projectFile('migrations'))).filter(name => name.endsWith('.sql')).sort()
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
  try {
    const [found] = await sql<{ present: boolean }[]>`select to_regclass('migrations') is not null as present`
    if (!found?.present) return { names: files, isNew: true }
    const seen = new Set((await sql<{ name: string }[]>`select name from migrations`).map(row => row.name))
    return { names: files.filter(name => !seen.has(name)), isNew: seen.size === 0 }
  } finally {
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`
  }
}
