import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/infra/embedded/launch.ts'

const INSTALLED = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const asOwner =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
    : []

/**
 * Starts a PostgreSQL of Debian on a free port of the loopback: the embedded one has no `pg_dump`.
 * @returns its empty database, and the `pg_dump` that belongs to it.
 * @throws Error where none is installed.
 */
export async function startCluster() {
  // The oldest that is installed: what it dumps, every later version reads.
  const [version] = existsSync(INSTALLED)
    ? readdirSync(INSTALLED).sort((a, b) => Number(a) - Number(b))
    : []
  if (!version) throw new Error('This needs PostgreSQL with pg_dump: apt-get install postgresql')
  const run = (program: string, ...args: string[]) => {
    const [command, ...words] = [...asOwner, join(INSTALLED, version, 'bin', program), ...args]
    return execFileSync(command!, words, {
      cwd: '/',
      encoding: 'utf8',
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'surplus-release-'))
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const port = await freePort()
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c timezone=UTC`
  run('initdb', '-D', data, '-U', 'surplus', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8')
  run('pg_ctl', '-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start')
  const server = `postgres://surplus@127.0.0.1:${port}`
  run('psql', `${server}/postgres`, '--quiet', '--command=create database surplus')
  return {
    url: `${server}/surplus`,
    /** Plain SQL with inserts, without owners and privileges: what any client can send, and any role that owns its database. */
    dump: (...args: string[]) =>
      run('pg_dump', '--no-owner', '--no-privileges', ...args, `${server}/surplus`),
    stop: () => {
      run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
