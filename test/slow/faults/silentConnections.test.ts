import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/infra/log.ts'
import { type SwallowingProxy, startSwallowingProxy } from '../../support/database/swallowingProxy.ts'
import { ALLOWANCE_MS, type Load, type Sample, sampleOf, startLoad } from '../../support/service/load.ts'
import { type RunningService, startService } from '../../support/service/service.ts'
import { start, type TestService } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

const UNLIMITED = { monthly: 10_000_000, perMinute: 10_000_000 }
const CALLERS = 16
const LATE_ANSWERS_MS = 3_000
const RECOVERY_MS = 5_000
/** The bound of every answer. */
const NOTHING_HANGS_MS = 5_000 + ALLOWANCE_MS

let api: TestService
let proxy: SwallowingProxy
let service: RunningService
let key: string

beforeEach(async () => {
  api = await start()
  proxy = await startSwallowingProxy(api.databaseUrl)
  service = await startService(proxy.url, createLog('silent'), { lateAnswersMs: LATE_ANSWERS_MS })
  key = await api.makeKey('enterprise', UNLIMITED)
})
afterEach(async () => {
  await service.close()
  await proxy.close()
  await api.close()
})

const load = () => startLoad(CALLERS, key, () => `${service.address}/api/v1/sources`)
const answered = (samples: Sample[]) => samples.filter(({ status }) => status === 200)

/** Waits until a call that began after this moment was answered, and for what comes in the two seconds after it. */
async function untilAnswered(calling: Load, from: number): Promise<void> {
  const isAnswered = () => answered(calling.samples).some(({ startedAt }) => startedAt > from)
  await expect.poll(isAnswered, { timeout: RECOVERY_MS + ALLOWANCE_MS }).toBe(true)
  await sleep(2_000)
}

/** Every answer is a 200 or a 503 that came in time, and the counters have all of the first and next to none of the others. */
async function expectHonest(samples: Sample[]): Promise<void> {
  expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
  expect(Math.max(...samples.map(({ startedAt, endedAt }) => endedAt - startedAt))).toBeLessThan(
    NOTHING_HANGS_MS,
  )
  await sleep(LATE_ANSWERS_MS + 1_500)
  const { month, burst } = await usageOf(api.sql, key)
  const calls = answered(samples).length
  // A call that reached its deadline stays counted in the minute alone.
  expect(burst! - month!).toBeGreaterThanOrEqual(0)
  expect(burst! - month!).toBeLessThanOrEqual(samples.length - calls)
  expect(month).toBeGreaterThanOrEqual(calls)
  // The one batch whose answer was lost on the way: nobody can know whether it was counted.
  expect(month).toBeLessThanOrEqual(calls + CALLERS)
}

describe('connections to the database that fall silent', () => {
  it('are replaced: 200 again within 5 s of the silence, and no call is counted twice', async () => {
    const calling = load()
    await sleep(700)
    const silentAt = performance.now()
    proxy.swallow()
    await untilAnswered(calling, silentAt)
    const samples = await calling.stop()

    const after = samples.filter(({ startedAt }) => startedAt > silentAt)
    const first = answered(after)[0]
    expect(first, 'it recovers').toBeDefined()
    expect(first!.endedAt - silentAt).toBeLessThan(RECOVERY_MS + ALLOWANCE_MS)
    const felt = samples.filter(({ status, endedAt }) => status === 503 && endedAt > silentAt)
    expect(felt.length, 'the fault was felt').toBeGreaterThan(0)
    const steady = after.filter(({ startedAt }) => startedAt > first!.endedAt + 1_000)
    expect(steady.length).toBeGreaterThan(5)
    expect(answered(steady).length / steady.length, 'it stays so').toBeGreaterThan(0.9)
    await expectHonest(samples)
  })

  it('while new ones do not pass either, are replaced within 5 s of the way being open again', async () => {
    const calling = load()
    await sleep(700)
    proxy.swallowNew()
    proxy.swallow()
    await sleep(6_000)
    proxy.letNewPass()
    const openAt = performance.now()
    await untilAnswered(calling, openAt)
    const samples = await calling.stop()
    const first = answered(samples).find(({ startedAt }) => startedAt > openAt)
    expect(first, 'it recovers').toBeDefined()
    expect(first!.endedAt - openAt).toBeLessThan(RECOVERY_MS + ALLOWANCE_MS)
    expect(samples.at(-1)?.status).toBe(200)
    await expectHonest(samples)
  })

  it('when nobody calls, cost the next caller one 503', async () => {
    expect((await sampleOf(`${service.address}/api/v1/sources`, key)).status).toBe(200)
    proxy.swallow()
    expect((await sampleOf(`${service.address}/api/v1/sources`, key)).status).toBe(503)
    expect((await sampleOf(`${service.address}/api/v1/sources`, key)).status).toBe(200)
  })
})
