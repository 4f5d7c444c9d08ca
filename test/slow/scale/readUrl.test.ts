import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { feedToken } from '../../../src/domain/alerts/savedSearch.ts'
import { readManifest } from '../../../src/infra/archives/manifest.ts'
import { createFolderStore } from '../../../src/infra/archives/store.ts'
import { insertSearches } from '../../support/alerts/savedSearches.ts'
import {
  startReplication,
  type TestServer,
  WITH_SERVERS,
} from '../../support/database/replication.ts'
import { DAY, HOUR, insertLots, insertSales, type LotDraft } from '../../support/lots/fixtures.ts'
import { runSurplus } from '../../support/run/commandLine.ts'
import { shared } from '../../support/run/shared.ts'
import {
  ALLOWANCE_MS,
  lostCalls,
  type Sample,
  startLoad,
  tookMs,
} from '../../support/service/load.ts'
import { start } from '../../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../../support/service/testSettings.ts'
import { readPage } from '../../support/site/readPage.ts'

/** Of a request. */
const DEADLINE_MS = 2_000
const OWNER = 'owner@replica.example'

describe('DATABASE_READ_URL with a streaming replica', WITH_SERVERS, () => {
  const replication = shared(() => startReplication(1))
  let primary: TestServer
  let replica: TestServer
  beforeAll(() => {
    primary = replication.primary
    ;[replica] = replication.replicas as [TestServer]
  })
  const api = shared(() =>
    start({
      opensSeenPages: false,
      database: { url: primary.url, sql: primary.sql, drop: async () => {} },
      settings: { readUrl: replica.url },
    }),
  )
  beforeEach(async () => {
    await primary.sql`delete from lots`
    await replication.caughtUp()
  })

  /** The replica takes no more changes, until it resumes. */
  const pause = () => replica.sql`select pg_wal_replay_pause()`
  async function resume() {
    await replica.sql`select pg_wal_replay_resume()`
    await replication.caughtUp()
  }

  /** Inserts lots that are live for an hour, with a price. */
  const insertLive = (...drafts: LotDraft[]) => {
    const live = { starts_at: new Date(Date.now() - HOUR), ends_at: new Date(Date.now() + HOUR) }
    return insertLots(
      primary.sql,
      drafts.map(draft => ({ current_bid_cents: 100_00, ...live, ...draft })),
    )
  }

  const pageOf = (path: string) => readPage(api.address + path)

  it('a lot is new in the API, in exports and in what accounts see, while its page is as old as the replica', async () => {
    const [id] = await insertLive({ slug: 'truck', title: 'Truck as listed' })
    const visitor = await api.signedIn(OWNER)
    const [account] = await primary.sql<{ id: number }[]>`
      update accounts set plan = 'enterprise' where owner = ${OWNER} returning id`
    const [search] = await insertSearches(primary.sql, [{ account_id: account!.id }])
    const feed = `/feeds/alerts/${feedToken(PEPPER, search!, 1)}.csv`
    await replication.caughtUp()
    await pause()
    await primary.sql`update lots set title = 'Truck as corrected' where slug = 'truck'`
    await insertLive({ slug: 'van', title: 'Van of today' })

    expect((await pageOf('/listings/truck')).html).toContain('Truck as listed')
    expect((await pageOf('/search')).html).not.toContain('Van of today')
    expect((await pageOf('/listings/van')).status).toBe(404)
    expect((await api.read(`/api/v1/listings/${id}`)).data.title).toBe('Truck as corrected')
    for (const path of ['/api/v1/listings?per_page=50', '/api/v1/export', '/api/v1/changes'])
      expect((await api.get(path)).text).toMatch(
        /Truck as corrected[\s\S]*Van of today|Van of today[\s\S]*Truck as corrected/,
      )
    expect((await pageOf(feed)).html).toContain('Van of today')
    for (const path of ['/search', '/listings/van'])
      expect((await visitor.open(path)).body).toContain('Van of today')

    await resume()
    expect((await pageOf('/listings/truck')).html).toContain('Truck as corrected')
    expect((await pageOf('/listings/van')).status).toBe(200)
  })

  it('a copy by cursor skips nothing while the replica stops and catches up', async () => {
    const start = (await api.read('/api/v1/changes?cursor=latest')).next_cursor
    let isWriting = true
    const write = async () => {
      for (let n = 1; n <= 60; n++) {
        await insertLive({ slug: `lot-${n}`, title: `Lot ${n}` })
        if (n % 20 === 5) await pause()
        if (n % 20 === 15) await resume()
        await sleep(20)
      }
      isWriting = false
    }
    const copied: string[] = []
    const copy = async () => {
      let cursor = start
      for (let isLast = false; ; ) {
        const { data, more, next_cursor } = await api.read(
          `/api/v1/changes?cursor=${cursor}&per_page=7`,
        )
        copied.push(
          ...data.map(
            ({ kind, listing }: { kind: string; listing: { title: string } }) =>
              `${kind} ${listing.title}`,
          ),
        )
        cursor = next_cursor
        if (isLast && !more) return
        isLast = !isWriting
      }
    }
    const look = async () => {
      while (isWriting) expect((await pageOf('/search')).status).toBe(200)
    }
    await Promise.all([write(), copy(), look()])
    expect(copied).toEqual(Array.from({ length: 60 }, (_, n) => `listed Lot ${n + 1}`))
  })

  it('archives are read from the replica, and from the primary while that lags: no file lacks a sale', async () => {
    const sold_at = new Date(Date.now() - 40 * DAY)
    const month = sold_at.toISOString().slice(0, 7)
    const folder = mkdtempSync(join(tmpdir(), 'surplus-archives-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const addresses = { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url }
    const write = async () => {
      const { code, stderr } = await runSurplus(['archive', '--month', month], {
        ...addresses,
        ARCHIVE_DIR: folder,
      })
      const files = await readManifest(createFolderStore(folder, PEPPER, PUBLIC_URL), 'v1')
      const { rows } = files.find(({ table }) => table === 'sales')!
      return { code, rows, isOfPrimary: stderr.includes('the rows are read from the primary') }
    }
    await insertSales(primary.sql, [{ sold_at, final_bid_cents: 100_00 }])
    await replication.caughtUp()
    expect(await write()).toEqual({ code: 0, rows: 1, isOfPrimary: false })
    await pause()
    await insertSales(primary.sql, [{ sold_at, final_bid_cents: 200_00 }])
    expect(await write()).toEqual({ code: 0, rows: 2, isOfPrimary: true })
    await resume()
  })

  it('a replica that is killed costs no page and no call, and is read again when it is back', async () => {
    await insertLive({ slug: 'truck' })
    const load = await startCalling()
    await replica.kill()
    await load.goesOn()
    await replica.start()
    await load.goesOn()
    const { pages, calls } = await load.stop()
    expect([...lostCalls(pages, DEADLINE_MS), ...lostCalls(calls, DEADLINE_MS)]).toEqual([])
    // Pages are read from the primary until the circuit breaker of the replica lets one through.
    let vans = 0
    const isReadAgain = async () => {
      const title = `Van ${++vans} of today`
      await pause()
      await insertLive({ slug: `van-${vans}`, title })
      const { html } = await pageOf('/search')
      await resume()
      return !html.includes(title)
    }
    await expect.poll(isReadAgain).toBe(true)
  })

  it('a replica that falls silent (SIGSTOP) costs pages that wait for it, and no call', async () => {
    await insertLive({ slug: 'truck' })
    const load = await startCalling()
    replica.freeze()
    await load.goesOn()
    replica.thaw()
    await load.goesOn()
    const { pages, calls } = await load.stop()
    expect(lostCalls(calls, DEADLINE_MS)).toEqual([])
    expect(pages.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
    expect(Math.max(...pages.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
  })

  it('a page whose read the replica cancels (conflict with recovery) is read from the primary', async () => {
    await insertLive({ slug: 'truck', title: 'Truck of today' })
    const [definition] = await primary.sql<{ text: string }[]>`
      select pg_get_functiondef('rfc3339'::regproc) as text`
    await primary.sql.unsafe(`
      create or replace function rfc3339(moment timestamptz) returns text language plpgsql stable as $$
      begin
        if pg_is_in_recovery() then perform pg_sleep(1.2); end if;
        return to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
      end $$`)
    await replica.sql`alter system set max_standby_streaming_delay = 0`
    await replica.sql`select pg_reload_conf()`
    await replication.caughtUp()
    const page = pageOf('/feeds/listings.rss')
    await sleep(300)
    await primary.sql.unsafe('begin; lock table lots in access exclusive mode; commit')
    const { status, html } = await page
    await primary.sql.unsafe(definition!.text)
    await replica.sql`alter system reset max_standby_streaming_delay`
    await replica.sql`select pg_reload_conf()`
    expect([status, html]).toEqual([200, expect.stringContaining('Truck of today')])
    const conflicts = async () => {
      const [counted] = await replica.sql<{ locks: number }[]>`
        select confl_lock as locks from pg_stat_database_conflicts where datname = current_database()`
      return counted!.locks
    }
    await expect.poll(conflicts).toBeGreaterThan(0)
  })

  it('a replica takes no migration, and the command says so', async () => {
    const { code, stderr } = await runSurplus(['migrate'], { DATABASE_URL: replica.url })
    expect(code).toBe(1)
    expect(stderr).toContain('This PostgreSQL is a replica, which takes no migration.')
  })

  /** Opens pages and makes calls all the time, once both are answered. */
  async function startCalling() {
    const key = await api.masterKey()
    const pages = startLoad(4, key, () => `${api.address}/search`)
    const calls = startLoad(4, key, () => `${api.address}/api/v1/listings?per_page=5`)
    const isAnswered = (samples: Sample[], from: number) =>
      samples.slice(from).filter(({ status }) => status === 200).length > 8
    const goesOn = async () => {
      const [page, call] = [pages.samples.length, calls.samples.length]
      await expect
        .poll(() => isAnswered(pages.samples, page) && isAnswered(calls.samples, call))
        .toBe(true)
    }
    await goesOn()
    return { goesOn, stop: async () => ({ pages: await pages.stop(), calls: await calls.stop() }) }
  }
})
