import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { clusterUrl, startMark } from './cluster.ts'
import { type Launch, launch } from './launch.ts'
import { findPostmaster } from './postmaster.ts'
import type { Site } from './serverHome.ts'

/** Recovery after a crash during a large load takes long. */
const startTimeoutMs = 60_000
const pollMs = 15
const retryMs = 100

/**
 * Finds the server or starts it, and returns when it answers. The caller holds a lease. Callers need no lock: postmaster.pid
 * admits one server, and the others find it on their next attempt.
 * @param options `onlyPort`: start on this port or not at all; when absent, on the port of last time if it is free.
 * `signal` ends the wait with an error.
 * @throws Error, one sentence, when no server can be brought up
 */
export async function ensureRunning(site: Site, options: { onlyPort?: number; signal?: AbortSignal } = {}) {
  const startedBy = randomUUID()
  const deadline = Date.now() + startTimeoutMs
  let launched: Launch | undefined
  while (Date.now() < deadline) {
    options.signal?.throwIfAborted()
    const server = findPostmaster(site.cluster)
    if (server?.status === 'ready') {
      const starter = await starterOf(clusterUrl(site.cluster, server.port))
      // Checked twice: if the last lease of other processes was just released, the server is stopping.
      if (starter !== undefined && findPostmaster(site.cluster)?.status === 'ready') {
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

/** How long the keeper may take to notice that the last lease was released: 0.2 to 6 ms measured, also on busy cores. */
const noticeMs = 150
const shutdownTimeoutMs = 30_000

/** After a lease was released: returns when the server has stopped, or when other leases keep it running. */
export async function untilStoppedOrKept(site: Site): Promise<void> {
  const start = Date.now()
  for (;;) {
    const server = existsSync(site.cluster) ? findPostmaster(site.cluster) : undefined
    if (!server) return
    const waitMs = server.status === 'stopping' ? shutdownTimeoutMs : noticeMs
    if (Date.now() - start > waitMs) return
    await sleep(pollMs)
  }
}

/** The mark of the process that started the server at this address; undefined when it refuses the connection. */
async function starterOf(url: string): Promise<string | undefined> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 2,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'surplus launcher' },
  })
  try {
    const [row] = await sql<{ mark: string | null }[]>`select current_setting(${startMark}, true) as mark`
    return row?.mark ?? ''
  } catch {
    return undefined
  } finally {
    await sql.end({ timeout: 1 })
  }
}
