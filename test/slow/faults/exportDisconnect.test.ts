import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { readStrictCsv } from '../../support/lots/strictCsv.ts'
import { shared } from '../../support/run/shared.ts'
import { ALLOWANCE_MS, manyCalls, sampleOf } from '../../support/service/load.ts'
import { processFor, startServiceProcess } from '../../support/service/processes.ts'
import { serviceFor } from '../../support/service/start.ts'

const LOTS = 5_000

const api = serviceFor()
const service = processFor(api)
let key: string

beforeAll(async () => {
  key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
  // Titles that together are more than the buffers of a connection take.
  const lot = { title: 'a'.repeat(1_000), starts_at: '-infinity', ends_at: 'infinity' } as const
  const lots = Array.from({ length: LOTS }, (_, index) => ({ slug: `lot-${index}`, ...lot }))
  await insertLots(api.sql, lots)
})

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
    await manyCalls(40, 20, index =>
      askAndLeave(index % 4 === 0 ? 0 : Math.floor(Math.random() * 1_000_000)),
    )
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
  const watch = shared(() => openAdminConnection(api.databaseUrl))

  const waitingBackends = async () => {
    const [row] = await watch<{ waiting: number }[]>`
      select count(*) as waiting
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus serve' and wait_event_type = 'Lock'`
    return row!.waiting
  }

  it('end within a second when the process that asked is killed', async () => {
    const doomed = await startServiceProcess(api.databaseUrl)
    await api.sql.begin(async lock => {
      await lock`lock table appraisals in access exclusive mode`
      const call = sampleOf(doomed.address + READS_APPRAISALS, key)
      await expect.poll(waitingBackends, { interval: 20 }).toBeGreaterThan(0)
      await doomed.kill()
      const killedAt = performance.now()
      await call
      await expect.poll(waitingBackends, { interval: 20 }).toBe(0)
      // Noticed by `client_connection_check_interval`, before the statement timeout of 1.5 s.
      expect(performance.now() - killedAt).toBeLessThan(1_000 + ALLOWANCE_MS)
    })
  })
})
