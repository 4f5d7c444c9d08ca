import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import {
  callThrough,
  expectCounted,
  expectHonest,
  withStatus,
} from '../support/service/faultUnderLoad.ts'
import { ALLOWANCE_MS, manyCalls, sampleOf, startLoad, tookMs } from '../support/service/load.ts'
import { type RunningService, startService } from '../support/service/service.ts'
import { serviceFor } from '../support/service/start.ts'

const UNLIMITED = { monthly: 10_000_000, perMinute: 10_000_000 }
const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nothing'
/** A request is answered by then. */
const DEADLINE_MS = 2_000

const api = serviceFor()
const running: RunningService[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.close()))
})

async function sourcesOn(databaseUrl: string): Promise<string> {
  const service = await startService(databaseUrl)
  running.push(service)
  return `${service.address}/api/v1/sources`
}

describe('the backends of the database are terminated under load', () => {
  it('every call gets 200 or 503, and exactly the 200s are counted', async () => {
    const key = await api.makeKey('enterprise', UNLIMITED)
    const terminate = async () => {
      await api.sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and application_name = 'surplus serve'`
    }
    let again: NodeJS.Timeout
    const survived = await callThrough(`${api.address}/api/v1/listings?q=truck&zip=60601`, key, {
      begin: () => {
        again = setInterval(() => void terminate(), 200)
      },
      end: () => clearInterval(again),
      isPartial: true,
    })
    await expectCounted(api.sql, key, survived)
  })
})

describe('slow statements', () => {
  it('end in 503 at the statement timeout while fast reads go on', async () => {
    const { address } = api
    const key = await api.makeKey('enterprise', UNLIMITED)
    const another = await api.makeKey('enterprise', UNLIMITED)
    const slowPath = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
    expect((await sampleOf(address + slowPath, key)).status).toBe(404)

    // What reads the appraisals waits for this lock.
    const { slow, fast } = await api.sql.begin(async lock => {
      await lock`lock table appraisals in access exclusive mode`
      const slow = startLoad(2, key, () => address + slowPath)
      const fast = startLoad(4, another, () => `${address}/api/v1/listings`)
      await expect.poll(() => slow.samples.length).toBeGreaterThanOrEqual(2)
      await expect.poll(() => withStatus(fast.samples, 200).length).toBeGreaterThan(20)
      return { slow: await slow.stop(), fast: await fast.stop() }
    })
    expectHonest([...slow, ...fast])
    expect(withStatus(slow, 200)).toEqual([])
    for (const sample of slow.slice(0, 2)) {
      expect(tookMs(sample)).toBeGreaterThan(1_400)
      expect(tookMs(sample)).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    }
    expect((await sampleOf(address + slowPath, key)).status).toBe(404)
  })
})

describe('a database that cannot be reached', () => {
  it('is a 503 for every caller, also from /readyz, and /healthz is 200', async () => {
    const url = await sourcesOn(UNREACHABLE)
    const samples = await manyCalls(20, 1, () => sampleOf(url, newKey()))
    expectHonest(samples)
    expect(withStatus(samples, 503)).toHaveLength(20)
    expect((await sampleOf(new URL('/readyz', url).href, '')).status).toBe(503)
    expect((await sampleOf(new URL('/healthz', url).href, '')).status).toBe(200)
  })

  it('is a 503 for health checks, of which an address has a few at work at once like other calls', async () => {
    const silent = await listenSilently()
    const url = await sourcesOn(`postgres://nobody@127.0.0.1:${silent.port}/nothing`)
    const ready = new URL('/readyz', url).href
    const samples = await manyCalls(64, 64, () => sampleOf(ready, ''))
    silent.end()

    expect(withStatus(samples, 503)).toHaveLength(64)
    expect(samples.some(({ body }) => body.includes('Send fewer calls at once.'))).toBe(true)
    expect((await sampleOf(new URL('/healthz', url).href, '')).status).toBe(200)
  })

  it('that takes connections and never answers is a 503 when the deadline passes, then at once', async () => {
    const silent = await listenSilently()
    const url = await sourcesOn(`postgres://nobody@127.0.0.1:${silent.port}/nothing`)
    const first = await manyCalls(6, 6, () => sampleOf(url, newKey()))
    const next = await manyCalls(20, 4, () => sampleOf(url, newKey()))
    silent.end()

    expectHonest([...first, ...next])
    expect(withStatus([...first, ...next], 200)).toEqual([])
    expect(Math.max(...first.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
    // The first calls have opened the circuit: no call has waited for the deadline since.
    expect(Math.min(...next.map(tookMs))).toBeLessThan(Math.min(...first.map(tookMs)))
  })

  it('has no connection left: 503, and 200 when there is one again', async () => {
    const role = `few_${process.pid}`
    const address = new URL(api.databaseUrl)
    address.username = role
    address.password = 'few'
    const rights = 'in role pg_read_all_data, pg_write_all_data'
    await api.sql.unsafe(`create role ${role} login password 'few' connection limit 0 ${rights}`)
    const url = await sourcesOn(address.href)
    const key = await api.makeKey('enterprise', UNLIMITED)
    const full = await manyCalls(8, 2, () => sampleOf(url, key))
    expectHonest(full)
    expect(withStatus(full, 503)).toHaveLength(8)

    await api.sql.unsafe(`alter role ${role} connection limit 50`)
    await expect.poll(async () => (await sampleOf(url, key)).status).toBe(200)
    await running.pop()!.close()
    await expect
      .poll(() => api.sql.unsafe(`drop role ${role}`).then(() => 'dropped', String))
      .toBe('dropped')
  })
})

/** Takes connections and never answers. */
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
