import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../contract/errors.ts'
import { openDriver } from '../postgres/driver.ts'
import { firstValue } from '../postgres/sql.ts'
import { clusterUrl, startMark } from './cluster.ts'
import { type Launch, launch, takeLease } from './launch.ts'
import { findPostmaster } from './postmaster.ts'
import { openSite, type Site, type SiteOptions } from './serverHome.ts'

interface SupervisorOptions {
  /** Called when the server runs again. */
  onRestart(): void
  /** Called with the reason when a restart failed; it is tried again. */
  onFailure(error: Error): void
}

/** The PostgreSQL that this service runs by itself. */
export interface EmbeddedDatabase {
  /**
   * `postgres://surplus:…@127.0.0.1:PORT/surplus`, of a superuser. Valid over
   * restarts of the server.
   */
  url: string
  /** Whether this call started the server; false when one was running. */
  startedHere: boolean
  /**
   * Restarts the server on the same port whenever it dies. For processes that
   * serve.
   */
  keepRunning(options: SupervisorOptions): void
  /**
   * Releases the database. When this was the last use of it, waits until the
   * server has stopped.
   */
  stop(): Promise<void>
}

/**
 * Joins the PostgreSQL of a data folder; creates and starts it where needed.
 * Any number of processes may use one folder, and may start at the same moment:
 * there is one server, which stops when the last of them stops or dies.
 * @throws Error, one sentence that names DATABASE_URL, where no embedded
 * PostgreSQL can run
 */
export async function startEmbedded(
  options: SiteOptions,
): Promise<EmbeddedDatabase> {
  try {
    return await attach(openSite(options))
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    throw new Error(
      `The data folder ${options.dataFolder} cannot be written by this account: use the account that made it, ` +
        `or set SURPLUS_DATA_DIR to another folder, or DATABASE_URL. (${(error as Error).message})`,
      { cause: error },
    )
  }
}

async function attach(site: Site) {
  const release = takeLease(site.lease)
  try {
    const { port, startedHere } = await ensureRunning(site)
    site.report(
      `${startedHere ? 'Started' : 'Joined'} the database in ${site.home.folder}, on port ${port}.`,
    )
    let endSupervision: ReturnType<typeof supervise> | undefined
    return {
      url: clusterUrl(site.cluster, port),
      startedHere,
      keepRunning: (options: SupervisorOptions) => {
        endSupervision ??= supervise(site, port, options)
      },
      stop: async () => {
        await endSupervision?.()
        release()
        await untilStoppedOrKept(site)
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

/** How often the server is checked; a check reads two small files. */
const intervalMs = 200
const longestPauseMs = 5_000

/**
 * Restarts the server whenever it is down. Does not keep this process alive.
 * @returns what ends that, also a restart in progress.
 */
function supervise(
  site: Site,
  port: number,
  { onRestart, onFailure }: SupervisorOptions,
) {
  const stopped = new AbortController()
  const watch = async () => {
    let pauseMs = intervalMs
    while (!stopped.signal.aborted) {
      await sleep(pauseMs, undefined, {
        ref: false,
        signal: stopped.signal,
      }).catch(() => {})
      if (stopped.signal.aborted || findPostmaster(site.cluster)?.port === port)
        continue
      try {
        const running = await ensureRunning(site, {
          onlyPort: port,
          signal: stopped.signal,
        })
        if (running.port !== port)
          throw new Error(
            `The database restarted on port ${running.port}, not ${port}: restart this process.`,
          )
        pauseMs = intervalMs
        onRestart()
      } catch (error) {
        if (stopped.signal.aborted) return
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        onFailure(error as Error)
      }
    }
  }
  const watching = watch()
  return () => {
    stopped.abort()
    return watching
  }
}

/** Recovery after a crash during a large load takes long. */
const startTimeoutMs = 60_000
const pollMs = 15
const retryMs = 100

/**
 * Finds the server or starts it, and returns when it answers. The caller holds
 * a lease. Callers need no lock: postmaster.pid admits one server, and the
 * others find it on their next attempt.
 * @param options `onlyPort`: start on this port or not at all; when absent, on
 * the port of last time if it is free. `signal` ends the wait with an error.
 * @throws Error, one sentence, when no server can be brought up
 */
async function ensureRunning(
  site: Site,
  options: { onlyPort?: number; signal?: AbortSignal } = {},
) {
  const startedBy = randomUUID()
  const deadline = Date.now() + startTimeoutMs
  let launched: Launch | undefined
  while (Date.now() < deadline) {
    options.signal?.throwIfAborted()
    const server = findPostmaster(site.cluster)
    if (server?.status === 'ready') {
      const starter = await starterOf(clusterUrl(site.cluster, server.port))
      // Checked twice: if the last lease of other processes was just released,
      // the server is stopping.
      if (
        starter !== undefined &&
        findPostmaster(site.cluster)?.status === 'ready'
      ) {
        return { port: server.port, startedHere: starter === startedBy }
      }
    } else if (!server && !launched?.isUnderWay()) {
      if (launched) {
        launched.refuseUnlessWorthRepeating()
        await sleep(retryMs)
      }
      launched = await launch(site, startedBy, options.onlyPort)
    }
    await sleep(pollMs)
  }
  throw new Error(
    `The database in ${site.cluster} did not answer within ${startTimeoutMs} ms: see ${site.log}.`,
  )
}

/**
 * How long the keeper may take to notice that the last lease was released: 0.2
 * to 6 ms measured, also on busy cores.
 */
const noticeMs = 150
const shutdownTimeoutMs = 30_000

/**
 * After a lease was released: returns when the server has stopped, or when
 * other leases keep it running.
 */
async function untilStoppedOrKept(site: Site) {
  const start = Date.now()
  for (;;) {
    const server = existsSync(site.cluster)
      ? findPostmaster(site.cluster)
      : undefined
    if (!server) return
    const waitMs = server.status === 'stopping' ? shutdownTimeoutMs : noticeMs
    if (Date.now() - start > waitMs) return
    await sleep(pollMs)
  }
}

/**
 * The mark of the process that started the server at this address; undefined
 * when it refuses the connection.
 */
async function starterOf(url: string) {
  const sql = openDriver(url, {
    max: 1,
    connect_timeout: 2,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'surplus launcher' },
  })
  try {
    return (
      (await firstValue<string>(
        sql`select current_setting(${startMark}, true)`,
      )) ?? ''
    )
  } catch {
    return undefined
  } finally {
    await sql.end({ timeout: 1 })
  }
}
