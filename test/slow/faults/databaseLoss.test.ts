import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/infra/log.ts'
import type { ServiceSettings } from '../../../src/service.ts'
import {
  startReplication,
  type TestServer,
  WITH_SERVERS,
} from '../../support/database/replication.ts'
import { startSwallowingProxy } from '../../support/database/swallowingProxy.ts'
import { shared } from '../../support/run/shared.ts'
import { CALLERS, callThrough, expectCounted } from '../../support/service/faultUnderLoad.ts'
import { sampleOf } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { startService } from '../../support/service/service.ts'
import { keyMaker, serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

describe('a database', WITH_SERVERS, () => {
  const replication = shared(() => startReplication(0))
  let primary: TestServer
  beforeAll(async () => {
    primary = replication.primary
    await primary.sql.unsafe('alter database surplus set synchronous_commit = on')
  })
  const service = shared(() => startServiceProcess(primary.url))

  const makeKey = (monthly = 10_000_000) =>
    keyMaker(primary.sql)('enterprise', { monthly, perMinute: 10_000_000 })

  const sourcesOf = ({ address }: ServiceProcess) => `${address}/api/v1/sources`

  /** COMMIT waits while the named standby is absent. */
  async function requireStandby(name: string): Promise<void> {
    await primary.sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
    await primary.sql`select pg_reload_conf()`
  }

  /** The sessions of the services that wait for the standby. */
  async function waiting(): Promise<number> {
    const [row] = await primary.sql<{ waiting: number }[]>`
      select count(*) as waiting
      from pg_stat_activity
      where application_name = 'surplus serve' and wait_event = 'SyncRep'`
    return row!.waiting
  }

  const STALL = {
    begin: async () => {
      await requireStandby('absent')
      await expect.poll(waiting).toBeGreaterThan(0)
    },
    end: () => requireStandby(''),
  }

  it('that stops where it is (SIGSTOP) makes calls 503 in time, and exactly the 200s are counted', async () => {
    const key = await makeKey()
    const fault = { begin: () => primary.freeze(), end: () => primary.thaw() }
    await expectCounted(primary.sql, key, await callThrough(sourcesOf(service), key, fault))
  })

  it('whose synchronous standby stalls makes calls 503 in time, and gives back what was charged too late', async () => {
    const key = await makeKey()
    await expectCounted(primary.sql, key, await callThrough(sourcesOf(service), key, STALL))
    expect(await waiting(), 'every connection was freed').toBe(0)
  })

  it('that is killed (SIGKILL) makes calls 503 until it is back, and no call is counted twice or forgotten', async () => {
    const key = await makeKey()
    const fault = { begin: () => primary.kill(), end: () => primary.start() }
    const { answered, failed } = await callThrough(sourcesOf(service), key, fault)
    const { month, burst } = await usageOf(primary.sql, key)
    expect(month).toBeGreaterThanOrEqual(answered)
    // The one batch whose answer was lost on the way: nobody can know whether it was counted.
    expect(month).toBeLessThanOrEqual(answered + CALLERS)
    expect(burst).toBeGreaterThanOrEqual(month!)
    expect(burst).toBeLessThanOrEqual(month! + failed)
  })

  it('leaves calls charged whose connection was closed before COMMIT returned, and never grants more than the month', async () => {
    const month = 3_000
    const key = await makeKey(month)
    const settings: Partial<ServiceSettings> = { lateAnswersMs: 1_000 }
    const hasty = await startServiceProcess(primary.url, 'silent', { settings })
    const { answered, failed } = await callThrough(sourcesOf(hasty), key, {
      ...STALL,
      end: async () => {
        // So long that the connections of calls that wait are closed.
        await sleep(4_000)
        await STALL.end()
      },
    })
    await hasty.kill()
    const { month: counted } = await usageOf(primary.sql, key)
    expect(counted, 'a 503 is not read as uncounted').toBeGreaterThan(answered)
    expect(counted).toBeLessThanOrEqual(Math.min(month, answered + failed))
  })
})

describe('connections to the database that fall silent', () => {
  const LATE_ANSWERS_MS = 3_000
  const api = serviceFor()
  const proxy = shared(() => startSwallowingProxy(api.databaseUrl))
  const service = shared(() =>
    startService(proxy.url, createLog('silent'), { lateAnswersMs: LATE_ANSWERS_MS }),
  )

  it('when nobody calls, cost the next caller a 503, and are replaced', async () => {
    const key = await api.makeKey('enterprise', { monthly: 10_000_000, perMinute: 10_000_000 })
    const call = async () => (await sampleOf(`${service.address}/api/v1/sources`, key)).status
    expect(await call()).toBe(200)
    proxy.swallow()
    expect(await call()).toBe(503)
    await expect.poll(call).toBe(200)
  })

  it.each<[string, Parameters<typeof callThrough>[2]]>([
    ['are replaced', { begin: () => proxy.swallow(), isPartial: true }],
    [
      'while new ones do not pass either, are replaced when the way is open again',
      {
        begin: () => {
          proxy.swallowNew()
          proxy.swallow()
        },
        end: () => proxy.letNewPass(),
      },
    ],
  ])(
    '%s, and no call is counted twice',
    async (_what, fault) => {
      const key = await api.makeKey('enterprise', { monthly: 10_000_000, perMinute: 10_000_000 })
      const { answered, samples } = await callThrough(
        `${service.address}/api/v1/sources`,
        key,
        fault,
      )
      // After this, nothing is given back any more.
      await sleep(LATE_ANSWERS_MS + 1_500)
      const { month, burst } = await usageOf(api.sql, key)
      expect(month).toBeGreaterThanOrEqual(answered)
      // The one batch whose answer was lost on the way: nobody can know whether it was counted.
      expect(month).toBeLessThanOrEqual(answered + CALLERS)
      expect(burst! - month!).toBeGreaterThanOrEqual(0)
      expect(burst! - month!).toBeLessThanOrEqual(samples.length - answered)
    },
    120_000,
  )
})
