import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { readSubjects } from './lines.ts'
import { postmasterOf } from './processorTime.ts'
import { createServers, NO_LIMITS, type Servers } from './servers.ts'
import type { Side } from './turns.ts'

interface LoadedOptions {
  name: string
  /** The folder of a built checkout. */
  checkout: string
  /** Where the databases lie, each in a folder of its own. */
  folder: string
  lots: string
  sales: string
}

/** The service of a checkout, on a database of its own. */
export interface Loaded {
  side: Side
  servers: Servers
  databaseUrl: string
  startMs: number
  /** Stops it, what was started beside it, and its database. */
  stop(): Promise<void>
}

/** Starts the service of a checkout; its database is loaded first, unless the folder has it. */
export async function startLoaded({
  name,
  checkout,
  folder,
  lots,
  sales,
}: LoadedOptions): Promise<Loaded> {
  const dataFolder = join(
    folder,
    `${lots}-${sales}-${name.replaceAll(' ', '-')}-${schemaOf(checkout)}`,
  )
  mkdirSync(dataFolder, { recursive: true })
  const servers = createServers(dataFolder, checkout)
  const mark = join(dataFolder, 'loaded')
  if (!existsSync(mark)) {
    process.stderr.write(`Loading ${lots} lots and ${sales} sales for ${name}…\n`)
    await servers.surplus('demo', '--lots', lots, '--sales', sales, '--seed', '1')
    writeFileSync(mark, '')
  }
  const { key } = JSON.parse(await servers.surplus('keys', 'create', ...NO_LIMITS))
  const startedAt = performance.now()
  const { address, pid } = await servers.service()
  const startMs = performance.now() - startedAt
  // The service has started its database, with the settings of its own version.
  const database = await startEmbedded({ dataFolder })
  const sql = openAdminConnection(database.url)
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const side = {
    name,
    address,
    headers: { authorization: `Bearer ${key}` },
    pids: { server: pid, postmaster: postmasterOf(backend!.pid) },
    subjects: await readSubjects(sql),
    answers: () => true,
  }
  await sql.end({ timeout: 5 })
  const stop = async () => {
    await servers.stopAll()
    await database.stop()
  }
  return { side, servers, databaseUrl: database.url, startMs, stop }
}

/** Tells databases of different schemas apart. */
function schemaOf(checkout: string): string {
  const hash = createHash('sha256')
  const migrations = join(checkout, 'migrations')
  for (const file of readdirSync(migrations).toSorted())
    hash.update(readFileSync(join(migrations, file)))
  return hash.digest('hex').slice(0, 8)
}
