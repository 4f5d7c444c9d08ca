import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLoad } from '../../../src/http/middleware/loadShedding.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { manyCalls, percentileMs, type Sample, sampleOf } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { exchange } from '../../support/service/rawHttp.ts'
import { start, type TestService } from '../../support/service/start.ts'
import { METRICS_TOKEN } from '../../support/service/testSettings.ts'
import { usageOf } from '../../support/service/usage.ts'

describe('load shedding', () => {
  const LIMITS = { callsAtOnce: 400, maxQueueMs: 500 }

  /** A load whose clock the test turns. */
  function start() {
    let time = 0
    const load = createLoad(LIMITS, () => time)
    return {
      load,
      letIn: (count: number) => {
        for (let call = 0; call < count; call++) load.begin()
      },
      /** One in and one out at an even pace. */
      goOn: (seconds: number, perSecond: number) => {
        for (let call = 0; call < seconds * perSecond; call++) {
          time += 1_000 / perSecond
          load.end()
          load.begin()
        }
      },
      pass: (ms: number) => {
        time += ms
      },
    }
  }

  it('lets a burst in up to the most, and no further', () => {
    const { load, letIn } = start()
    letIn(399)
    expect(load.isOverloaded()).toBe(false)
    letIn(1)
    expect(load.isOverloaded()).toBe(true)
    load.end()
    expect(load.isOverloaded()).toBe(false)
  })

  it('lets a line be that does not last a second, however slow its pace', () => {
    const { load, letIn, pass } = start()
    letIn(300)
    pass(999)
    expect(load.isOverloaded()).toBe(false)
  })

  it('is full when a line has stood for a second that would take longer than it may', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 500)
    expect(load.isOverloaded(), '300 calls at 500 a second take 0.6 s').toBe(true)
  })

  it('is not full when a line stands that is answered in time', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 1_000)
    expect(load.isOverloaded(), '300 calls at 1,000 a second take 0.3 s').toBe(false)
  })

  it('always lets a quarter of the most in, however slow the pace', () => {
    const { load, letIn, goOn, pass } = start()
    letIn(99)
    goOn(5, 2)
    pass(60_000)
    expect(load.isOverloaded()).toBe(false)
  })

  it('takes bursts again when the line has been short', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 100)
    expect(load.isOverloaded()).toBe(true)
    for (let call = 0; call < 260; call++) load.end()
    letIn(340)
    expect(load.isOverloaded()).toBe(false)
  })
})

/** An export of so many lots keeps the processor busy, so that a few callers are several times what one process can do. */
const LOTS = 5_000
const LOAD_MS = 10_000
/** So many callers keep a process busy all the time and are all let in: it is at its capacity, and sheds nobody. */
const AT_CAPACITY = 24
/** What comes in the first second is let in, and answered by then. */
const SETTLED_MS = 4_000

