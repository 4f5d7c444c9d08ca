import { spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterUrl } from './cluster.ts'
import { findPostmaster, hasCode } from './postmaster.ts'
import { ensureRunning, untilStoppedOrKept } from './running.ts'
import { openSite, type Site, type SiteOptions } from './serverHome.ts'

interface SupervisorOptions {
  /** Called when the server runs again. */
  onRestart?: () => void
  /** Called with the reason when a restart failed; it is tried again. */
  onFailure?: (error: Error) => void
}

/** The use of an embedded PostgreSQL by one process. */
export type EmbeddedDatabase = Awaited<ReturnType<typeof startEmbedded>>

/**
 * Joins the PostgreSQL of a data folder; creates and starts it where needed. Any number of processes may use one folder, and
 * may start at the same moment: there is one server, which stops when the last of them stops or dies.
 * @throws Error, one sentence that names DATABASE_URL, where no embedded PostgreSQL can run
 */
export async function startEmbedded(options: SiteOptions) {
  try {
    return await attach(openSite(options))
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    throw new Error(
      `The data folder ${options.dataFolder} cannot be written by this account: use the account that made it, ` +
        `remove it, or set DATABASE_URL. (${(error as Error).message})`,
      { cause: error },
    )
  }
}

async function attach(site: Site) {
  const lease = takeLease(site.lease)
  try {
    const { port, startedHere } = await ensureRunning(site)
    site.report(`${startedHere ? 'Started' : 'Joined'} the database in ${site.home.folder}, on port ${port}.`)
    let supervisor: ReturnType<typeof supervise> | undefined
    return {
      /** `postgres://surplus:…@127.0.0.1:PORT/surplus`, of a superuser. Valid over restarts of the server. */
      url: clusterUrl(site.cluster, port),
      /** Whether this call started the server; false when one was running. */
      startedHere,
      /** Restarts the server on the same port whenever it dies. For processes that serve. */
      keepRunning: (supervisorOptions?: SupervisorOptions) => {
        supervisor ??= supervise(
          () => findPostmaster(site.cluster)?.port === port,
          signal => bringBack(site, port, signal),
          supervisorOptions,
        )
      },
      /** Releases the database. When this was the last use of it, waits until the server has stopped. */
      stop: async () => {
        await supervisor?.stop()
        lease.release()
        await untilStoppedOrKept(site)
      },
    }
  } catch (error) {
    lease.release()
    throw error
  }
}

async function bringBack(site: Site, port: number, signal: AbortSignal): Promise<void> {
  const running = await ensureRunning(site, { onlyPort: port, signal })
  if (running.port === port) return
  throw new Error(
    `The database restarted on port ${running.port}, because ${port} was taken: restart this process.`,
  )
}

/** How often the server is checked; a check reads two small files. */
const intervalMs = 200
const longestPauseMs = 5_000

/** Restarts the server whenever it is down. Does not keep this process alive. `stop` also cancels a restart in progress. */
function supervise(
  isUp: () => boolean,
  bringBack: (signal: AbortSignal) => Promise<unknown>,
  { onRestart, onFailure }: SupervisorOptions = {},
) {
  const stopped = new AbortController()
  const watch = async () => {
    let pauseMs = intervalMs
    while (!stopped.signal.aborted) {
      await sleep(pauseMs, undefined, { ref: false, signal: stopped.signal }).catch(() => {})
      if (stopped.signal.aborted || isUp()) continue
      try {
        await bringBack(stopped.signal)
        pauseMs = intervalMs
        onRestart?.()
      } catch (error) {
        if (stopped.signal.aborted) return
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        onFailure?.(error as Error)
      }
    }
  }
  const watching = watch()
  return {
    stop: (): Promise<void> => {
      stopped.abort()
      return watching
    },
  }
}

/**
 * Takes a lease, a share in the server, which runs as long as any process holds one: opens a named pipe. The kernel closes it however the process ends, also by `kill -9`, and the keeper of the
 * server reads the end of the file when the last lease is released. A lease remains valid over restarts of the server.
 */
export function takeLease(path: string) {
  if (!existsSync(path)) {
    accessSync(dirname(path), constants.W_OK)
    const made = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' })
    if (made.status !== 0 && !existsSync(path)) {
      throw new Error(`The named pipe ${path} cannot be made: ${made.error?.message ?? made.stderr.trim()}`)
    }
  }
  // For reading and writing, because opening one end blocks until the other is opened.
  let descriptor: number | undefined = openSync(path, 'r+')
  return {
    release: () => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}
