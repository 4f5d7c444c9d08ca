import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'
import { expectHonest, withStatus } from '../support/service/faultUnderLoad.ts'
import { sampleOf } from '../support/service/load.ts'
import { serviceFor } from '../support/service/start.ts'
import { revokeKeysOf, usageOf } from '../support/service/usage.ts'

const LOTS = 60
const slugs = Array.from({ length: LOTS }, (_, n) => `lot-${n}`)

describe('calls of single lots that arrive while one is read', () => {
  // One of the lots cannot be read in the last test.
  const api = serviceFor()
  const observer = shared(() => openAdminConnection(api.databaseUrl))
  let key: string
  let ids: string[]

  beforeAll(async () => {
    key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const lot = { starts_at: '-infinity', ends_at: 'infinity' } as const
    await insertLots(
      api.sql,
      slugs.map(slug => ({ ...lot, slug })),
    )
    const found = await api.sql<{ id: string }[]>`
      select id
      from lots
      where slug like 'lot-%'
      order by split_part(slug, '-', 2)::integer`
    ids = found.map(({ id }) => id)
  })

  const call = (name: string) => sampleOf(`${api.address}/api/v1/listings/${name}`, key)
  const listing = (name: string) => api.get(`/api/v1/listings/${name}`)
  const counted = async () => (await usageOf(api.sql, key)).month ?? 0
  /** The statements that wait for a lock. */
  const blocked = async () => {
    const rows = await observer<{ query: string }[]>`
      select query
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return rows.map(({ query }) => query)
  }

  /** Runs work while no lot can be read, after a first call has begun to wait for one. */
  async function whileFirstWaits<T>(work: (first: ReturnType<typeof call>) => Promise<T> | T) {
    return api.sql.begin(async lock => {
      await lock`lock table sources in access exclusive mode`
      const first = call(slugs[0]!)
      await expect.poll(blocked).not.toEqual([])
      // A promise in a list, so that the lock does not wait for it.
      return [await work(first)]
    })
  }

  it('each get their own lot, by id and by slug, or 404, and wait for one read together', async () => {
    const names = [...slugs, 'no-such-lot', ...ids, '00000000-0000-4000-8000-000000000000']
    const [answers] = await whileFirstWaits(async () => {
      const all = Promise.all(names.map(listing))
      await sleep(200)
      expect(await blocked()).toHaveLength(1)
      return { all }
    })
    const found = (await answers!.all).map(({ status, body }) =>
      status === 200 ? body.data.id : status,
    )
    expect(found).toEqual([...ids, 404, ...ids, 404])
  })

  it('go on when one of their clients leaves', async () => {
    const controller = new AbortController()
    const [waiting] = await whileFirstWaits(async () => {
      const { signal } = controller
      const headers = { authorization: `Bearer ${key}` }
      const left = fetch(`${api.address}/api/v1/listings/${slugs[1]}`, { headers, signal }).catch(
        String,
      )
      const others = Promise.all(slugs.slice(2, 12).map(listing))
      controller.abort()
      return { left: await left, others }
    })
    expect(waiting!.left).toMatch(/Abort/)
    expect((await waiting!.others).map(({ status }) => status)).toEqual(Array(10).fill(200))
  })

  it('are refused as one read is when the database does not answer or the connection is cut off, and not counted', async () => {
    const before = await counted()
    for (const fault of ['silent', 'cut off']) {
      const samples = await api.sql.begin(async lock => {
        await lock`lock table sources in access exclusive mode`
        const calls = Promise.all(slugs.slice(1).map(call))
        await expect.poll(blocked).not.toEqual([])
        if (fault === 'cut off')
          await observer`
            select pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`
        return calls
      })
      expectHonest(samples)
      expect([fault, withStatus(samples, 503).length]).toEqual([fault, LOTS - 1])
      await expect.poll(async () => (await call(slugs[0]!)).status).toBe(200)
    }
    const after = async () => (await counted()) - before
    await expect.poll(after).toBe(2)
  })

  it('do not fail for the error of another lot', async () => {
    await api.sql`
      update lots
      set current_bid_cents = 9223372036854775807, bid_increment_cents = 1
      where slug = ${slugs[5]!}`
    const [answers] = await whileFirstWaits(() => ({
      all: Promise.all(slugs.slice(1, 11).map(call)),
    }))
    const statuses = (await answers!.all).map(({ status }) => status)
    expect(statuses).toEqual(slugs.slice(1, 11).map(slug => (slug === slugs[5] ? 500 : 200)))
  })

  it('are read after they are counted', async () => {
    const [answer] = await api.sql.begin(async lock => {
      await lock`lock table monthly_usage in exclusive mode`
      await lock`lock table sources in access exclusive mode`
      const waiting = call(slugs[6]!)
      await expect.poll(blocked).not.toEqual([])
      await sleep(200)
      expect(await blocked()).toEqual([expect.stringContaining('with caller as materialized')])
      // A promise in an object, so that the lock does not wait for it.
      return [{ waiting }]
    })
    expect(await answer!.waiting).toMatchObject({ status: 200 })
  })

  it('are not read for a call that no operation answers, which is not counted', async () => {
    const before = await counted()
    const [refused] = await whileFirstWaits(async () => {
      const { status } = await api.send('post', `/api/v1/listings/${slugs[6]}`, { key })
      return { status, reads: (await blocked()).length }
    })
    expect(refused).toEqual({ status: 405, reads: 1 })
    await expect.poll(counted).toBe(before + 1)
  })

  it('are shown to nobody whose call is refused', async () => {
    const owner = 'limited'
    const limited = await api.makeKey('pro', { owner, perMinute: 1 })
    const send = (name: string) => api.get(`/api/v1/listings/${name}`, { key: limited })
    expect(await send(slugs[2]!)).toMatchObject({ status: 200 })
    const refused = { status: 429, body: { code: 'burst_rate_exceeded' } }
    for (const name of [slugs[3]!, 'no-such-lot']) expect(await send(name)).toMatchObject(refused)
    await revokeKeysOf(api.sql, owner)
    expect(await send(slugs[4]!)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
  })
})