describe('a process with several times more to do than it can', () => {
  let api: TestService
  let service: ServiceProcess
  let loaded: ServiceProcess
  let address: string

  beforeAll(async () => {
    api = await start()
    await insertLots(
      api.sql,
      Array.from({ length: LOTS }, (_, index) => ({
        slug: `lot-${index}`,
        description: 'a'.repeat(200),
        starts_at: '-infinity' as const,
        ends_at: 'infinity' as const,
      })),
    )
    const limited = (callsAtOnce: number) =>
      startServiceProcess(api.databaseUrl, 'silent', {
        settings: { loadLimits: { callsAtOnce, maxQueueMs: 500 } },
      })
    service = await limited(24)
    loaded = await limited(4 * AT_CAPACITY)
    address = service.address
  })

  afterAll(async () => {
    await Promise.all([service.kill(), loaded.kill()])
    await api.close()
  })

  const statusesOf = (samples: Sample[]) => [...new Set(samples.map(({ status }) => status))].sort()
  const shedSoFar = async (process = service) => {
    const text = await (
      await fetch(`${process.address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    ).text()
    return Number(/^surplus_shed_requests_total (\d+)$/m.exec(text)?.[1])
  }

  it('sheds at once with 503, goes on answering what it accepts, and counts exactly that', async () => {
    const { address } = loaded
    const key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const ask = () => sampleOf(`${address}/api/v1/export`, key)
    await manyCalls(4, 2, ask)
    const startedAt = performance.now()
    const busy = await manyCalls(8 * AT_CAPACITY, AT_CAPACITY, ask)
    const answered = busy.filter(({ status }) => status === 200)
    const capacity = (answered.length / (performance.now() - startedAt)) * 1_000

    // Callers who do not wait for one another: four times as many as it can answer.
    const asked: Promise<Sample>[] = []
    const health: Sample[] = []
    const loadedAt = performance.now()
    while (performance.now() - loadedAt < LOAD_MS) {
      asked.push(ask())
      if (asked.length % 20 === 0) health.push(await sampleOf(`${address}/healthz`, ''))
      const due = loadedAt + (asked.length / (4 * capacity)) * 1_000
      await sleep(Math.max(0, due - performance.now()))
    }
    const samples = await Promise.all(asked)

    const accepted = samples.filter(({ status }) => status === 200)
    const shed = samples.filter(({ status }) => status === 503)
    expect(accepted.length + shed.length).toBe(samples.length)
    for (const { retryAfter, body } of shed) {
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(JSON.parse(body)).toMatchObject({
        code: 'internal_error',
        error: expect.stringMatching(/overloaded/),
      })
    }
    expect(shed.length, 'it was too much').toBeGreaterThan(samples.length / 4)
    expect(accepted.length, 'it goes on working').toBeGreaterThan(AT_CAPACITY)
    // For the line below: how many answers a call waits for, at capacity and under load. Without shedding it would be thousands.
    const isSettled = (time: number) => time - loadedAt > SETTLED_MS && time - loadedAt < LOAD_MS
    const settled = accepted.filter(sample => isSettled(sample.startedAt))
    const pace = accepted.filter(sample => isSettled(sample.endedAt)).length / (LOAD_MS - SETTLED_MS)
    const waits = [percentileMs(answered, 0.99) * (capacity / 1_000), percentileMs(settled, 0.99) * pace]
    expect(percentileMs(shed, 0.5)).toBeLessThan(percentileMs(accepted, 0.5))
    expect(statusesOf(health)).toEqual([200])
    // The others are deadlines that passed, on a machine that is slower than a moment before.
    expect(await shedSoFar(loaded)).toBeGreaterThan(samples.length / 4)
    const counted = accepted.length + answered.length + 4
    await expect.poll(async () => (await usageOf(api.sql, key)).month).toBe(counted)
    expect(statusesOf([await ask()])).toEqual([200])
    console.info(
      `capacity ${capacity.toFixed(0)}/s; offered ${samples.length} in ${LOAD_MS} ms: ${accepted.length} accepted (${settled.length} of them settled: p99 ${percentileMs(settled, 0.99).toFixed(0)} ms; at capacity ${percentileMs(answered, 0.99).toFixed(0)} ms; that is ${waits.map(wait => wait.toFixed(0))} answers), ${shed.length} shed (median ${percentileMs(shed, 0.5).toFixed(0)} ms)`,
    )
  }, 60_000)

  it('does not count clients that send their requests slowly', async () => {
    const before = await shedSoFar()
    const head =
      'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{'
    const slow = Array.from({ length: 60 }, () => exchange(address, head, 1_500))
    await sleep(500)
    const key = await api.makeKey('free')
    expect((await sampleOf(`${address}/api/v1/sources`, key)).status).toBe(200)
    await Promise.all(slow)
    expect(await shedSoFar()).toBe(before)
  })

  it('gives the places of clients that leave to others', async () => {
    const key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const left = Array.from({ length: 20 }, () =>
      fetch(`${address}/api/v1/export`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(20),
      }).catch(() => null),
    )
    await Promise.all(left)
    await sleep(2_500)
    const samples = await manyCalls(24, 12, () => sampleOf(`${address}/api/v1/sources`, key))
    expect(statusesOf(samples)).toEqual([200])
  })
})
