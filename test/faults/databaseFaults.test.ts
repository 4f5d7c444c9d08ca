import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { createKey } from '../../src/usecases/createKey.ts'
import { type OwnCluster, startOwnCluster } from '../support/database/ownCluster.ts'
import {
  ALLOWANCE_MS,
  manyCalls,
  percentileMs,
  type Sample,
  sampleOf,
  startLoad,
  tookMs,
} from '../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../support/service/processes.ts'
import { type RunningService, startService } from '../support/service/service.ts'
import { start, type TestService } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const UNLIMITED = { monthly: 10_000_000, perMinute: 10_000_000 }

/** A request is answered by then, come what may. */
const DEADLINE_MS = 2_000

let api: TestService
let process: ServiceProcess
const running: RunningService[] = []

beforeAll(async () => {
  api = await start()
  process = await startServiceProcess(api.databaseUrl)
})

afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.close()))
})

afterAll(async () => {
  await process.kill()
  await api.close()
})

async function startOn(databaseUrl: string): Promise<RunningService> {
  const service = await startService(databaseUrl)
  running.push(service)
  return service
}

const withStatus = (samples: Sample[], status: number) => samples.filter(sample => sample.status === status)

/** Every answer is a 200 or an honest 503. */
function expectHonest(samples: Sample[]): void {
  expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
  for (const { retryAfter, body } of withStatus(samples, 503)) {
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
  }
}

