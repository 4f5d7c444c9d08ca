import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../../src/domain/apiKey.ts'
import type { ServiceSettings } from '../../../src/service.ts'
import { createKey } from '../../../src/usecases/createKey.ts'
import {
  CAN_REPLICATE,
  type Replication,
  startReplication,
  type TestServer,
} from '../../support/database/replication.ts'
import { ALLOWANCE_MS, type Sample, startLoad, tookMs } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { PEPPER } from '../../support/service/testSettings.ts'
import { usageOf } from '../../support/service/usage.ts'

const CALLERS = 12
const STALL_MS = 7_000
const DEADLINE_MS = 2_000
/** What one serving process may hold: READ_CONNECTIONS, COUNT_CONNECTIONS and EXPORT_CONNECTIONS. */
const POOLED = 14

let replication: Replication
let primary: TestServer
let service: ServiceProcess

const withStatus = (samples: Sample[], status: number) => samples.filter(sample => sample.status === status)

/** COMMIT waits while the named standby is not there. */
async function requireStandby(name: string): Promise<void> {
  await primary.sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
  await primary.sql`select pg_reload_conf()`
}

/** The sessions of the service, and how many of them wait for the standby. */
async function sessions() {
  const [row] = await primary.sql<{ all: number; waiting: number }[]>`
    select count(*) as all, count(*) filter (where wait_event = 'SyncRep') as waiting
    from pg_stat_activity
    where application_name = 'surplus serve'`
  return row!
}

/** Calls before, during and after a stall of one process, with a new key. */
async function stalledCalls(settings: Partial<ServiceSettings>, callsPerMonth: number) {
  const key = newKey()
  const limits = { callsPerMonth, callsPerMinute: 10_000_000 }
  await createKey(primary.sql, PEPPER, key, { plan: 'enterprise', owner: key, ...limits })
  service = await startServiceProcess(primary.url, 'silent', { settings })
  const load = startLoad(CALLERS, key, () => `${service.address}/api/v1/sources`)
  await sleep(700)
  await requireStandby('absent')
  const stalledAt = performance.now()
  let mostWaiting = 0
  while (performance.now() - stalledAt < STALL_MS) {
    mostWaiting = Math.max(mostWaiting, (await sessions()).waiting)
    await sleep(200)
  }
  await requireStandby('')
  const releasedAt = performance.now()
  await sleep(3_000)
  const samples = await load.stop()
  expect(mostWaiting, 'COMMIT waited').toBeGreaterThan(0)
  return { key, samples, failed: withStatus(samples, 503), stalledAt, releasedAt }
}

const countedOf = async (key: string) => (await usageOf(primary.sql, key)).month!

describe.skipIf(!CAN_REPLICATE)('a synchronous standby that stalls', () => {
  beforeAll(async () => {
    replication = await startReplication(0)
    primary = replication.primary
    await primary.sql.unsafe('alter database surplus set synchronous_commit = on')
  }, 60_000)

  afterEach(() => service.kill())

  afterAll(() => replication?.end())

  it('makes calls 503 in time; the service goes on after it, and gives back what was charged too late', async () => {
    const { key, samples, failed, stalledAt, releasedAt } = await stalledCalls({}, 10_000_000)

    expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
    expect(failed.length, 'the fault was felt').toBeGreaterThan(CALLERS)
    for (const { retryAfter, body } of failed) {
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
    }
    expect(Math.max(...failed.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    const during = samples.filter(
      ({ startedAt, endedAt }) => startedAt > stalledAt + 250 && endedAt < releasedAt,
    )
    expect(withStatus(during, 200)).toEqual([])
    expect(samples.at(-1)?.status).toBe(200)

    const answered = withStatus(samples, 200).length
    await expect.poll(() => countedOf(key), { timeout: 5_000 }).toBe(answered)
    const { burst } = await usageOf(primary.sql, key)
    expect(burst, 'they stay charged to the minute').toBeGreaterThan(answered)
    expect(burst).toBeLessThanOrEqual(samples.length)
    const { all, waiting } = await sessions()
    expect(waiting, 'every connection was freed').toBe(0)
    expect(all).toBeLessThanOrEqual(POOLED)
  }, 60_000)

  it('leaves calls charged whose connection was closed before COMMIT returned, and never grants more than the month', async () => {
    const month = 3_000
    const { key, samples, failed } = await stalledCalls({ lateAnswersMs: 1_000 }, month)
    const answered = withStatus(samples, 200).length
    const counted = await countedOf(key)
    expect(counted, 'a 503 is not read as uncounted').toBeGreaterThan(answered)
    expect(counted).toBeLessThanOrEqual(Math.min(month, answered + failed.length))
  }, 60_000)
})
