import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { readStrictCsv } from '../../support/lots/strictCsv.ts'
import { ALLOWANCE_MS, manyCalls, sampleOf } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { serviceFor } from '../../support/service/start.ts'

const LOTS = 5_000

const api = serviceFor()
let key: string
let service: ServiceProcess

beforeAll(async () => {
  key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
  // Titles that together are more than the buffers of a connection take.
  const lot = { title: 'a'.repeat(1_000), starts_at: '-infinity', ends_at: 'infinity' } as const
  const lots = Array.from({ length: LOTS }, (_, index) => ({ slug: `lot-${index}`, ...lot }))
  await insertLots(api.sql, lots)
  service = await startServiceProcess(api.databaseUrl)
})

afterAll(() => service.kill())

/** Asks for the export and leaves when so many bytes have come, or at once. */
function askAndLeave(afterBytes: number): Promise<void> {
  const { hostname, port } = new URL(service.address)
  return new Promise(resolve => {
    let heard = 0
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET /api/v1/export HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      if (afterBytes === 0) socket.destroy()
    })
    socket.on('data', chunk => {
      heard += chunk.length
      if (heard >= afterBytes) socket.destroy()
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}

const busyBackends = async () => {
  const [row] = await api.sql<{ busy: number }[]>`
    select count(*) as busy
    from pg_stat_activity
    where datname = current_database() and application_name = 'surplus serve' and state <> 'idle'`
  return row!.busy
}

describe('clients of the export', () => {
  it('that leave at random bytes hold nothing up', async () => {
    await manyCalls(40, 20, index => askAndLeave(index % 4 === 0 ? 0 : Math.floor(Math.random() * 1_000_000)))
    const leftAt = performance.now()
    const whole = await sampleOf(`${service.address}/api/v1/export`, key)
    expect(whole.status).toBe(200)
    expect(readStrictCsv(whole.body)).toHaveLength(LOTS + 1)
    await expect.poll(busyBackends).toBe(0)
    expect(performance.now() - leftAt).toBeLessThan(3_000 + ALLOWANCE_MS)
  })

  it('get a broken body, never a short file that looks whole, when the process is killed', async () => {
    const doomed = await startServiceProcess(api.databaseUrl)
    const headers = { authorization: `Bearer ${key}` }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fetch(`${doomed.address}/api/v1/export`, { headers })),
    )
    await doomed.kill()
    const bodies = await Promise.all(answers.map(answer => answer.text().catch(() => 'broken')))
    // What had been sent as a whole before the end is whole.
    for (const body of bodies.filter(text => text !== 'broken'))
      expect(readStrictCsv(body)).toHaveLength(LOTS + 1)
    expect(bodies).toContain('broken')
    await sleep(1_000)
    expect(await busyBackends()).toBe(0)
  })
})

describe('statements that nobody waits for any more', () => {
  const READS_APPRAISALS = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
  let watch: Sql
  beforeAll(() => {
    watch = openAdminConnection(api.databaseUrl)
  })
  afterAll(() => watch.end())

  /** Calls that wait for a lock while `meanwhile` runs; it begins when all of them wait. */
  async function whileWaiting(address: string, calls: number, meanwhile: () => Promise<void>) {
    const headers = { authorization: `Bearer ${key}` }
    let waiting: Promise<unknown> = Promise.resolve()
    await api.sql.begin(async lock => {
      await lock`lock table appraisals in access exclusive mode`
      const asked = Array.from({ length: calls }, () => fetch(address + READS_APPRAISALS, { headers }))
      waiting = Promise.allSettled(asked)
      await expect.poll(() => waitingBackends(), { interval: 20 }).toBeGreaterThan(0)
      await meanwhile()
    })
    await waiting
  }
  const waitingBackends = async () => {
    const [row] = await watch<{ waiting: number }[]>`
      select count(*) as waiting
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus serve' and wait_event_type = 'Lock'`
    return row!.waiting
  }

  it('end within a second when the process that asked is killed', async () => {
    const doomed = await startServiceProcess(api.databaseUrl)
    await whileWaiting(doomed.address, 2, async () => {
      await doomed.kill()
      const killedAt = performance.now()
      await expect.poll(() => waitingBackends(), { interval: 20 }).toBe(0)
      // Noticed by `client_connection_check_interval`, before the statement timeout of 1.5 s.
      expect(performance.now() - killedAt).toBeLessThan(1_000 + ALLOWANCE_MS)
    })
  })
})
