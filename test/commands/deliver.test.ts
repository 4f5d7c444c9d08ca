import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AlertWorld, startAlertWorld } from '../support/alerts/alertWorld.ts'
import { type Receiver, startReceiver } from '../support/alerts/receiver.ts'
import { DAY, insertLots } from '../support/lots/fixtures.ts'
import { type LongCommand, runSurplus, startSurplus } from '../support/run/commandLine.ts'
import { PEPPER } from '../support/service/testSettings.ts'

let world: AlertWorld
let receiver: Receiver
let running: LongCommand[] = []

beforeAll(async () => {
  world = await startAlertWorld(new Date())
  receiver = await startReceiver()
})
afterEach(async () => {
  await Promise.all(running.map(command => command.end('SIGKILL')))
  running = []
})
afterAll(async () => {
  await receiver.end()
  await world.end()
})

const settings = () => ({
  DATABASE_URL: world.url,
  KEY_PEPPER: PEPPER,
  ALERTS_ALLOWED_HOSTS: '127.0.0.1',
  LOG_LEVEL: 'warn',
})

/** Node sends itself SIGTERM when it loads the first CommonJS package, before any command has begun. */
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

/** A new lot, as a load lists it. */
async function listLot(): Promise<string> {
  const now = Date.now()
  const times = { starts_at: new Date(now - DAY), ends_at: new Date(now + DAY), observed_at: new Date(now) }
  return (await insertLots(world.sql, [{ slug: `listed-${++lots}`, title: 'DUMP TRUCK', ...times }]))[0]!
}

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

describe('surplus deliver', () => {
  it('sends a webhook for a lot that is listed, and ends with 0 at SIGTERM', async () => {
    const { secret } = await makeSearch()
    const command = startSurplus(['deliver'], settings())
    running.push(command)
    const lotId = await listLot()
    await until(() => expect(receiver.received).toHaveLength(1))
    const { headers, body } = receiver.received[0]!
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'lot.matched',
      data: { change: { kind: 'new' }, listing: { id: lotId } },
    })
    expect(await command.end('SIGTERM')).toBe(0)
    expect(command.lines()).toEqual([])
  }, 120_000)

  it('ends with 0 when SIGTERM arrives while its modules are loaded', async () => {
    const command = startSurplus(['deliver'], { ...settings(), NODE_OPTIONS: SIGTERM_AT_FIRST_PACKAGE })
    running.push(command)
    expect(await command.exited).toBe(0)
  }, 120_000)

  it('does with --once what is due, also more than it sends at once, and ends', async () => {
    receiver.received.length = 0
    await world.empty()
    await makeSearch()
    for (let count = 0; count < 12; count++) await listLot()
    expect(await runSurplus(['deliver', '--once'], settings())).toMatchObject({ code: 0 })
    expect(receiver.received).toHaveLength(12)
    expect(await world.sql`select from alert_deliveries where due_at is not null`).toHaveLength(0)
  }, 120_000)
})
