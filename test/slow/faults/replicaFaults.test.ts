import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { WITH_SERVERS } from '../../support/database/replication.ts'
import { ALLOWANCE_MS, lostCalls, startLoad, tookMs } from '../../support/service/load.ts'
import {
  insertLive,
  MOST_LAG_MS,
  newSearch,
  pause,
  placeOf,
  replicatedService,
  resume,
} from '../../support/service/replicatedService.ts'

/** Of a request, with replicas. */
const DEADLINE_MS = 3_500

const all = replicatedService()

describe('a replica that fails', WITH_SERVERS, () => {
  it('one that lags too far is left out and tells its lag, and is used again when it has caught up', async () => {
    await pause(all.first)
    const writer = setInterval(
      () => void all.primary.sql`update accounts set owner = owner`.catch(() => {}),
      100,
    )
    await all.untilLeftOut(all.first)
    clearInterval(writer)
    const { lag, reads: before } = await all.metrics()
    expect(lag[placeOf(all.first)]).toBeGreaterThan(MOST_LAG_MS / 1000)
    for (let n = 0; n < 10; n++) expect((await all.ask(newSearch())).status).toBe(200)
    const { reads } = await all.metrics()
    expect(reads[placeOf(all.first)]).toBe(before[placeOf(all.first)])
    await resume(all.first)
    await all.untilUsed(all.first)
    expect((await all.metrics()).lag[placeOf(all.first)]).toBeLessThan(0.5)
  })

  it('a primary that writes nothing is not taken for lag', async () => {
    await sleep(MOST_LAG_MS + 2_000)
    expect(await all.isUsed(all.first)).toBe(true)
    expect((await all.metrics()).lag[placeOf(all.first)]).toBeLessThan(0.5)
  })

  it('one that is killed under load costs no request, and is used again when it is back', async () => {
    await costsNoRequest(async () => {
      await all.first.kill()
      await all.untilLeftOut(all.first)
      await all.second.kill()
      await all.untilLeftOut(all.second)
      await Promise.all([all.first.start(), all.second.start()])
      await all.untilUsed(all.first, all.second)
    })
    const before = (await all.metrics()).reads
    const haveBothRead = async () => {
      await all.ask(newSearch())
      const { reads } = await all.metrics()
      return [all.first, all.second].every(server => reads[placeOf(server)]! > before[placeOf(server)]!)
    }
    await expect.poll(haveBothRead, { timeout: 20_000 }).toBe(true)
  })

  it('one that falls silent (SIGSTOP) costs no request, and is used again when it answers', async () => {
    await costsNoRequest(async () => {
      all.second.freeze()
      await all.untilLeftOut(all.second)
      all.second.thaw()
      await all.untilUsed(all.second)
    })
  })

  it('a read that a replica cancels (conflict with recovery) is answered by the primary', async () => {
    await insertLive(all.primary, { slug: 'lot' })
    await slowOnReplicas(true)
    await all.caughtUp()
    await all.untilUsed(all.first, all.second)
    for (const { sql } of [all.first, all.second]) {
      await sql`alter system set max_standby_streaming_delay = 0`
      await sql`select pg_reload_conf()`
    }
    const before = (await all.metrics()).reads.primary!
    const answer = all.ask(newSearch())
    await sleep(300)
    await all.primary.sql.unsafe('begin; lock table lots in access exclusive mode; commit')
    expect(await answer).toMatchObject({ status: 200, body: { total: 1 } })
    await slowOnReplicas(false)
    await expect.poll(conflicts, { interval: 250 }).toBe(1)
    expect((await all.metrics()).reads.primary).toBe(before + 1)
    expect([await all.isUsed(all.first), await all.isUsed(all.second)]).toEqual([true, true])
  })

  it('a read that is too slow on a replica is answered by the primary', async () => {
    await insertLive(all.primary, { slug: 'lot' })
    await slowOnReplicas(true)
    await all.caughtUp()
    expect(await all.ask(newSearch())).toMatchObject({ status: 200, body: { total: 1 } })
    await slowOnReplicas(false)
  })
})

/** Calls all the time, before and after what happens: each is answered, unless a busy machine lets its deadline pass. */
async function costsNoRequest(happen: () => Promise<void>): Promise<void> {
  const load = startLoad(8, all.key, () => all.service.address + newSearch())
  const isAnswering = async () => {
    const from = load.samples.length
    await expect.poll(() => load.samples.length, { timeout: 20_000 }).toBeGreaterThan(from + 16)
  }
  await isAnswering()
  await happen()
  await isAnswering()
  const samples = await load.stop()
  expect(lostCalls(samples, DEADLINE_MS)).toEqual([])
  expect(Math.max(...samples.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
}

/** How many reads the replicas have cancelled for a lock that they replay; told by the statistics, which lag. */
async function conflicts(): Promise<number> {
  const counted = await Promise.all(
    [all.first, all.second].map(
      ({ sql }) => sql<{ count: number }[]>`
        select confl_lock as count from pg_stat_database_conflicts where datname = current_database()`,
    ),
  )
  return counted.flat().reduce((sum, { count }) => sum + count, 0)
}

/** Makes every search sleep on the replicas, and on them alone. */
async function slowOnReplicas(isSlow: boolean): Promise<void> {
  const [{ body }] = (await all.primary.sql`
    select pg_get_functiondef('rfc3339'::regproc) as body`) as unknown as [{ body: string }]
  ordinary ??= body
  await all.primary.sql.unsafe(
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
