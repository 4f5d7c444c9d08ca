import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../../src/infra/embedded/embeddedDatabase.ts'

export interface ThrowawayCluster {
  /** Of a role that may make databases. */
  url: string
  stop(): Promise<void>
}

/**
 * A PostgreSQL for one run of the tests: the one behind TEST_DATABASE_URL, or else a fresh one that
 * `stop` deletes.
 */
export async function startThrowawayCluster(): Promise<ThrowawayCluster> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }

  const folder = mkdtempSync(join(tmpdir(), 'surplus-test-'))
  // So that the server's account can reach it where root must use another one.
  chmodSync(folder, 0o755)
  const database = await startEmbedded({ dataFolder: folder, throwaway: true })
  return {
    url: database.url,
    stop: async () => {
      await database.stop()
      await untilAbsent(join(folder, 'cluster', 'postmaster.pid'))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * `stop` waits only as long as it takes on a quiet machine; nothing may be deleted under a server.
 */
async function untilAbsent(path: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while (existsSync(path) && Date.now() < deadline) await sleep(20)
}
