import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { hashToken } from '../domain/accounts/secretToken.ts'
import { startEmbedded } from '../infra/embedded/embeddedDatabase.ts'
import type { Logger } from '../infra/log.ts'
import { openAdminConnection, type Sql } from '../infra/postgres/database.ts'
import { readDataKind } from '../infra/postgres/dataKind.ts'
import { migrate, pendingMigrations } from '../infra/postgres/migrations.ts'
import { isSecretOfKeys } from '../infra/postgres/secretProof.ts'
import { LEAST_SECRET } from '../infra/settings/environment.ts'
import { makeWhole } from '../infra/wholeFile.ts'
import { seedSources } from '../usecases/ingestion/trackedSources.ts'
import { answer, answering } from './terminal.ts'

/** The database of one command. */
export type CommandContext = Awaited<ReturnType<typeof openContext>>

/**
 * Uses `DATABASE_URL`, or starts or joins the embedded PostgreSQL.
 * @param onProgress called with a sentence before each step that takes seconds.
 */
export async function openContext(
  config: Config,
  onProgress?: (message: string) => void,
) {
  if (config.databaseUrl) {
    return {
      url: config.databaseUrl,
      isEmbedded: false,
      keepRunning: () => {},
      close: async () => {},
    }
  }
  const embedded = await startEmbedded({
    dataFolder: config.dataFolder,
    log: onProgress,
  })
  return {
    url: embedded.url,
    isEmbedded: true,
    /**
     * Releases the database. The embedded server stops when no other process
     * uses it.
     */
    close: () => embedded.stop(),
    /**
     * For processes that serve: restarts the embedded server whenever it dies.
     */
    keepRunning: (log: Logger) =>
      embedded.keepRunning({
        onRestart: () =>
          log.warn('the embedded database died and was restarted'),
        onFailure: error =>
          log.error(
            { err: error },
            'the embedded database cannot be started; retrying',
          ),
      }),
  }
}

/**
 * Prepares the database for this version: migrates an empty or an embedded one.
 * A database of `DATABASE_URL` is only checked, so that its operator chooses
 * when to migrate.
 * @throws UserError when the database of `DATABASE_URL` lacks migrations.
 */
export async function prepareDatabase(sql: Sql, isEmbedded: boolean) {
  const { names, isNew } = await pendingMigrations(sql)
  if (names.length === 0) return seedSources(sql)
  if (!isEmbedded && !isNew) {
    throw new UserError(
      `The database lacks ${names.length} migrations (${names.join(', ')}). Back it up, then run: npx surplus migrate`,
    )
  }
  await migrate(sql)
  await seedSources(sql)
}

/**
 * Prepares it for real lots.
 * @throws UserError for demo data: nothing would tell them apart.
 */
export async function prepareForRealLots(sql: Sql, isEmbedded: boolean) {
  await prepareDatabase(sql, isEmbedded)
  if ((await readDataKind(sql)) === 'demo')
    throw new UserError(
      'This database has demo data, which never mix with real lots; give those a folder of their own: make live, or SURPLUS_DATA_DIR=.surplus-live.',
    )
}

/**
 * Runs `work` on a prepared database and closes the connection and the database
 * afterwards.
 * @param prepare absent: as `prepareDatabase` does.
 */
export async function withDatabase<T>(
  config: Config,
  work: (sql: Sql) => Promise<T>,
  prepare = prepareDatabase,
) {
  const context = await openContext(config)
  const sql = openAdminConnection(context.url)
  try {
    await prepare(sql, context.isEmbedded)
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
    await context.close()
  }
}

/**
 * A command without options that prints what `work` returns.
 * @param prepare as for `withDatabase`.
 */
export function reporting<Result>(
  [name, description]: [name: string, description: string],
  work: (sql: Sql, config: Config) => Promise<Result>,
  inWords: (result: Result) => string,
  prepare = prepareDatabase,
) {
  return answering(name, description).action(
    async ({ json }: { json?: boolean }) => {
      const config = readConfig()
      const result = await withDatabase(
        config,
        sql => work(sql, config),
        prepare,
      )
      answer(json, result, () => inWords(result))
    },
  )
}

/**
 * The secret that keys are hashed with: `KEY_PEPPER`, or a random one that is
 * stored in the data folder.
 * @throws UserError for a file that was cut, and for a secret that the keys of
 * the database were not made with.
 */
export async function readPepper(
  { keyPepper, dataFolder }: Config,
  sql: Sql,
): Promise<string> {
  const file = join(dataFolder, 'pepper')
  const pepper = keyPepper ?? secretIn(file)
  if (await isSecretOfKeys(sql, hashToken(pepper, 'proof of the secret', '')))
    return pepper
  throw new UserError(
    `The keys of this database were made with another secret than ${keyPepper === null ? file : 'KEY_PEPPER'} has. Put that one back from a backup, or set KEY_PEPPER to it. Where it is lost, its keys are too: npx surplus keys forget-secret lets the one of now take its place.`,
  )
}

function secretIn(file: string): string {
  mkdirSync(dirname(file), { recursive: true })
  const secret = existsSync(file)
    ? readFileSync(file, 'utf8')
    : makeWhole(file, randomBytes(LEAST_SECRET).toString('hex'))
  if (secret.trim().length >= LEAST_SECRET) return secret
  throw new UserError(
    `${file} must have at least ${LEAST_SECRET} characters, and was cut. Put it back from a backup. Where no key was ever made, delete it.`,
  )
}
