import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { type LongCommand, startSurplus } from '../support/run/commandLine.ts'

let database: FreshDatabase
let sql: Sql
let receiver: Server
let received: string[]
let running: LongCommand[]

vi.setConfig({ testTimeout: 180_000 })
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

beforeEach(async () => {
  database = await freshDatabase()
  sql = openAdminConnection(database.url)
  running = []
  received = []
  receiver = createServer((request, answer) => {
    received.push(String(request.headers['webhook-id']))
    answer.end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as { port: number }
  const account_id = await insertAccount(sql)
  const endpoint = await insertEndpoint(sql, account_id)
  await sql`update alert_endpoints set url = ${`http://127.0.0.1:${port}/hook`} where id = ${endpoint}`
  await insertSearches(sql, [{ account_id, kinds: ['new'], by_mail: false, endpoint_ids: [endpoint] }])
})
afterEach(async () => {
  await Promise.all(running.map(command => command.end('SIGKILL')))
  receiver.close()
  await sql.end()
  await database.drop()
})

function settings(more: Record<string, string> = {}) {
  return {
    DATABASE_URL: database.url,
    ALERTS_ALLOWED_HOSTS: '127.0.0.1',
    KEY_PEPPER: 'k'.repeat(32),
    ...more,
  }
}

function start(args: string[], more: Record<string, string> = {}): LongCommand {
  const command = startSurplus(args, settings(more))
  running.push(command)
  return command
}

/** Live by the clock of the database, which the command has. */
function listLots(names: string[]) {
  const ends_at = new Date(Date.now() + 5 * 86_400_000)
  return insertLots(
    sql,
    names.map(slug => ({ slug, ends_at })),
  )
}

/** The connections of a command. */
function sessions(application_name: string) {
  return sql`
    select
    from pg_stat_activity
    where application_name = ${application_name}
    and datname = current_database()`
}

async function matches(): Promise<number> {
  const [counted] = await sql<{ matches: number }[]>`select count(*) as matches from alert_matches`
  return counted!.matches
}

describe('two of surplus deliver', () => {
  it('match each lot once and make one delivery of it, though one is killed again and again', async () => {
    const steady = start(['deliver'])
    let other = start(['deliver'])
    const names: string[] = []
    for (let round = 0; round < 6; round++) {
      const added = Array.from({ length: 40 }, (_, n) => `lot-${round}-${n}`)
      names.push(...added)
      await listLots(added)
      if (round % 2 === 0) continue
      // Both are at work: two connections each.
      await until(async () => expect(await sessions('surplus deliver')).toHaveLength(4))
      await other.end('SIGKILL')
      other = start(['deliver'])
    }
    await until(async () => expect(await matches()).toBe(names.length))
    await until(() => expect(new Set(received).size).toBe(names.length))
    const [sent] = await sql<{ deliveries: number; lots: number }[]>`
      select
        (select count(*) from alert_deliveries) as deliveries,
        (select count(distinct lot_id) from alert_matches) as lots`
    expect(sent).toEqual({ deliveries: names.length, lots: names.length })
    expect(await Promise.all([steady.end('SIGTERM'), other.end('SIGTERM')])).toEqual([0, 0])
  })
})

describe('surplus serve', () => {
  it('sends alerts in a process of its own, which ends with it', async () => {
    const serve = start(['serve'], { PORT: '0' })
    await listLots(['one'])
    await until(() => expect(received).toHaveLength(1))
    expect((await sessions('surplus deliver')).length).toBeGreaterThan(0)
    expect(await serve.end('SIGTERM')).toBe(0)
    await until(async () => expect(await sessions('surplus deliver')).toHaveLength(0))
  })

  it('sends none with ALERTS=off', async () => {
    const serve = start(['serve'], { PORT: '0', ALERTS: 'off' })
    await until(async () => expect(await sessions('surplus serve')).not.toHaveLength(0))
    await listLots(['one'])
    await new Promise(resolve => setTimeout(resolve, 3000))
    expect(await matches()).toBe(0)
    expect(await serve.end('SIGTERM')).toBe(0)
  })
})
