import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { serverHome } from '../../../src/infra/embedded/serverHome.ts'
import { openServing } from '../../../src/infra/postgres/sql.ts'
import { needs } from '../run/needs.ts'
import { untilReady } from './untilReady.ts'

const PLACES = [process.env.PGBOUNCER_PATH, '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer']

/** The program of an installed PgBouncer; null where there is none. */
const PROGRAM = PLACES.find(place => place && existsSync(place)) ?? null

/** The options of the tests with a pooler. */
export const WITH_PGBOUNCER = needs(
  PROGRAM,
  'PgBouncer (apt-get install pgbouncer, or set PGBOUNCER_PATH)',
)

export interface PgBouncer {
  /** As DATABASE_POOL_URL is to be written. */
  url: string
  end(): Promise<void>
}

/**
 * Starts a PgBouncer in transaction mode, with the settings of docs/scaling.md and so many
 * connections to the database.
 */
export async function startPgBouncer(databaseUrl: string, connections: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-pgbouncer-'))
  chmodSync(folder, 0o755)
  const { prefix } = serverHome(folder)
  const port = await freePort()
  const { hostname, port: databasePort, pathname, username, password } = new URL(databaseUrl)
  const target = `host=${hostname} port=${databasePort} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
surplus = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
ignore_startup_parameters = statement_timeout,client_connection_check_interval,plan_cache_mode
`,
  )
  const [program, ...words] = [...prefix, PROGRAM!, file]
  const child = spawn(program!, words, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `postgres://surplus@127.0.0.1:${port}/surplus?prepare=false`
  const sql = openServing({ url, connections: 1, timeoutMs: 1_000 })
  await untilReady('PgBouncer', child, sql).finally(() => sql.end({ timeout: 5 }))
  return {
    url,
    end: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
