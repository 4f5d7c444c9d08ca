import { beforeEach, describe, expect, it, vi } from 'vitest'
import { startAlertWorld } from '../../support/alerts/alertWorld.ts'
import { startReceiver } from '../../support/alerts/receiver.ts'
import { DAY, insertLots } from '../../support/lots/fixtures.ts'
import { type LongCommand, runSurplus, startSurplus } from '../../support/run/commandLine.ts'
import { shared } from '../../support/run/shared.ts'
import { PEPPER } from '../../support/service/testSettings.ts'

const world = shared(() => startAlertWorld(new Date()))
const receiver = shared(startReceiver)
const running: LongCommand[] = []

beforeEach(async () => {
  await world.empty()
  receiver.received.length = 0
  return async () => {
    await Promise.all(running.splice(0).map(command => command.end('SIGKILL')))
  }
})

const settings = () => ({
  DATABASE_URL: world.url,
  KEY_PEPPER: PEPPER,
  ALERTS_ALLOWED_HOSTS: '127.0.0.1',
  LOG_LEVEL: 'warn',
})

function start(args: string[], more: Record<string, string> = {}): LongCommand {
  const command = startSurplus(args, { ...settings(), ...more })
  running.push(command)
  return command
}

/**
 * Node sends itself SIGTERM when it loads the first CommonJS package, before any command has begun.
 */
const SIGTERM_AT_FIRST_PACKAGE = `--import=data:text/javascript,${encodeURIComponent(`
  import { Module } from 'node:module'
  const load = Module._extensions['.js']
  Module._extensions['.js'] = (...file) => {
    Module._extensions['.js'] = load
    process.kill(process.pid, 'SIGTERM')
    return load(...file)
  }`)}`

let lots = 0

/** A saved search of every new lot, with one webhook and no mail; what is listed later matches. */
async function makeSearch() {
  const accountId = await world.makeAccount()
  const searchId = await world.makeSearch(accountId)
  const endpoint = await world.makeEndpoint(accountId, receiver.url)
  await world.sql`update saved_searches set endpoint_ids = array[${endpoint.id}::bigint], by_mail = false where id = ${searchId}`
  return endpoint
}

/** New lots, as a load lists them. */
async function listLots(count: number): Promise<string[]> {
  const now = Date.now()
  const times = {
    starts_at: new Date(now - DAY),
    ends_at: new Date(now + DAY),
    observed_at: new Date(now),
  }
  const drafts = Array.from({ length: count }, () => ({
    slug: `listed-${++lots}`,
    title: 'DUMP TRUCK',
    ...times,
  }))
  return insertLots(world.sql, drafts)
}

async function matches(): Promise<number> {
  const [counted] = await world.sql<
    { matches: number }[]
  >`select count(*) as matches from alert_matches`
  return counted!.matches
}

/** The connections of a command. */
const sessions = (application_name: string) => world.sql`
  select
  from pg_stat_activity
  where application_name = ${application_name}
  and datname = current_database()`

const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 150_000, interval: 50 })

describe('surplus deliver', () => {
  it('ends with 0 when SIGTERM arrives while its modules are loaded', async () => {
    const command = start(['deliver'], { NODE_OPTIONS: SIGTERM_AT_FIRST_PACKAGE })
    expect(await command.exited).toBe(0)
  })

  it('does with --once what is due, also more than it sends at once, and ends', async () => {
    await makeSearch()
    await listLots(12)
    expect(await runSurplus(['deliver', '--once'], settings())).toMatchObject({ code: 0 })
    expect(receiver.received).toHaveLength(12)
    expect(await world.sql`select from alert_deliveries where due_at is not null`).toHaveLength(0)
  })
})

describe('surplus serve', () => {
  it('sends alerts in a process of its own, which ends with it', async () => {
    await makeSearch()
    const serve = start(['serve'], { PORT: '0' })
    await listLots(1)
    await until(() => expect(receiver.received).toHaveLength(1))
    expect((await sessions('surplus deliver')).length).toBeGreaterThan(0)
    expect(await serve.end('SIGTERM')).toBe(0)
    await until(async () => expect(await sessions('surplus deliver')).toHaveLength(0))
  })

  it('sends none with ALERTS=off', async () => {
    await makeSearch()
    const serve = start(['serve'], { PORT: '0', ALERTS: 'off' })
    await until(async () => expect(await sessions('surplus serve')).not.toHaveLength(0))
    await listLots(1)
    await new Promise(resolve => setTimeout(resolve, 3000))
    expect(await matches()).toBe(0)
    expect(await serve.end('SIGTERM')).toBe(0)
  })
})
