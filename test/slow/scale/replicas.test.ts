import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { outdateAnswers } from '../../support/database/database.ts'
import { WITH_SERVERS } from '../../support/database/replication.ts'
import { insertLots, insertSales } from '../../support/lots/fixtures.ts'
import { runSurplus } from '../../support/run/commandLine.ts'
import {
  HOUR_MS,
  insertLive,
  newSearch,
  pause,
  placeOf,
  replicatedService,
  resume,
} from '../../support/service/replicatedService.ts'
import { usageOf } from '../../support/service/usage.ts'

const all = replicatedService()

describe('reads with two streaming replicas', WITH_SERVERS, () => {
  it('searches, lots, statistics, sources and exports are read there in turn, and calls counted on the primary', async () => {
    const [id] = await insertLive(all.primary, { slug: 'truck', category: 'vehicles' })
    await insertSales(all.primary.sql, [
      { sold_at: new Date(Date.now() - HOUR_MS), final_bid_cents: 100_00, category: 'vehicles', state: 'GA' },
    ])
    await all.caughtUp()
    const used = (await usageOf(all.primary.sql, all.key)).month ?? 0
    let calls = 0
    // A replica that a busy machine holds up is left out for a moment: then the round begins again.
    await vi.waitFor(
      async () => {
        await outdateAnswers(all.primary.sql)
        await all.caughtUp()
        await all.untilUsed(all.first, all.second)
        const before = (await all.metrics()).reads
        const paths = [
          ...Array.from({ length: 20 }, newSearch),
          `/api/v1/listings/${id}`,
          '/api/v1/sources',
          '/api/v1/comps?category=vehicles',
          '/api/v1/export?category=vehicles',
        ]
        for (const path of paths) {
          expect([path, (await all.ask(path)).status]).toEqual([path, 200])
          calls++
        }
        const { reads } = await all.metrics()
        const added = (place: string) => reads[place]! - before[place]!
        expect(added('primary')).toBe(0)
        expect(added(placeOf(all.first)) + added(placeOf(all.second))).toBe(paths.length)
        expect(Math.min(added(placeOf(all.first)), added(placeOf(all.second)))).toBeGreaterThanOrEqual(11)
      },
      { timeout: 50_000, interval: 200 },
    )
    for (const { sql } of [all.first, all.second])
      expect(
        await sql`select from pg_stat_activity where application_name = 'surplus serve' and query like '%from lots l%'`,
      ).not.toHaveLength(0)
    expect((await usageOf(all.primary.sql, all.key)).month).toBe(used + calls)
  })

  it('an answer is as new as the primary, also while the replicas have not replayed it, and right afterwards', async () => {
    await insertLive(all.primary, { slug: 'old' })
    await all.caughtUp()
    const path = newSearch()
    expect((await all.ask(path)).body.total).toBe(1)
    await Promise.all([pause(all.first), pause(all.second)])
    const [id] = await insertLive(all.primary, { slug: 'new' })
    expect((await all.ask(path)).body.total).toBe(2)
    expect((await all.ask(`/api/v1/listings/${id}`)).status).toBe(200)
    await all.primary.sql`update lots set is_open = false, outcome = 'withdrawn' where slug = 'old'`
    expect((await all.ask(path)).body).toMatchObject({ total: 1, data: [{ id }] })
    expect((await all.ask('/api/v1/export')).body).not.toContain('/listings/old')
    await Promise.all([resume(all.first), resume(all.second)])
    await all.caughtUp()
    expect((await all.ask(path)).body).toMatchObject({ total: 1, data: [{ id }] })
  })

  it('changes are as new as the primary: no replica refuses a cursor that it has not replayed', async () => {
    const latest = async () => (await all.ask('/api/v1/changes?cursor=latest')).body.next_cursor as string
    const changesAfter = async (cursor: string) => {
      const { status, body } = await all.ask(`/api/v1/changes?cursor=${cursor}`)
      return [status, body.data?.length, body.next_cursor]
    }
    await all.caughtUp()
    const before = await latest()
    await Promise.all([pause(all.first), pause(all.second)])
    await insertLive(all.primary, { slug: 'listed' })
    const after = await latest()
    expect(Number.parseInt(after, 10)).toBe(Number.parseInt(before, 10) + 1)
    for (let turn = 0; turn < 4; turn++) {
      expect(await changesAfter(after)).toEqual([200, 0, after])
      expect(await changesAfter(before)).toEqual([200, 1, after])
    }
    await Promise.all([resume(all.first), resume(all.second)])
    await all.caughtUp()
    for (let turn = 0; turn < 4; turn++) expect(await changesAfter(before)).toEqual([200, 1, after])
  })

  it('remembered answers never disagree with the data while it changes under sixty-four readers', async () => {
    let least = 0
    let isWriting = true
    const wrong: string[] = []
    const write = async () => {
      for (let n = 1; n <= 30; n++) {
        await insertLive(all.primary, { slug: `lot-${n}` })
        least = n
        if (n % 10 === 5) await pause(n % 20 === 5 ? all.first : all.second)
        if (n % 10 === 9) await Promise.all([resume(all.first), resume(all.second)])
        await sleep(20)
      }
      isWriting = false
    }
    const read = async () => {
      while (isWriting) {
        const committed = least
        const { status, body } = await all.ask('/api/v1/listings?per_page=50')
        if (status !== 200) wrong.push(`${status}`)
        else if (body.total < committed) wrong.push(`${body.total} found after ${committed} were stored`)
        else if (body.data.length !== body.total) wrong.push(`${body.data.length} shown of ${body.total}`)
      }
    }
    await Promise.all([write(), ...Array.from({ length: 64 }, read)])
    expect(wrong).toEqual([])
    expect((await all.ask('/api/v1/listings?per_page=50')).body.total).toBe(30)
  })

  it('a lot that has ended is in no page, though the clock of a replica is an hour late', async () => {
    await all.primary.sql.unsafe(`
      create function public.now() returns timestamptz language sql stable as
        'select pg_catalog.now() - case when pg_is_in_recovery() then interval ''1 hour'' else interval ''0'' end';
      alter database surplus set search_path = public, pg_catalog`)
    await all.caughtUp()
    const late = await all.startAnother([all.first.url, all.second.url])
    await vi.waitFor(async () => expect(await all.isUsed(all.first, late)).toBe(true), { timeout: 20_000 })
    const [starts_at, ends_at] = [2, 0.5].map(hours => new Date(Date.now() - hours * HOUR_MS))
    const ended = { starts_at: starts_at!, ends_at: ends_at! }
    const [id] = await insertLots(all.primary.sql, [{ slug: 'dead', ...ended }])
    await all.caughtUp()
    const found = await all.ask(newSearch(), late)
    const lot = await all.ask(`/api/v1/listings/${id}`, late)
    const { body: sources } = await all.ask('/api/v1/sources', late)
    await late.close()
    await all.primary.sql.unsafe('alter database surplus reset search_path; drop function public.now()')
    expect(found).toMatchObject({ status: 200, body: { total: 0, data: [] } })
    expect(lot.body.data.status).toBe('ended')
    expect(sources.data.find(({ source }: { source: string }) => source === 'gsa').live_count).toBe(0)
  })

  it('a replica takes no migration, and the command says so', async () => {
    const { code, stderr } = await runSurplus(['migrate'], { DATABASE_URL: all.first.url })
    expect(code).toBe(1)
    expect(stderr).toContain('This PostgreSQL is a replica, which takes no migration.')
  })

  it('a server that takes writes of its own is no replica: neither the primary nor one that was promoted', async () => {
    const mistaken = await all.startAnother([all.primary.url])
    await sleep(1_500)
    expect((await all.ask(newSearch(), mistaken)).status).toBe(200)
    expect(await all.isUsed(all.primary, mistaken)).toBe(false)
    expect((await all.metrics(mistaken)).reads.primary).toBe(1)
    await mistaken.close()
    await all.second.sql`select pg_promote()`
    await all.untilLeftOut(all.second)
    expect((await all.ask(newSearch())).status).toBe(200)
    await all.second.kill()
  })
})
