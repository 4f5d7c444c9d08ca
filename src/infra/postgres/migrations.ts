import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, UserError } from '../../contract/errors.ts'
import { projectFile } from '../../contract/projectFile.ts'
import type { Sql } from './database.ts'
import { firstValue } from './sql.ts'

/**
 * Any number that no other program is likely to lock: two migrations started at
 * once run one after the other.
 */
const MIGRATION_LOCK = 7_402_118
/**
 * Calls queue behind a migration that waits for a lock: it gives up within the
 * time that a call can wait, and tries again.
 */
const LOCK_WAIT_MS = 300
const LOCK_PAUSE_MS = 2_000
const LOCK_ATTEMPTS = 60

type Migration = Record<'name' | 'text' | 'checksum', string>

/**
 * Applies the files of `migrations/` that the database lacks, in order, each in
 * a transaction of its own. Servers may serve meanwhile: no call waits longer
 * than `LOCK_WAIT_MS` behind a lock that a migration waits for.
 * @returns the names of the files that were applied now.
 * @throws UserError when the database was made by no released version, is a
 * replica, or did not give a lock for two minutes.
 */
export function migrate(sql: Sql): Promise<string[]> {
  return locked(sql, async () => {
    if (await firstValue<boolean>(sql`select pg_is_in_recovery()`))
      throw new UserError(
        'This PostgreSQL is a replica, which takes no migration. Set DATABASE_URL to the primary.',
      )
    await refuseOtherEncodings(sql)
    await sql`
      create table if not exists migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
    const { lacking } = await compare(sql)
    for (const migration of lacking) await apply(sql, migration)
    return lacking.map(({ name }) => name)
  })
}

/** The migrations that a database lacks. */
export interface PendingMigrations {
  names: string[]
  /** Whether it has none at all. */
  isNew: boolean
}

/**
 * Reads what the database lacks, after waiting for a migration that runs:
 * `names` is empty when the service may serve, and `isNew` says that no
 * migration was ever applied.
 * @throws UserError when the database was made by no released version.
 */
export function pendingMigrations(sql: Sql): Promise<PendingMigrations> {
  return locked(sql, async () => {
    const { lacking, applied } = await compare(sql)
    return { names: lacking.map(({ name }) => name), isNew: applied === 0 }
  })
}

/**
 * Asked before the first table is made: another encoding has no place for the
 * letters of some titles.
 * @throws UserError for another than UTF8.
 */
async function refuseOtherEncodings(sql: Sql): Promise<void> {
  const [other] = await sql<{ encoding: string; name: string }[]>`
    select getdatabaseencoding() as encoding, current_database() as name
    where getdatabaseencoding() <> 'UTF8'`
  if (!other) return
  const { encoding, name } = other
  throw new UserError(
    `The database "${name}" has the encoding ${encoding}, which cannot hold every title, and was not changed. Make one for DATABASE_URL with: createdb --encoding UTF8 --template template0 ${name}_utf8`,
  )
}

async function apply(sql: Sql, { name, text, checksum }: Migration) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin(async transaction => {
        await transaction.unsafe(`set local lock_timeout = ${LOCK_WAIT_MS}`)
        await transaction.unsafe(text)
        await transaction`insert into migrations (name, checksum) values (${name}, ${checksum})`
      })
    } catch (error) {
      // lock_not_available
      if (!hasCode(error, '55P03')) throw error
      if (attempt === LOCK_ATTEMPTS)
        throw new UserError(
          `${name} needs a lock that other connections held for two minutes, and was not applied. End long transactions (select * from pg_stat_activity order by xact_start), then run: npx surplus migrate`,
        )
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

async function locked<T>(sql: Sql, work: () => Promise<T>) {
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`
  }
}

/**
 * Compares by number. What this version and the database both have must be the
 * same, byte for byte. A newer version may have applied more: migrations only
 * add.
 */
async function compare(sql: Sql) {
  const files = await readMigrations()
  const isPresent = await firstValue<boolean>(
    sql`select to_regclass('migrations') is not null`,
  )
  if (!isPresent) return { lacking: files, applied: 0 }
  // By way of JSON, since the table of an older version has no checksums.
  const rows = await sql<{ name: string; checksum: string | null }[]>`
    select name, to_jsonb(migrations) ->> 'checksum' as checksum
    from migrations`
  const applied = new Map(rows.map(row => [numberOf(row), row]))
  const other = files.find(file => {
    const row = applied.get(numberOf(file))
    return row && (row.name !== file.name || row.checksum !== file.checksum)
  })
  if (other) {
    throw new UserError(
      `This database was made by no released version (its ${other.name} is another), and was not changed. Back it up, then see how to keep its accounts and keys: docs/operating.md#a-database-from-before-100`,
    )
  }
  return {
    lacking: files.filter(file => !applied.has(numberOf(file))),
    applied: rows.length,
  }
}

/** `0012` of `0012_counters.sql`. */
const numberOf = ({ name }: { name: string }) => name.slice(0, 4)

async function readMigrations() {
  const names = (await readdir(projectFile('migrations')))
    .filter(name => name.endsWith('.sql'))
    .sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(projectFile('migrations', name), 'utf8')
      return {
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      }
    }),
  )
}
