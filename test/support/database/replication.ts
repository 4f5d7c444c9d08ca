import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Binaries,
  installedBinaries,
  runnableBinaries,
} from '../../../src/infra/embedded/binaries.ts'
import {
  clusterUrl,
  createCluster,
  serverEnvironment,
  serverSettings,
} from '../../../src/infra/embedded/cluster.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { findPostmaster } from '../../../src/infra/embedded/postmaster.ts'
import { openSite, type Site } from '../../../src/infra/embedded/serverHome.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { migrate } from '../../../src/infra/postgres/migrations.ts'
import { openServing } from '../../../src/infra/postgres/sql.ts'
import { seedSources } from '../../../src/usecases/ingestion/trackedSources.ts'
import { needs } from '../run/needs.ts'
import { untilReady } from './untilReady.ts'

/** One PostgreSQL server of a test's own. */
export interface TestServer {
  url: string
  /** Of its superuser. */
  sql: Sql
  /** SIGKILL for the server and all its backends. */
  kill(): Promise<void>
  /** Ends the connections of `sql`. */
  end(): Promise<void>
  /** Starts it again after `kill`, on the same port. */
  start(): Promise<void>
  /** Stops it where it is: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
}

export interface Replication {
  primary: TestServer
  replicas: TestServer[]
  /** Waits until every replica has replayed what the primary has written. */
  caughtUp(): Promise<void>
  end(): Promise<void>
}

/** Whether servers can be started, killed and stopped here, as these tests do. */
export const CAN_REPLICATE = existsSync('/proc/self/task') && hasBinaries()

/** The options of tests with servers of their own. */
export const WITH_SERVERS = needs(CAN_REPLICATE, 'Linux and the embedded PostgreSQL')

function hasBinaries(): boolean {
  try {
    return installedBinaries() !== null
  } catch {
    return false
  }
}

/**
 * Later settings of a command line win: those of a throwaway server write too little for a replica.
 */
const SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: '10',
  shared_buffers: '32MB',
  // What is committed outlives a killed server, and is on its way to the replicas.
  synchronous_commit: 'local',
}

/**
 * Starts a primary with the tables and sources of the service, and streaming replicas of it, from
 * the binaries of the embedded PostgreSQL. A replica is a copy that was taken before the primary's
 * first start.
 * @param folder where they live; it is deleted at the end.
 */
export async function startReplication(
  replicaCount: number,
  folder = mkdtempSync(join(tmpdir(), 'surplus-replication-')),
): Promise<Replication> {
  mkdirSync(folder, { recursive: true })
  // So that the server's account can reach it where root must use another one.
  chmodSync(folder, 0o755)
  const site = openSite({ dataFolder: join(folder, 'primary'), throwaway: true })
  const binaries = runnableBinaries(site.home)
  createCluster(site.home, binaries, site.cluster, true)
  const sites = Array.from({ length: replicaCount }, (_, index) =>
    copyOf(site, join(folder, `replica-${index}`)),
  )
  const settings = replicaCount > 0 ? { ...SETTINGS, wal_keep_size: '256MB' } : SETTINGS
  const primary = await startServer(site, binaries, settings)
  await prepare(primary.url)
  const replicas = await Promise.all(
    sites.map(replica => {
      follow(replica, primary.url)
      return startServer(replica, binaries, settings)
    }),
  )
  return {
    primary,
    replicas,
    caughtUp: async () => {
      const [written] = await primary.sql<
        { position: string }[]
      >`select pg_current_wal_lsn()::text as position`
      for (const { sql } of replicas) await untilReplayed(sql, written!.position)
    },
    end: async () => {
      for (const server of [...replicas, primary]) {
        await server.end()
        await server.kill()
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function prepare(url: string): Promise<void> {
  const bench = openAdminConnection(url)
  await migrate(bench)
  await seedSources(bench)
  await bench.end()
}

function copyOf(primary: Site, dataFolder: string): Site {
  const site = openSite({ dataFolder, throwaway: true })
  cpSync(primary.cluster, site.cluster, { recursive: true })
  return site
}

function follow({ cluster, home }: Site, primaryUrl: string): void {
  const { hostname, port, username, password } = new URL(primaryUrl)
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
  writeFileSync(join(cluster, 'standby.signal'), '')
  if (home.owner) execFileSync('chown', ['-R', `${home.owner.uid}:${home.owner.gid}`, cluster])
}

async function startServer(
  site: Site,
  binaries: Binaries,
  changed: Record<string, string>,
): Promise<TestServer> {
  const port = await freePort()
  const url = clusterUrl(site.cluster, port)
  const sql = openServing({ url, connections: 1, timeoutMs: 0 })
  const start = async () => {
    const postgres = join(binaries.folder, 'bin', 'postgres')
    const settings = Object.entries(changed).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [program, ...words] = [...site.home.prefix, postgres, '-D', site.cluster]
    const server = spawn(program!, [...words, ...serverSettings(port, 'test', true), ...settings], {
      cwd: '/',
      env: serverEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // Whatever ends the test, no server stays behind.
    process.once('exit', () => killQuietly(server.pid!, 'SIGKILL'))
    await untilReady('A PostgreSQL of the test', server, sql)
  }
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesOf(site.cluster)) killQuietly(pid, name)
  }
  await start()
  return {
    url,
    sql: sql,
    end: () => sql.end({ timeout: 5 }),
    start,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill: async () => {
      const pids = processesOf(site.cluster)
      for (const pid of pids) killQuietly(pid, 'SIGKILL')
      while (pids.some(isThere)) await sleep(20)
    },
  }
}

async function untilReplayed(replica: Sql, position: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    const [told] = await replica<{ done: boolean }[]>`
      select pg_last_wal_replay_lsn() >= ${position}::pg_lsn as done`
    if (told!.done) return
  }
  throw new Error('A replica did not catch up within a minute.')
}

/** The server and its children. */
function processesOf(cluster: string): number[] {
  const server = findPostmaster(cluster)?.pid
  if (!server || !existsSync(`/proc/${server}`)) return server ? [server] : []
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8')
  return [server, ...children.split(' ').filter(Boolean).map(Number)]
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in between.
  }
}

function isThere(pid: number): boolean {
  try {
    // A dead child that its parent has not waited for yet is gone too.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