describe('the backends of the database are terminated under load', () => {
  it('every call gets 200 or 503, the last 503 comes within 2 s, and exactly the 200s are counted', async () => {
    const { address } = process
    const key = await api.makeKey('enterprise', UNLIMITED)
    const paths = ['/api/v1/sources', '/api/v1/listings', '/api/v1/listings?q=truck&zip=60601']
    const load = startLoad(24, key, () => address + paths[Math.floor(Math.random() * paths.length)])
    let lastFaultAt = 0
    for (let round = 0; round < 6; round++) {
      await sleep(350)
      lastFaultAt = performance.now()
      await api.sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and application_name = 'surplus serve'`
    }
    await sleep(1_500)
    const samples = await load.stop()

    expectHonest(samples)
    const failed = withStatus(samples, 503)
    expect(failed.length, 'the fault was felt').toBeGreaterThan(0)
    expect(Math.max(...failed.map(({ endedAt }) => endedAt)) - lastFaultAt).toBeLessThan(2_000 + ALLOWANCE_MS)
    expect(samples.at(-1)?.status).toBe(200)
    const answered = withStatus(samples, 200).length
    await expect
      .poll(() => usageOf(api.sql, key), { timeout: 4_000 })
      .toEqual({ month: answered, burst: answered })
  })
})

describe('the database stops in its tracks (SIGSTOP)', () => {
  let cluster: OwnCluster
  let frozen: ServiceProcess

  beforeAll(async () => {
    cluster = await startOwnCluster()
    frozen = await startServiceProcess(cluster.url)
  })

  afterAll(async () => {
    await frozen.kill()
    await cluster.end()
  })

  it('calls get 503 when their deadline passes, 200 within 2 s after SIGCONT, and exactly the 200s are counted', async () => {
    const { address } = frozen
    const key = newKey()
    const limits = { callsPerMonth: 10_000_000, callsPerMinute: 10_000_000 }
    await createKey(cluster.sql, PEPPER, key, { plan: 'enterprise', owner: 'frozen', ...limits })
    const load = startLoad(16, key, () => `${address}/api/v1/sources`)
    await sleep(500)

    const frozenAt = performance.now()
    cluster.freeze()
    await sleep(4_000)
    cluster.thaw()
    const thawedAt = performance.now()
    await sleep(1_500)
    const samples = await load.stop()

    expectHonest(samples)
    const failed = withStatus(samples, 503)
    expect(failed.length).toBeGreaterThan(16)
    expect(Math.max(...failed.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    const during = samples.filter(({ startedAt, endedAt }) => startedAt > frozenAt && endedAt < thawedAt)
    expect(withStatus(during, 200)).toEqual([])
    const again = withStatus(samples, 200).find(({ startedAt }) => startedAt > thawedAt)
    expect(again!.endedAt - thawedAt).toBeLessThan(2_000 + ALLOWANCE_MS)
    expect(samples.at(-1)?.status).toBe(200)
    const answered = withStatus(samples, 200).length
    await expect.poll(async () => (await usageOf(cluster.sql, key)).month, { timeout: 4_000 }).toBe(answered)
    // A deadline gives the month back and keeps the minute, so that calls which time out are not without limit.
    const { burst } = await usageOf(cluster.sql, key)
    expect(burst).toBeGreaterThanOrEqual(answered)
    expect(burst).toBeLessThanOrEqual(samples.length)
  })
})

describe('slow statements', () => {
  it('end in 503 at the statement timeout while fast reads go on', async () => {
    const { address } = process
    const key = await api.makeKey('enterprise', UNLIMITED)
    const another = await api.makeKey('enterprise', UNLIMITED)
    const slowPath = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
    expect((await sampleOf(address + slowPath, key)).status).toBe(404)

    // What reads the appraisals waits for this lock.
    const { slow, fast } = await api.sql.begin(async lock => {
      await lock`lock table appraisals in access exclusive mode`
      const load = startLoad(4, another, () => `${address}/api/v1/listings`)
      const late = await manyCalls(2, 2, () => sampleOf(address + slowPath, key))
      return { slow: late, fast: await load.stop() }
    })
    expectHonest(slow)
    for (const sample of slow) {
      expect(sample.status).toBe(503)
      expect(tookMs(sample)).toBeGreaterThan(1_400)
      expect(tookMs(sample)).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    }
    expect(withStatus(fast, 200).length).toBe(fast.length)
    expect(fast.length).toBeGreaterThan(20)
    expect((await sampleOf(address + slowPath, key)).status).toBe(404)
  })
})

describe('a database that cannot be reached', () => {
  it('is a 503 at once for every caller', async () => {
    const { address } = await startOn('postgres://nobody@127.0.0.1:1/nothing')
    const samples = await manyCalls(20, 1, () => sampleOf(`${address}/api/v1/sources`, newKey()))
    expectHonest(samples)
    expect(withStatus(samples, 200)).toEqual([])
    expect(Math.max(...samples.slice(5).map(tookMs))).toBeLessThan(250 + ALLOWANCE_MS)
  })

  it('that takes connections and never answers is a 503 when the deadline passes, then at once', async () => {
    const silent = await listenSilently()
    const { address } = await startOn(`postgres://nobody@127.0.0.1:${silent.port}/nothing`)
    const first = await manyCalls(6, 6, () => sampleOf(`${address}/api/v1/sources`, newKey()))
    const next = await manyCalls(20, 20, async index => {
      await sleep(index * 50)
      return sampleOf(`${address}/api/v1/sources`, newKey())
    })
    silent.end()

    expectHonest([...first, ...next])
    expect(withStatus([...first, ...next], 200)).toEqual([])
    expect(Math.max(...first.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    // The first calls have opened the circuit: half of the next ones are faster than any of them, whatever else the machine does.
    expect(percentileMs(next, 0.5)).toBeLessThan(Math.min(...first.map(tookMs)))
  })

  it('makes /readyz answer 503, and /healthz 200', async () => {
    const { address } = await startOn('postgres://nobody@127.0.0.1:1/nothing')
    expect((await sampleOf(`${address}/readyz`, '')).status).toBe(503)
    expect((await sampleOf(`${address}/healthz`, '')).status).toBe(200)
  })

  it('has no connection left: 503, and 200 within a second of one', async () => {
    const role = `few_${process.pid}`
    const address = new URL(api.databaseUrl)
    address.username = role
    address.password = 'few'
    await api.sql.unsafe(
      `create role ${role} login password 'few' connection limit 0 in role pg_read_all_data, pg_write_all_data`,
    )
    const service = await startOn(address.href)
    const key = await api.makeKey('enterprise', UNLIMITED)
    const full = await manyCalls(8, 2, () => sampleOf(`${service.address}/api/v1/sources`, key))
    expectHonest(full)
    expect(withStatus(full, 503).length).toBe(8)

    await api.sql.unsafe(`alter role ${role} connection limit 50`)
    const freeAt = performance.now()
    let sample = await sampleOf(`${service.address}/api/v1/sources`, key)
    while (sample.status !== 200 && sample.endedAt - freeAt < 5_000) {
      await sleep(50)
      sample = await sampleOf(`${service.address}/api/v1/sources`, key)
    }
    expect(sample.status).toBe(200)
    expect(sample.endedAt - freeAt).toBeLessThan(1_000 + ALLOWANCE_MS)
    await service.close()
    running.pop()
    await expect
      .poll(() => api.sql.unsafe(`drop role ${role}`).then(() => 'dropped', String), { timeout: 3_000 })
      .toBe('dropped')
  })
})

/** Takes connections and never says a word. */
async function listenSilently(): Promise<{ port: number; end(): void }> {
  const taken: Socket[] = []
  const server = createServer(socket => {
    taken.push(socket.on('error', () => {}).resume())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    end: () => {
      server.close()
      for (const socket of taken) socket.destroy()
    },
  }
}
