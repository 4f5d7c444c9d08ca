import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { createLog } from '../../src/infra/log.ts'
import { createKey } from '../../src/usecases/createKey.ts'
import { insertLots, insertSales } from '../support/fixtures.ts'
import { manyCalls, sampleOf, startLoad, tookMs } from '../support/load.ts'
import { PEPPER } from '../support/pepper.ts'
import { CAN_REPLICATE, type Replication, startReplication, type TestServer } from '../support/replication.ts'
import { type RunningService, startService } from '../support/service.ts'
import { usageOf } from '../support/usage.ts'

const MOST_LAG_MS = 1_500
const HOUR_MS = 3_600_000
const UNLIMITED = { callsPerMonth: 10_000_000, callsPerMinute: 10_000_000 }

vi.setConfig({ testTimeout: 60_000 })

let replication: Replication
let primary: TestServer
let first: TestServer
let second: TestServer
let service: RunningService
const key = newKey()

const live = () => ({
  current_bid_cents: 100_00,
  starts_at: new Date(Date.now() - HOUR_MS),
  ends_at: new Date(Date.now() + HOUR_MS),
})
const placeOf = ({ url }: TestServer) => new URL(url).host + new URL(url).pathname
const start = (replicaUrls: string[]) =>
  startService(primary.url, createLog('silent'), { replicaUrls, replicaLagMs: MOST_LAG_MS })

async function ask(path: string, { address } = service) {
  const { status, body } = await sampleOf(address + path, key)
  return { status, body: status === 200 && body.startsWith('{') ? JSON.parse(body) : body }
}

/** What `/metrics` says of the places that lots are read at. */
async function metrics({
  address,
} = service): Promise<Record<'inUse' | 'lag' | 'reads', Record<string, number>>> {
  const text = await (await fetch(`${address}/metrics`)).text()
  const of = (name: string) =>
    Object.fromEntries(
      [...text.matchAll(new RegExp(`^${name}\\{place="([^"]*)"\\} (\\S+)$`, 'gm'))].map(
        ([, place, value]) => [place!, Number(value)],
      ),
    )
  return {
    inUse: of('surplus_replica_in_use'),
    lag: of('surplus_replica_lag_seconds'),
    reads: of('surplus_lot_reads_total'),
  }
}

const isUsed = async (server: TestServer, { address } = service) =>
  (await metrics({ address } as RunningService)).inUse[placeOf(server)] === 1
const untilUsed = (...servers: TestServer[]) =>
  vi.waitFor(
    async () => {
      for (const server of servers) expect(await isUsed(server)).toBe(true)
    },
    { timeout: 15_000, interval: 100 },
  )
const untilLeftOut = (server: TestServer) =>
  vi.waitFor(async () => expect(await isUsed(server)).toBe(false), { timeout: 15_000, interval: 50 })

const pause = (server: TestServer) => server.sql`select pg_wal_replay_pause()`
const resume = (server: TestServer) => server.sql`select pg_wal_replay_resume()`

/** Every request another one, so that each is read and none remembered. */
let asked = 0
const newSearch = () => `/api/v1/listings?price_max=${1_000_000 + asked++}`

