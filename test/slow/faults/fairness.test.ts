import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../../src/domain/apiKey.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { createKey } from '../../../src/usecases/createKey.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { percentileMs, type Sample, startLoad } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { start, type TestService } from '../../support/service/start.ts'
import { PEPPER } from '../../support/service/testSettings.ts'

const UNLIMITED = { callsPerMonth: 10_000_000, callsPerMinute: 10_000_000 }
const LOTS = 10_000
const HOSTILE_KEYS = 8
const HOSTILE_CONNECTIONS = 60
const HOSTILE_MS = 8_000

let api: TestService
let watch: Sql
let service: ServiceProcess
let hostileKeys: string[]
let goodKey: string

beforeAll(async () => {
  api = await start()
  watch = openAdminConnection(api.databaseUrl)
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')
  for (let part = 0; part < LOTS; part += 2_000) {
    await insertLots(
      api.sql,
      Array.from({ length: 2_000 }, (_, index) => ({
        slug: `lot-${part + index}`,
        description: words,
        category: 'other' as const,
        starts_at: '-infinity' as const,
        ends_at: 'infinity' as const,
      })),
    )
  }
  await api.sql`analyze lots`
  service = await startServiceProcess(api.databaseUrl)
  hostileKeys = await Promise.all(Array.from({ length: HOSTILE_KEYS }, () => makeKey('hostile')))
  goodKey = await makeKey('good')
}, 120_000)

afterAll(async () => {
  await service.kill()
  await watch.end()
  await api.close()
})

async function makeKey(owner: string): Promise<string> {
  const key = newKey()
  await createKey(api.sql, PEPPER, key, { plan: 'enterprise', owner, ...UNLIMITED })
  return key
}

let asked = 0
/** Every lot lacks the second word, and no two of these searches are alike. */
const expensiveSearch = () => `${service.address}/api/v1/listings?q=a%20or%20-zz${asked++}`
const withStatus = (samples: Sample[], status: number) => samples.filter(sample => sample.status === status)

describe('one account that asks 60 expensive searches at a time', () => {
  it('starves nobody else: every call of another account is answered, and none of its own statements outlives its calls', async () => {
    const perKey = Math.floor(HOSTILE_CONNECTIONS / HOSTILE_KEYS)
    const hostile = hostileKeys.map(key => startLoad(perKey, key, expensiveSearch))
    await sleep(1_000)
    const good = startLoad(
      1,
      goodKey,
      () => `${service.address}/api/v1/listings?category=vehicles&page=${++asked % 200 || 1}`,
    )
    await sleep(HOSTILE_MS)
    const goodSamples = await good.stop()
    const hostileSamples = (await Promise.all(hostile.map(load => load.stop()))).flat()

    expect(withStatus(goodSamples, 200).length).toBe(goodSamples.length)
    expect(goodSamples.length).toBeGreaterThan(5)
    // Nothing that was given up begins later.
    const [{ ended }] = await watch<[{ ended: string }]>`select clock_timestamp()::text as ended`
    await sleep(2_500)
    const [{ late }] = await watch<[{ late: number }]>`
      select count(*) as late
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus serve'
      and query like '%websearch_to_tsquery%' and query_start > ${ended}::text::timestamptz`
    expect(late).toBe(0)

    expect(hostileSamples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
    for (const { retryAfter, body } of withStatus(hostileSamples, 503)) {
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
    }
    console.info(
      `good: ${goodSamples.length} answers, p99 ${percentileMs(goodSamples, 0.99).toFixed(0)} ms; hostile: ${withStatus(hostileSamples, 200).length} × 200, ${withStatus(hostileSamples, 503).length} × 503`,
    )
  }, 60_000)
})
