import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { createKey } from '../../src/usecases/createKey.ts'
import { type OwnCluster, startOwnCluster } from '../support/database/ownCluster.ts'
import { ALLOWANCE_MS, type Sample, startLoad, tookMs } from '../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../support/service/processes.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const CALLERS = 24
const AWAY_MS = 4_000
/** A request is answered by then, come what may. */
const LATEST_ANSWER_MS = 2_000 + ALLOWANCE_MS
const RECOVERY_MS = 2_000

let cluster: OwnCluster
let service: ServiceProcess

beforeAll(async () => {
  cluster = await startOwnCluster({ isDurable: true })
  service = await startServiceProcess(cluster.url)
})

afterAll(async () => {
  await service.kill()
  await cluster.end()
})

const withStatus = (samples: Sample[], status: number) => samples.filter(sample => sample.status === status)

describe('the database is killed under load (SIGKILL) and comes back', () => {
  it('calls get 503 while it is away, 200 within 2 s of its return, and no call is counted twice or forgotten', async () => {
    const key = newKey()
    const limits = { callsPerMonth: 10_000_000, callsPerMinute: 10_000_000 }
    await createKey(cluster.sql, PEPPER, key, { plan: 'enterprise', owner: 'killed', ...limits })
    const load = startLoad(CALLERS, key, () => `${service.address}/api/v1/sources`)
    await sleep(700)

    const killedAt = performance.now()
    cluster.kill()
    await sleep(AWAY_MS)
    await cluster.revive()
    const backAt = performance.now()
    await sleep(RECOVERY_MS + 1_000)
    const samples = await load.stop()

    expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
    const failed = withStatus(samples, 503)
    for (const { retryAfter, body } of failed) {
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
    }
    expect(failed.length, 'the fault was felt').toBeGreaterThan(CALLERS)
    expect(Math.max(...samples.map(tookMs))).toBeLessThan(LATEST_ANSWER_MS)
    const during = samples.filter(
      ({ startedAt, endedAt }) => startedAt > killedAt + 100 && endedAt < killedAt + AWAY_MS,
    )
    expect(withStatus(during, 200)).toEqual([])
    const again = withStatus(samples, 200).find(({ startedAt }) => startedAt > killedAt + AWAY_MS)
    expect(again!.endedAt - backAt).toBeLessThan(RECOVERY_MS + ALLOWANCE_MS)
    const late = failed.filter(({ endedAt }) => endedAt > backAt + RECOVERY_MS)
    expect(late, 'it stays so').toEqual([])

    const answered = withStatus(samples, 200).length
    const { month, burst } = await usageOf(cluster.sql, key)
    // A call that was not answered by its deadline stays charged to the minute alone.
    expect(burst).toBeGreaterThanOrEqual(month!)
    expect(burst).toBeLessThanOrEqual(month! + failed.length)
    expect(month).toBeGreaterThanOrEqual(answered)
    // The one batch whose answer was lost on the way: nobody can know whether it was counted.
    expect(month).toBeLessThanOrEqual(answered + CALLERS)
  }, 40_000)
})