describe.skipIf(!CAN_REPLICATE)('with two streaming replicas', () => {
  beforeAll(async () => {
    replication = await startReplication(2)
    primary = replication.primary
    ;[first, second] = replication.replicas as [TestServer, TestServer]
    await createKey(primary.sql, PEPPER, key, { plan: 'enterprise', owner: 'replicas', ...UNLIMITED })
    service = await start([first.url, second.url])
  }, 120_000)

  beforeEach(async () => {
    await primary.sql`delete from lots`
    await replication.caughtUp()
    await untilUsed(first, second)
  })

  afterAll(async () => {
    await service?.close()
    await replication?.end()
  })

  it('searches, lots, statistics, sources and exports are read there in turn, and calls counted on the primary', async () => {
    const [id] = await insertLots(primary.sql, [{ slug: 'truck', category: 'vehicles', ...live() }])
    await insertSales(primary.sql, [
      { sold_at: new Date(Date.now() - HOUR_MS), final_bid_cents: 100_00, category: 'vehicles', state: 'GA' },
    ])
    await replication.caughtUp()
    const before = { ...(await metrics()).reads, used: (await usageOf(primary.sql, key)).month ?? 0 }
    const paths = [
      ...Array.from({ length: 20 }, newSearch),
      `/api/v1/listings/${id}`,
      '/api/v1/sources',
      '/api/v1/comps?category=vehicles',
      '/api/v1/export?category=vehicles',
    ]
    for (const path of paths) expect([path, (await ask(path)).status]).toEqual([path, 200])
    const { reads } = await metrics()
    const added = (place: string) => reads[place]! - before[place as keyof typeof before]!
    expect(added('primary')).toBe(0)
    expect(added(placeOf(first)) + added(placeOf(second))).toBe(paths.length)
    expect(Math.min(added(placeOf(first)), added(placeOf(second)))).toBeGreaterThanOrEqual(11)
    for (const { sql } of [first, second])
      expect(
        await sql`select from pg_stat_activity where application_name = 'surplus serve' and query like '%from lots l%'`,
      ).not.toHaveLength(0)
    expect((await usageOf(primary.sql, key)).month).toBe(before.used + paths.length)
  })

  it('an answer is as new as the primary, also while the replicas have not replayed it, and right afterwards', async () => {
    await insertLots(primary.sql, [{ slug: 'old', ...live() }])
    await replication.caughtUp()
    const path = newSearch()
    expect((await ask(path)).body.total).toBe(1)
    await Promise.all([pause(first), pause(second)])
    const [id] = await insertLots(primary.sql, [{ slug: 'new', ...live() }])
    expect((await ask(path)).body.total).toBe(2)
    expect((await ask(`/api/v1/listings/${id}`)).status).toBe(200)
    await primary.sql`update lots set is_open = false, outcome = 'withdrawn' where slug = 'old'`
    expect((await ask(path)).body).toMatchObject({ total: 1, data: [{ id }] })
    expect((await ask('/api/v1/export')).body).not.toContain('/listings/old')
    await Promise.all([resume(first), resume(second)])
    await replication.caughtUp()
    expect((await ask(path)).body).toMatchObject({ total: 1, data: [{ id }] })
  })

  it('remembered answers never disagree with the data while it changes under sixty-four readers', async () => {
    let least = 0
    let isWriting = true
    const wrong: string[] = []
    const write = async () => {
      for (let n = 1; n <= 30; n++) {
        await insertLots(primary.sql, [{ slug: `lot-${n}`, ...live() }])
        least = n
        if (n % 10 === 5) await pause(n % 20 === 5 ? first : second)
        if (n % 10 === 9) await Promise.all([resume(first), resume(second)])
        await sleep(20)
      }
      isWriting = false
    }
    const read = async () => {
      while (isWriting) {
        const committed = least
        const { status, body } = await ask('/api/v1/listings?per_page=50')
        if (status !== 200) wrong.push(`${status}`)
        else if (body.total < committed) wrong.push(`${body.total} found after ${committed} were stored`)
        else if (body.data.length !== body.total) wrong.push(`${body.data.length} shown of ${body.total}`)
      }
    }
    await Promise.all([write(), ...Array.from({ length: 64 }, read)])
    expect(wrong).toEqual([])
    expect((await ask('/api/v1/listings?per_page=50')).body.total).toBe(30)
  })

  it('one that lags too far is left out and tells its lag, and is used again when it has caught up', async () => {
    await pause(first)
    const pausedAt = performance.now()
    const writer = setInterval(() => void primary.sql`update accounts set owner = owner`.catch(() => {}), 100)
    await untilLeftOut(first)
    clearInterval(writer)
    expect(performance.now() - pausedAt).toBeLessThan(MOST_LAG_MS + 3_000)
    const { lag, reads: before } = await metrics()
    expect(lag[placeOf(first)]).toBeGreaterThan(MOST_LAG_MS / 1000)
    for (let n = 0; n < 10; n++) expect((await ask(newSearch())).status).toBe(200)
    const { reads } = await metrics()
    expect(reads[placeOf(first)]).toBe(before[placeOf(first)])
    expect(reads[placeOf(second)]).toBe(before[placeOf(second)]! + 10)
    await resume(first)
    await untilUsed(first)
    expect((await metrics()).lag[placeOf(first)]).toBeLessThan(0.5)
  })

  it('a primary that writes nothing is not taken for lag', async () => {
    await sleep(MOST_LAG_MS + 2_000)
    expect(await isUsed(first)).toBe(true)
    expect((await metrics()).lag[placeOf(first)]).toBeLessThan(0.5)
  })

  it('one that is killed under load costs no request, and is used again when it is back', async () => {
    const load = startLoad(8, key, () => service.address + newSearch())
    await sleep(500)
    await first.kill()
    await untilLeftOut(first)
    await sleep(500)
    await second.kill()
    await untilLeftOut(second)
    await sleep(500)
    await Promise.all([first.start(), second.start()])
    await untilUsed(first, second)
    const samples = await load.stop()
    expect(samples.filter(({ status }) => status !== 200)).toEqual([])
    expect(samples.length).toBeGreaterThan(50)
    expect(Math.max(...samples.map(tookMs))).toBeLessThan(3_000)
    const before = (await metrics()).reads
    await manyCalls(8, 1, () => ask(newSearch()))
    const { reads } = await metrics()
    for (const server of [first, second]) expect(reads[placeOf(server)]).toBe(before[placeOf(server)]! + 4)
  })

  it('one that falls silent (SIGSTOP) costs no request, and is used again when it answers', async () => {
    const load = startLoad(8, key, () => service.address + newSearch())
    await sleep(300)
    second.freeze()
    await untilLeftOut(second)
    await sleep(1_000)
    second.thaw()
    await untilUsed(second)
    const samples = await load.stop()
    expect(samples.filter(({ status }) => status !== 200)).toEqual([])
    expect(Math.max(...samples.map(tookMs))).toBeLessThan(4_000)
  })

  it('a read that a replica cancels (conflict with recovery) is answered by the primary', async () => {
    await insertLots(primary.sql, [{ slug: 'lot', ...live() }])
    await slowOnReplicas(true)
    await replication.caughtUp()
    await untilUsed(first, second)
    for (const { sql } of [first, second]) {
      await sql`alter system set max_standby_streaming_delay = 0`
      await sql`select pg_reload_conf()`
    }
    const before = (await metrics()).reads.primary!
    const answer = ask(newSearch())
    await sleep(300)
    await primary.sql.unsafe('begin; lock table lots in access exclusive mode; commit')
    expect(await answer).toMatchObject({ status: 200, body: { total: 1 } })
    await slowOnReplicas(false)
    await expect.poll(conflicts, { timeout: 15_000, interval: 250 }).toBe(1)
    expect((await metrics()).reads.primary).toBe(before + 1)
    expect([await isUsed(first), await isUsed(second)]).toEqual([true, true])
  })

  it('a read that is too slow on a replica is answered by the primary', async () => {
    await insertLots(primary.sql, [{ slug: 'lot', ...live() }])
    await slowOnReplicas(true)
    await replication.caughtUp()
    expect(await ask(newSearch())).toMatchObject({ status: 200, body: { total: 1 } })
    await slowOnReplicas(false)
  })

  it('a lot that has ended is in no page, though the clock of a replica is an hour late', async () => {
    await primary.sql.unsafe(`
      create function public.now() returns timestamptz language sql stable as
        'select pg_catalog.now() - case when pg_is_in_recovery() then interval ''1 hour'' else interval ''0'' end';
      alter database surplus set search_path = public, pg_catalog`)
    await replication.caughtUp()
    const late = await start([first.url, second.url])
    await vi.waitFor(async () => expect(await isUsed(first, late)).toBe(true), { timeout: 5_000 })
    const ended = {
      starts_at: new Date(Date.now() - 2 * HOUR_MS),
      ends_at: new Date(Date.now() - HOUR_MS / 2),
    }
    const [id] = await insertLots(primary.sql, [{ slug: 'dead', ...ended }])
    await replication.caughtUp()
    const found = await ask(newSearch(), late)
    const lot = await ask(`/api/v1/listings/${id}`, late)
    const { body: sources } = await ask('/api/v1/sources', late)
    const { reads } = await metrics(late)
    await late.close()
    await primary.sql.unsafe('alter database surplus reset search_path; drop function public.now()')
    expect(found).toMatchObject({ status: 200, body: { total: 0, data: [] } })
    expect(lot.body.data.status).toBe('ended')
    expect(sources.data.find(({ source }: { source: string }) => source === 'gsa').live_count).toBe(0)
    expect(reads.primary).toBe(0)
  })

  it('a server that takes writes of its own is no replica: neither the primary nor one that was promoted', async () => {
    const mistaken = await start([primary.url])
    await sleep(1_500)
    expect((await ask(newSearch(), mistaken)).status).toBe(200)
    expect(await isUsed(primary, mistaken)).toBe(false)
    expect((await metrics(mistaken)).reads.primary).toBe(1)
    await mistaken.close()
    await second.sql`select pg_promote()`
    await untilLeftOut(second)
    expect((await ask(newSearch())).status).toBe(200)
    await second.kill()
  })
})

/** How many reads the replicas have cancelled for a lock that they replay; told by the statistics, which lag. */
async function conflicts(): Promise<number> {
  const counted = await Promise.all(
    [first, second].map(
      ({ sql }) => sql<{ count: number }[]>`
        select confl_lock as count from pg_stat_database_conflicts where datname = current_database()`,
    ),
  )
  return counted.flat().reduce((sum, { count }) => sum + count, 0)
}

/** Makes every search sleep on the replicas, and on them alone. */
async function slowOnReplicas(isSlow: boolean): Promise<void> {
  const [{ body }] = (await primary.sql`
    select pg_get_functiondef('rfc3339'::regproc) as body`) as unknown as [{ body: string }]
  ordinary ??= body
  await primary.sql.unsafe(
    isSlow
      ? `create or replace function rfc3339(moment timestamptz) returns text language plpgsql stable as $$
         begin
           if pg_is_in_recovery() then perform pg_sleep(5); end if;
           return to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
         end $$`
      : ordinary,
  )
}

let ordinary: string | undefined
