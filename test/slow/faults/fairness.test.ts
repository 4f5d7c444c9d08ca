import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { shared } from '../../support/run/shared.ts'
import { expectHonest, withStatus } from '../../support/service/faultUnderLoad.ts'
import { startLoad } from '../../support/service/load.ts'
import { processFor } from '../../support/service/processes.ts'
import { serviceFor } from '../../support/service/start.ts'

const UNLIMITED = { monthly: 10_000_000, perMinute: 10_000_000 }
const LOTS = 4_000
const HOSTILE_KEYS = 8
const HOSTILE_CONNECTIONS = 60
const ANSWERS = 20

const api = serviceFor()
const service = processFor(api)
const watch = shared(() => openAdminConnection(api.databaseUrl))
let hostileKeys: string[]
let goodKey: string

beforeAll(async () => {
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
  hostileKeys = await Promise.all(
    Array.from({ length: HOSTILE_KEYS }, () =>
      api.makeKey('enterprise', { owner: 'hostile', ...UNLIMITED }),
    ),
  )
  goodKey = await api.makeKey('enterprise', { owner: 'good', ...UNLIMITED })
})

let asked = 0
/** Every lot lacks the second word, and no two of these searches are alike. */
const expensiveSearch = () => `${service.address}/api/v1/listings?q=a%20or%20-zz${asked++}`
const WAIT = { timeout: 60_000 }

describe('one account that asks 60 expensive searches at a time', () => {
  it('starves nobody else: the calls of another account are answered, and none of its own statements outlives its calls', async () => {
    const perKey = Math.floor(HOSTILE_CONNECTIONS / HOSTILE_KEYS)
    const hostile = hostileKeys.map(key => startLoad(perKey, key, expensiveSearch))
    await expect.poll(() => hostile.some(({ samples }) => samples.length > 0), WAIT).toBe(true)
    const good = startLoad(
      1,
      goodKey,
      () => `${service.address}/api/v1/listings?category=vehicles&page=${++asked % 200 || 1}`,
    )
    await expect.poll(() => withStatus(good.samples, 200).length, WAIT).toBeGreaterThan(ANSWERS)
    const goodSamples = await good.stop()
    const hostileSamples = (await Promise.all(hostile.map(load => load.stop()))).flat()

    // Behind sixty statements, most of its calls would reach their deadline.
    expect(withStatus(goodSamples, 503).length).toBeLessThan(ANSWERS / 2)
    // Nothing that was given up begins later.
    const [{ ended }] = await watch<[{ ended: string }]>`select clock_timestamp()::text as ended`
    await sleep(2_500)
    const [{ late }] = await watch<[{ late: number }]>`
      select count(*) as late
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus serve'
      and query like '%websearch_to_tsquery%' and query_start > ${ended}::text::timestamptz`
    expect(late).toBe(0)

    expectHonest([...goodSamples, ...hostileSamples])
  })
})
