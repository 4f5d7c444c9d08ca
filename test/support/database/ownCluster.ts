import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../../src/infra/embedded/embeddedDatabase.ts'
import { findPostmaster } from '../../../src/infra/embedded/postmaster.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { migrate } from '../../../src/infra/postgres/migrations.ts'
import { seedSources } from '../../../src/usecases/ingestion/trackedSources.ts'

/** A PostgreSQL of one test's own, which it may stop in its tracks without stopping the other tests. */
export interface OwnCluster {
  url: string
  sql: Sql
  /** Stops the server and all its backends where they are: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
  /** Ends the server and all its backends where they are, as a loss of power does for them. */
  kill(): void
  /** Starts the killed server again, on the same port. */
  revive(): Promise<void>
  end(): Promise<void>
}

interface ClusterOptions {
  /** Where it lives; absent: a folder of its own. It is emptied at the end. */
  folder?: string
  /** Whether what was committed outlives `kill`. */
  isDurable?: boolean
}

/** Starts an embedded PostgreSQL with the tables and sources of the service. */
export async function startOwnCluster({
  folder = mkdtempSync(join(tmpdir(), 'surplus-own-')),
  isDurable = false,
}: ClusterOptions = {}): Promise<OwnCluster> {
  // So that the server's account can reach it where root must use another one.
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const site = { dataFolder: folder, throwaway: !isDurable }
  const shares = [await startEmbedded(site)]
  const database = shares[0]!
  const sql = openAdminConnection(database.url)
  await migrate(sql)
  await seedSources(sql)
  let server = await serverOf(sql)
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [server, ...childrenOf(server)]) process.kill(pid, signal)
  }
  return {
    url: database.url,
    sql,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    kill: () => signalAll('SIGKILL'),
    revive: async () => {
      shares.push(await startEmbedded(site))
      server = await serverOf(sql)
    },
    end: async () => {
      signalAll('SIGCONT')
      await sql.end({ timeout: 5 })
      for (const share of shares) await share.stop()
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
      rmdirSync(folder)
    },
  }
}

async function serverOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ data_directory: string }[]>`show data_directory`
  const server = findPostmaster(row!.data_directory)
  if (!server) throw new Error('The server of this cluster cannot be found.')
  return server.pid
}

function childrenOf(parent: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid!)
}
