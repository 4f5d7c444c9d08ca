import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { projectFile } from '../../contract/projectFile.ts'
import { UserError } from '../../domain/errors.ts'
import type { Sql } from './database.ts'

/** Any number that no other program is likely to lock: two migrations started at once run one after the other. */
const MIGRATION_LOCK = 7_402_118

interface Migration {
  name: string
  text: string
  checksum: string
}

/**
 * Applies the files of `migrations/` that the database lacks, in order, each in a transaction of its own.
 * @returns the names of the files that were applied now.
 * @throws UserError when the database has the migrations of another version, or is a replica.
 */
export function migrate(sql: Sql): Promise<string[]> {
  return locked(sql, async () => {
    const [server] = await sql<{ is_replica: boolean }[]>`select pg_is_in_recovery() as is_replica`
    if (server!.is_replica)
      throw new UserError(
        'This PostgreSQL is a replica, which takes no migration. Set DATABASE_URL to the primary.',
      )
    await sql`
      create table if not exists migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
    const { lacking } = await compare(sql)
    for (const { name, text, checksum } of lacking) {
      await sql.begin(async transaction => {
        await transaction.unsafe(text)
        await transaction`insert into migrations (name, checksum) values (${name}, ${checksum})`
      })
    }
    return lacking.map(({ name }) => name)
  })
}

/**
 * Reads what the database lacks, after waiting for a migration that runs: `names` is empty when the service may serve, and `isNew` says
 * that no migration was ever applied.
 * @throws UserError when the database has the migrations of another version.
 */
export function pendingMigrations(sql: Sql) {
  return locked(sql, async () => {
    const { lacking, applied } = await compare(sql)
    return { names: lacking.map(({ name }) => name), isNew: applied === 0 }
  })
}

async function locked<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`
  }
}

/** Nothing is converted: what was applied must be the first files of this version, unchanged. A newer version may have applied more. */
async function compare(sql: Sql): Promise<{ lacking: Migration[]; applied: number }> {
  const files = await readMigrations()
  const [found] = await sql<{ present: boolean }[]>`select to_regclass('migrations') is not null as present`
  if (!found?.present) return { lacking: files, applied: 0 }
  // By way of JSON, since the table of an older version has no checksums.
  const applied = await sql<{ name: string; checksum: string | null }[]>`
    select name, to_jsonb(migrations) ->> 'checksum' as checksum
    from migrations
    order by name collate "C"`
  const isSame = files.every(({ name, checksum }, n) => {
    const row = applied[n]
    return !row || (row.name === name && row.checksum === checksum)
  })
  if (!isSame) {
    throw new UserError(
      'This database has the migrations of another version and was not changed. Back it up (docs/operating.md), then run the version that made it, or set SURPLUS_DATA_DIR to a new folder or DATABASE_URL to an empty database.',
    )
  }
  return { lacking: files.slice(applied.length), applied: applied.length }
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(projectFile('migrations'))).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(projectFile('migrations', name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}
