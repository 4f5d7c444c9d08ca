import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { expectHonest, withStatus } from '../support/service/faultUnderLoad.ts'
import { ALLOWANCE_MS, manyCalls, sampleOf, tookMs } from '../support/service/load.ts'
import { processFor } from '../support/service/processes.ts'
import { exchange } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'
import { METRICS_TOKEN } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

/** An export of so many lots keeps the processor busy, so that callers wait for one another. */
const LOTS = 2_000
const CALLS_PER_CALLER = 24
const CALLERS = 6 * CALLS_PER_CALLER

describe('a process with several times more to do than it can', () => {
  const api = serviceFor()
  const service = processFor(api, 'silent', {
    settings: { callsPerCaller: CALLS_PER_CALLER },
  })
  let key: string

  beforeAll(async () => {
    key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const lot = {
      description: 'a'.repeat(200),
      starts_at: '-infinity',
      ends_at: 'infinity',
    } as const
    await insertLots(
      api.sql,
      Array.from({ length: LOTS }, (_, n) => ({ slug: `lot-${n}`, ...lot })),
    )
  })

  const ask = (path: string) => sampleOf(service.address + path, key)
  const shedSoFar = async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const text = await (await fetch(`${service.address}/metrics`, { headers })).text()
    return Number(/^surplus_shed_requests_total (\d+)$/m.exec(text)?.[1])
  }

  it('sheds with 503, goes on answering what it accepts, and counts exactly that', async () => {
    const calls = manyCalls(2 * CALLERS, CALLERS, () => ask('/api/v1/export'))
    const health = await manyCalls(20, 1, () => ask('/healthz'))
    const samples = await calls

    expect(health.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expectHonest(samples)
    const accepted = withStatus(samples, 200).length
    // The others are deadlines that passed. A few of these are refused by the queue of the
    // database, which says the same.
    const shed = withStatus(samples, 503).filter(({ body }) =>
      /overloaded|Send fewer calls/.test(body),
    ).length
    console.info(
      `${samples.length} calls by ${CALLERS} callers: ${accepted} accepted, ${shed} shed`,
    )
    expect(accepted, 'it goes on working').toBeGreaterThan(0)
    expect(await shedSoFar(), 'it was too much').toBeGreaterThan(0)
    expect(await shedSoFar()).toBeLessThanOrEqual(shed)
    await expect.poll(async () => (await usageOf(api.sql, key)).month).toBe(accepted)
    await expect.poll(async () => (await ask('/api/v1/sources')).status).toBe(200)
  })

  it('does not count clients that send their requests slowly', async () => {
    const before = await shedSoFar()
    const head =
      'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{'
    const slow = Array.from({ length: 60 }, () => exchange(service.address, head, 1_500))
    expect((await ask('/api/v1/sources')).status).toBe(200)
    await Promise.all(slow)
    expect(await shedSoFar()).toBe(before)
  })

  it('gives the slots of clients that leave to others', async () => {
    const headers = { authorization: `Bearer ${key}` }
    const leave = () =>
      fetch(`${service.address}/api/v1/export`, { headers, signal: AbortSignal.timeout(20) })
    await Promise.allSettled(Array.from({ length: 20 }, leave))
    const areAllAnswered = async () =>
      withStatus(await manyCalls(24, 12, () => ask('/api/v1/sources')), 200).length === 24
    await expect.poll(areAllAnswered).toBe(true)
  })
})

describe('a response has 2 s', () => {
  const api = serviceFor({ settings: { callsPerCaller: 1 } })
  /** One after the other, these would take longer than any machine is slow. */
  const CALLS = 24

  it('from its arrival, also while calls of the same address wait to be counted', async () => {
    const key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const samples = await api.sql.begin(async lock => {
      await lock`lock table monthly_usage in access exclusive mode`
      const answered = await manyCalls(CALLS, CALLS, () =>
        sampleOf(`${api.address}/api/v1/sources`, key),
      )
      // The statement of the first call is canceled within the time of a statement, not with the
      // answer.
      await setTimeout(2_000)
      return answered
    })
    expectHonest(samples)
    expect(withStatus(samples, 503)).toHaveLength(CALLS)
    expect(Math.max(...samples.map(tookMs))).toBeLessThan(2_000 + ALLOWANCE_MS)
    expect((await usageOf(api.sql, key)).month ?? 0).toBe(0)
  })
})
