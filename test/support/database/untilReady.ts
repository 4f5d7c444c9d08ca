import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../../src/infra/postgres/database.ts'

const PATIENCE_MS = 60_000

/**
 * Waits until a server that a test has started answers a query.
 * @throws Error with its last words when it does not.
 */
export async function untilReady(name: string, server: ChildProcess, sql: Sql): Promise<void> {
  let printed = ''
  server.stderr?.setEncoding('utf8').on('data', text => {
    printed = (printed + text).slice(-2_000)
  })
  const answers = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  for (const deadline = Date.now() + PATIENCE_MS; !(await answers()); await sleep(50)) {
    if (server.exitCode === null && Date.now() < deadline) continue
    server.kill('SIGKILL')
    throw new Error(`${name} did not start: ${printed}`)
  }
}
