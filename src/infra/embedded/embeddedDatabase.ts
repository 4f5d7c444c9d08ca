import { clusterUrl } from './cluster.ts'
import { takeLease } from './lease.ts'
import { findPostmaster, hasCode } from './postmaster.ts'
import { ensureRunning, untilStoppedOrKept } from './running.ts'
import { openSite, type Site, type SiteOptions } from './site.ts'
import { type Supervisor, type SupervisorOptions, supervise } from './supervisor.ts'

/** One process's share in an embedded PostgreSQL. */
export interface EmbeddedDatabase {
  /** `postgres://surplus:…@127.0.0.1:PORT/surplus`, of a superuser. Stays true over restarts of the server. */
  url: string
  /** Whether this call started the server; false where it attached to one that ran. */
  startedHere: boolean
  /** From now on the server is brought back, on the same port, whenever it dies. For processes that serve. */
  keepRunning(options?: SupervisorOptions): void
  /** Gives the share back. The server stops when this was the last one, and then this waits until it has stopped. */
  stop(): Promise<void>
}

/**
 * Attaches to the PostgreSQL of a data folder, starting it, and making its cluster, where needed. Any number of
 * processes may call it on one folder, at the same moment too: there is one server, and it stops when the last of
 * them stops or dies.
 * @throws Error, one sentence that names DATABASE_URL, where no embedded PostgreSQL can run
 */
export async function startEmbedded(options: SiteOptions): Promise<EmbeddedDatabase> {
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

async function attach(site: Site): Promise<EmbeddedDatabase> {
  const lease = takeLease(site.lease)
  try {
    const { port, startedHere } = await ensureRunning(site)
    site.report(`${startedHere ? 'Started' : 'Joined'} the database in ${site.home.folder}, on port ${port}.`)
    let supervisor: Supervisor | undefined
    return {
      url: clusterUrl(site.cluster, port),
      startedHere,
      keepRunning: supervisorOptions => {
        supervisor ??= supervise(
          () => findPostmaster(site.cluster)?.port === port,
          signal => bringBack(site, port, signal),
          supervisorOptions,
        )
      },
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
    `The database came back on port ${running.port}, for ${port} was taken: restart this process.`,
  )
}
