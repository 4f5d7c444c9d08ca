import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { runnableBinaries } from './binaries.ts'
import { createCluster, serverEnvironment, serverSettings } from './cluster.ts'
import { removeStrayPidFile } from './postmaster.ts'
import type { Site } from './serverHome.ts'

/** One attempt to bring a server up. */
export type Launch = Awaited<ReturnType<typeof launch>>

/**
 * Another process was faster, children of the last server still run, or the
 * port was taken in between.
 */
const worthRepeating =
  /lock file .* already exists|still in use|could not bind|could not create any TCP\/IP sockets/

/** A larger log is emptied at the next start. */
const logLimitBytes = 10_000_000

/**
 * Starts a server, creating the cluster first when there is none, and returns
 * without waiting for it.
 * @throws Error, one sentence, when there are no binaries, no cluster can be
 * created or `onlyPort` is taken
 */
export async function launch(site: Site, startedBy: string, onlyPort?: number) {
  const binaries = runnableBinaries(site.home)
  if (!existsSync(site.cluster)) {
    // The package of 18.4 calls itself 18.4.0-beta.17.
    const version = binaries.version.replace(/\.0-beta.*/, '')
    site.report(
      `Creating a PostgreSQL ${version} database in ${site.home.folder} (about 3 s) …`,
    )
    createCluster(site.home, binaries, site.cluster, site.throwaway)
  }
  removeStrayPidFile(site.cluster)
  const port = await freePort(onlyPort ?? lastPort(site.cluster))
  if (onlyPort !== undefined && port !== onlyPort)
    throw new Error(`Port ${onlyPort} of the database is taken.`)

  const log = openLog(site.log)
  const logStart = statSync(site.log).size
  const postgres = join(binaries.folder, 'bin', 'postgres')
  const settings = serverSettings(port, startedBy, site.throwaway)
  const keeper = keep(
    [...site.home.prefix, postgres, '-D', site.cluster, ...settings],
    log,
    site.lease,
  )
  return {
    isUnderWay: () => keeper.exitCode === null && keeper.signalCode === null,
    /**
     * For an attempt that ended: throws the server's own message, unless it is
     * worth trying again.
     */
    refuseUnlessWorthRepeating: () => {
      const said = readFileSync(site.log).subarray(logStart).toString().trim()
      if (worthRepeating.test(said)) return
      const lastLines =
        said.split('\n').slice(-3).join(' ') || 'it said nothing.'
      throw new Error(
        `PostgreSQL did not start in ${site.cluster}: ${lastLines} (${site.log})`,
      )
    },
  }
}

/**
 * The parent of the server: stops it (fast shutdown) when the last lease on the
 * file of descriptor 3 is released, and ends with it. It is detached from the
 * terminal, so neither Ctrl-C nor the death of the process that started the
 * server reaches it. A parent-death signal would stop the server while other
 * processes use it.
 */
const script = `
"$@" 3<&- &
server=$!
(trap 'kill "$locker"' TERM; ${lockCommand('exclusive')} & locker=$!; wait "$locker" && kill -INT "$server") &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`

/**
 * Runs a command under a keeper and closes the log here. The caller holds a
 * lease.
 */
function keep(command: string[], log: number, leasePath: string) {
  const lease = openSync(leasePath, 'r+')
  try {
    const keeper = spawn(
      '/bin/sh',
      ['-c', script, 'surplus-keeper', ...command],
      {
        cwd: '/',
        env: serverEnvironment,
        detached: true,
        stdio: ['ignore', log, log, lease],
      },
    )
    // One that could not start has an exit code too.
    keeper.on('error', () => {}).unref()
    return keeper
  } finally {
    closeSync(log)
    closeSync(lease)
  }
}

/**
 * A command of the shell that locks the file of its descriptor 3, for as long
 * as any process holds what was opened: Node has no call for it. Every Linux
 * has flock; macOS has Perl.
 */
function lockCommand(kind: 'shared' | 'exclusive'): string {
  if (process.platform !== 'darwin') return `flock --${kind} 3`
  return `perl -e 'open F, "+<&=3"; flock F, ${kind === 'shared' ? 1 : 2}'`
}

/**
 * Takes a lease, a share in the server, which runs as long as any process holds
 * one: a shared lock of a file. The kernel releases it however the process
 * ends, also by `kill -9`, and the keeper of the server gets its own lock when
 * the last lease is released. A lease remains valid over restarts of the
 * server.
 * @returns what releases the lease; calling it twice is harmless.
 * @throws Error, one sentence, where the file cannot be locked.
 */
export function takeLease(path: string): () => void {
  // A named pipe of 1.0.0, on which programs that read all files of a folder
  // hang.
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) rmSync(path)
  let descriptor: number | undefined = openSync(path, 'a+', 0o600)
  const release = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const locked = spawnSync('/bin/sh', ['-c', lockCommand('shared')], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  })
  if (locked.status === 0) return release
  release()
  throw new Error(
    `The file ${path} cannot be locked: ${locked.error?.message ?? locked.stderr.trim()}. Put the data folder on a disk of this machine (SURPLUS_DATA_DIR), or set DATABASE_URL.`,
  )
}

/**
 * The port of the last server that listened; PostgreSQL records its command
 * line in postmaster.opts.
 */
function lastPort(cluster: string) {
  const path = join(cluster, 'postmaster.opts')
  const recorded =
    existsSync(path) && /"port=(\d+)"/.exec(readFileSync(path, 'utf8'))?.[1]
  return recorded ? Number(recorded) : undefined
}

function openLog(path: string) {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return openSync(path, size > logLimitBytes ? 'w' : 'a', 0o600)
}

/**
 * A free port on 127.0.0.1: the preferred one if it is free, else one below the
 * ports of outgoing connections (from 32768 on Linux, 49152 on macOS). A client
 * that retries while the server is down could be given such a port, connect to
 * itself, and keep the server from restarting.
 */
export async function freePort(preferred?: number) {
  if (preferred && (await isFree(preferred))) return preferred
  for (;;) {
    const port = randomInt(20_000, 32_768)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number) {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
