import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { needs } from '../run/needs.ts'

const INSTALLED = '/usr/lib/postgresql'
/** The oldest that is installed and that the service supports. */
const VERSION = (existsSync(INSTALLED) ? readdirSync(INSTALLED) : [])
  .filter(version => Number(version) >= 15 && existsSync(join(INSTALLED, version, 'bin', 'initdb')))
  .sort((a, b) => Number(a) - Number(b))[0]
/** PostgreSQL refuses to run as root. */
const AS_OWNER =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
    : []

/** The options of tests with a PostgreSQL as Debian has it. */
export const WITH_DEBIAN_SERVER = needs(
  VERSION,
  'a PostgreSQL of Debian (apt-get install postgresql)',
)

/**
 * A PostgreSQL that other people have set up: another version, encodings and locales, and ordinary
 * users.
 */
export interface DebianServer {
  port: number
  /** The folder of its socket, which its account owns. */
  folder: string
  /** The address of a database for its superuser. */
  urlOf(database: string): string
  /** Runs SQL as its superuser. */
  run(database: string, sql: string): void
  /** Gives a file to its account, for it alone. */
  give(file: string): void
  stop(): void
}

/**
 * Starts one with the databases `plain` (UTF8, `lc_ctype C`), `utf` (UTF8, C.UTF-8) and `latin`
 * (LATIN1), and the user `tenant`.
 * @param env of the server, besides that of this process.
 */
export async function startDebianServer(env: Record<string, string> = {}): Promise<DebianServer> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-debian-'))
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const port = await freePort()
  const call = (program: string, ...args: string[]) => {
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const own = [
      'env',
      ...(program === 'pg_ctl' ? given : []),
      join(INSTALLED, VERSION!, 'bin', program),
    ]
    const [command, ...words] = [...AS_OWNER, ...own, ...args]
    execFileSync(command!, words, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  }
  call('initdb', '-D', data, '-U', 'surplus', '--auth=trust', '--encoding=UTF8', '--locale=C')
  const settings = `-p ${port} -c listen_addresses=localhost -c unix_socket_directories=${folder} -c fsync=off`
  call('pg_ctl', '-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start')
  const urlOf = (database: string) => `postgres://surplus@127.0.0.1:${port}/${database}`
  const run = (database: string, sql: string) => call('psql', urlOf(database), '--quiet', '-c', sql)
  run('postgres', 'create database plain')
  run('postgres', "create database utf template template0 locale 'C.UTF-8'")
  run('postgres', "create database latin template template0 encoding 'LATIN1'")
  run('postgres', 'create role tenant login')
  return {
    port,
    folder,
    urlOf,
    run,
    give: file => {
      chmodSync(file, 0o600)
      const { uid, gid } = statSync(data)
      if (AS_OWNER.length > 0) execFileSync('chown', [`${uid}:${gid}`, file])
    },
    stop: () => {
      call('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
