import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { hasCode } from '../../contract/errors.ts'
import { makeWhole } from '../wholeFile.ts'
import type { Binaries } from './binaries.ts'
import { isAlive } from './postmaster.ts'
import type { ServerHome } from './serverHome.ts'

/** The one role and the one database of a cluster. */
const superuser = 'surplus'
const databaseName = 'surplus'

/**
 * The environment of PostgreSQL's programs: without PGDATA and PGPORT of the
 * caller, messages in English.
 */
export const serverEnvironment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_MESSAGES: 'C',
  TZ: 'UTC',
}

const passwordFile = 'surplus.password'
const PASSWORD_BYTES = 24

/**
 * macOS has no C.UTF-8. It only classifies characters; sorting is PostgreSQL's
 * own C.UTF-8 everywhere.
 */
const systemLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'

/**
 * The connection string of the cluster's database on this port, password
 * included.
 * @throws Error, one sentence, for a password that was cut or lost.
 */
export function clusterUrl(cluster: string, port: number): string {
  const file = join(cluster, passwordFile)
  const password = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (password.length !== PASSWORD_BYTES * 2)
    throw new Error(
      `The password of the database, ${file}, was cut or lost: put it or the data folder back from a backup.`,
    )
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${databaseName}`
}

/**
 * Creates the cluster with its role, password (a file of mode 0600 in it) and
 * database, in a draft folder that is renamed, so that it exists completely or
 * not at all. Of two processes at the same time, the slower one deletes its
 * draft.
 */
export function createCluster(
  home: ServerHome,
  binaries: Binaries,
  cluster: string,
  throwaway: boolean,
) {
  removeAbandonedDrafts(cluster)
  const draft = mkdtempSync(`${cluster}.draft-${process.pid}-`)
  const give = (path: string) =>
    home.owner && chownSync(path, home.owner.uid, home.owner.gid)
  try {
    const data = join(draft, 'data')
    const password = join(draft, 'password')
    makeWhole(password, randomBytes(PASSWORD_BYTES).toString('hex'))
    give(draft)
    give(password)
    run(home, binaries, 'initdb', [
      ...[
        '-D',
        data,
        '--username',
        superuser,
        '--pwfile',
        password,
        '--auth',
        'scram-sha-256',
      ],
      ...[
        '--encoding',
        'UTF8',
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
      ],
      ...[
        '--locale',
        systemLocale,
        '--text-search-config',
        'english',
        '--no-instructions',
      ],
      ...(throwaway ? ['--no-sync'] : []),
    ])
    run(
      home,
      binaries,
      'postgres',
      ['--single', '-D', data, 'postgres'],
      `create database ${databaseName}\n`,
    )
    renameSync(password, join(data, passwordFile))
    renameSync(data, cluster)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** What stands before the reason in a line of PostgreSQL's programs. */
const FAULT = /^.*\b(?:ERROR|FATAL|PANIC|error):\s+/

function run(
  home: ServerHome,
  binaries: Binaries,
  program: string,
  args: string[],
  input = '',
) {
  const [command, ...rest] = [
    ...home.prefix,
    join(binaries.folder, 'bin', program),
    ...args,
  ]
  const done = spawnSync(command!, rest, {
    cwd: '/',
    env: serverEnvironment,
    input,
    encoding: 'utf8',
  })
  const said = done.stderr.trim().split('\n')
  const fault = said.find(line => FAULT.test(line))
  // A single-user server continues after an error and exits with 0.
  if (done.status === 0 && !fault) return
  const reason = done.error?.message ?? fault?.replace(FAULT, '') ?? said.at(-1)
  throw new Error(
    `The database could not be created (${program}: ${reason}); or set DATABASE_URL to another one.`,
  )
}

function removeAbandonedDrafts(cluster: string) {
  const folder = join(cluster, '..')
  const drafts = new RegExp(`^${basename(cluster)}\\.draft-(\\d+)-`)
  for (const name of readdirSync(folder)) {
    const maker = drafts.exec(name)?.[1]
    if (!maker || isAlive(Number(maker))) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch (error) {
      // An initdb that lost its maker a moment ago still writes there. The next
      // new cluster removes it.
      if (!hasCode(error, 'ENOTEMPTY')) throw error
    }
  }
}

/**
 * A custom setting that names the start of the server; every connection can
 * read it.
 */
export const startMark = 'surplus.started_by'

/**
 * A quarter of the memory of the machine or container, as PostgreSQL's manual
 * advises for it, at most 1 GB; only what is read is taken. Why: callers with
 * frequent words, `node --import tsx bench/size.ts --lots 1000000`.
 */
function bufferBytes() {
  return Math.floor(
    Math.min(totalmem(), process.constrainedMemory() || Infinity, 2 ** 32) / 4,
  )
}

/**
 * The server's settings, for its command line: two cores, loopback only, bulk
 * loads, one log file.
 */
export function serverSettings(
  port: number,
  startedBy: string,
  throwaway: boolean,
) {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    // A socket's path may have 107 bytes at most, and a data folder may lie
    // deeper.
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: `${bufferBytes()}B`,
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    // Nothing replicates from it, and a load into a new table skips the log.
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(throwaway
      ? { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
      : {}),
    [startMark]: startedBy,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
