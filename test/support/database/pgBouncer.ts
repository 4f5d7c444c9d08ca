import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { serverHome } from '../../../src/infra/embedded/serverHome.ts'
import { openServing } from '../../../src/infra/postgres/sql.ts'

const PLACES = [process.env.PGBOUNCER_PATH, '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer']

/** The program of an installed PgBouncer; null where there is none. */
const PROGRAM = PLACES.find(place => place && existsSync(place)) ?? null

export const HAS_PGBOUNCER = PROGRAM !== null

if (!HAS_PGBOUNCER) {
  console.error(
    'NOTE: no PgBouncer is installed, so the TESTS WITH A POOLER ARE SKIPPED. Run: apt-get install pgbouncer, or set PGBOUNCER_PATH.',
  )
}

export interface PgBouncer {
  /** As DATABASE_POOL_URL is to be written. */
  url: string
  end(): Promise<void>
}

/** Starts a PgBouncer in transaction mode, with the settings of docs/scaling.md and so many connections to the database. */
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
  await untilReady(child, url).catch(error => {
    child.kill('SIGKILL')
    throw error
  })
  return {
    url,
    end: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2_000)
  })
  const sql = openServing({ url, connections: 1, timeoutMs: 1_000 })
  const isReady = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  for (const deadline = Date.now() + 10_000; !(await isReady()); await sleep(50)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PgBouncer did not start: ${said}`)
  }
  await sql.end({ timeout: 5 })
}
