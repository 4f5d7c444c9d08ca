import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { UserError } from '../domain/userError.ts'
import { startEmbedded } from '../infra/embedded/embeddedDatabase.ts'
import { restoreSearchIndexes } from '../infra/ingestion/loads.ts'
import { unlessLoading } from '../infra/ingestion/locks.ts'
import type { Logger } from '../infra/log.ts'
import { openWorkbench, type Sql } from '../infra/postgres/database.ts'
import { migrate, pendingMigrations } from '../infra/postgres/migrations.ts'
import { seedSources } from '../usecases/ingestion/seedSources.ts'

/** The database that a command works on. */
export interface Workplace {
  url: string
  isEmbedded: boolean
  /** For processes that serve: from now on the embedded server is brought back whenever it dies. */
  keepRunning(log: Logger): void
  /** Ends what this process started; the embedded server goes on while others use it. */
  leave(): Promise<void>
}

/**
 * Opens `DATABASE_URL`, or starts or joins the embedded PostgreSQL.
 * @param onProgress called with a sentence before each step that takes seconds.
 */
export async function enterWorkplace(
  config: Config,
  onProgress?: (message: string) => void,
): Promise<Workplace> {
  if (config.databaseUrl) {
    return { url: config.databaseUrl, isEmbedded: false, keepRunning: () => {}, leave: async () => {} }
  }
  const embedded = await startEmbedded({ dataFolder: config.dataFolder, log: onProgress })
  return {
    url: embedded.url,
    isEmbedded: true,
    leave: () => embedded.stop(),
    keepRunning: log =>
      embedded.keepRunning({
        onRestart: () => log.warn('the embedded database had died and runs again'),
        onFailure: error => log.error({ err: error }, 'the embedded database cannot be started; tried again'),
      }),
  }
}

/**
 * Makes the database ready for this version: a new or embedded one is migrated; somebody's own is only checked, so that
 * its operator chooses the moment.
 * @throws UserError when somebody's own database lacks migrations.
 */
export async function prepareDatabase(sql: Sql, isEmbedded: boolean): Promise<void> {
  const pending = await pendingMigrations(sql)
  if (pending.names.length === 0) {
    // A first load that died has left indexes to be created.
    await unlessLoading(sql, () => restoreSearchIndexes(sql))
    return
  }
  if (!isEmbedded && !pending.isNew) {
    const { names } = pending
    throw new UserError(
      `The database lacks ${names.length} migrations (${names.join(', ')}). Run: surplus migrate`,
    )
  }
  await migrate(sql)
  await seedSources(sql)
}

/** Runs one command's work on a prepared database, and closes everything behind it. */
export async function atWork<T>(
  config: Config,
  work: (sql: Sql, place: Workplace) => Promise<T>,
): Promise<T> {
  const place = await enterWorkplace(config)
  const sql = openWorkbench(place.url)
  try {
    await prepareDatabase(sql, place.isEmbedded)
    return await work(sql, place)
  } finally {
    await sql.end({ timeout: 5 })
    await place.leave()
  }
}

/** The secret that keys are hashed with: `KEY_PEPPER`, or one that is made once and kept in the data folder. */
export async function readPepper(config: Config): Promise<string> {
  if (config.keyPepper) return config.keyPepper
  const file = join(config.dataFolder, 'pepper')
  await mkdir(config.dataFolder, { recursive: true })
  // 'wx': of two commands that start at once, one makes the file and both read it.
  await writeFile(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' }).catch(ignoreExisting)
  return readFile(file, 'utf8')
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
