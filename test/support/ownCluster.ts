import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkbench, type Sql } from '../../src/infra/database.ts'
import { startEmbedded } from '../../src/infra/embedded/embeddedDatabase.ts'
import { findPostmaster } from '../../src/infra/embedded/postmaster.ts'
import { migrate } from '../../src/infra/migrations.ts'
import { seedSources } from '../../src/usecases/ingestion/seedSources.ts'

/** A PostgreSQL of one test's own, which it may stop in its tracks without stopping the other tests. */
export interface OwnCluster {
  url: string
  sql: Sql
  /** Stops the server and all its backends where they are: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
  end(): Promise<void>
}

/** Starts an embedded PostgreSQL with the tables and sources of the service. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-own-'))
  // So that the server's account can reach it where root must use another one.
  chmodSync(folder, 0o755)
  const database = await startEmbedded({ dataFolder: folder, throwaway: true })
  const sql = openWorkbench(database.url)
  await migrate(sql)
  await seedSources(sql)
  const server = await serverOf(sql)
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [server, ...childrenOf(server)]) process.kill(pid, signal)
  }
  return {
    url: database.url,
    sql,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    end: async () => {
      signalAll('SIGCONT')
      await sql.end({ timeout: 5 })
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
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
