import { existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runnableBinaries } from './binaries.ts'
import { createCluster, serverEnvironment } from './cluster.ts'
import { keep } from './keeper.ts'
import { openWaitingEnd } from './lease.ts'
import { freePort } from './ports.ts'
import { removeStrayPidFile } from './postmaster.ts'
import { serverSettings } from './settings.ts'
import type { Site } from './site.ts'

/** One attempt to bring a server up. */
export interface Launch {
  isUnderWay(): boolean
  /** For an attempt that ended: throws with the server's own words unless another attempt can do better. */
  refuseUnlessWorthRepeating(): void
}

/** Another process was quicker, the last server's children are not gone yet, or somebody took the port in between. */
const worthRepeating =
  /lock file .* already exists|still in use|could not bind|could not create any TCP\/IP sockets/

/** A log over this size is begun anew at the next start. */
const logLimitBytes = 10_000_000

/**
 * Starts a server on the site, making the cluster first when there is none, and returns without waiting for it.
 * @throws Error, one sentence, when there are no binaries, no cluster can be made or `onlyPort` is taken
 */
export async function launch(site: Site, startedBy: string, onlyPort?: number): Promise<Launch> {
  const binaries = runnableBinaries(site.home)
  if (!existsSync(site.cluster)) {
    site.report(`Creating a PostgreSQL ${binaries.version} database in ${site.home.folder} (about 3 s) …`)
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
  const server = keep([...site.home.prefix, postgres, '-D', site.cluster, ...settings], serverEnvironment, {
    log,
    lease: openWaitingEnd(site.lease),
  })
  let underWay = true
  server.ended.then(() => {
    underWay = false
  })
  return {
    isUnderWay: () => underWay,
    refuseUnlessWorthRepeating: () => {
      const said = readFileSync(site.log).subarray(logStart).toString().trim()
      if (worthRepeating.test(said)) return
      throw new Error(`PostgreSQL did not start in ${site.cluster}: ${lastLines(said)} (${site.log})`)
    },
  }
}

/** The port of the last server that got as far as listening: PostgreSQL records its command line there. */
function lastPort(cluster: string): number | undefined {
  const path = join(cluster, 'postmaster.opts')
  const recorded = existsSync(path) && /"port=(\d+)"/.exec(readFileSync(path, 'utf8'))?.[1]
  return recorded ? Number(recorded) : undefined
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return openSync(path, size > logLimitBytes ? 'w' : 'a', 0o600)
}

function lastLines(text: string): string {
  return text.split('\n').slice(-3).join(' ') || 'it said nothing.'
}
