import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Schemas } from '../../../src/contract/types.ts'
import { newKey } from '../../../src/domain/apiKey.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { createKey } from '../../../src/usecases/createKey.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts'
import { type AuctionWeek, auctionWeek, hasOnlyDay } from '../../support/drill/auctionWeek.ts'
import { type Child, startChild } from '../../support/drill/child.ts'
import type { ExpectedChange } from '../../support/drill/expectedLots.ts'
import type { KeptPage, ReadChange } from '../../support/drill/readInChild.ts'
import { readLots, type SweptWeek, sweepWeek } from '../../support/drill/sweptWeek.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { PEPPER } from '../../support/service/testSettings.ts'

/** A month ends in this week, and daylight saving time too. It is far ahead: nothing closes these lots by the real clock. */
const START = Date.parse('2031-10-29T00:00:00Z')
const SEED = Number(process.env.DRILL_SEED ?? 7)
/** Under an hour: for longer a sweep does not rely on a redirect's validators, and the redirect is never unchanged. */
const SWEEP_EVERY_MINUTES = Number(process.env.DRILL_SWEEP_EVERY_MINUTES ?? 45)
const LOTS = 170
const KILLS = 10
const GONE = new Set(['withdrawn', 'ended'])
const READER_IS_KILLED_EVERY = 25

interface Logged extends ExpectedChange {
  seq: number
  id: string
}

let database: FreshDatabase
let sql: Sql
let week: AuctionWeek
let swept: SweptWeek
let log: Logged[]
let service: ServiceProcess
let key: string
let pages: KeptPage[]

beforeAll(async () => {
  database = await freshDatabase()
  sql = openAdminConnection(database.url)
  week = auctionWeek(SEED, LOTS, START)
  const folder = mkdtempSync(join(tmpdir(), 'surplus-drill-'))
  const file = join(folder, 'changes.ndjson')
  service = await startServiceProcess(database.url)
  key = newKey()
  const unlimited = { callsPerMonth: 1_000_000, callsPerMinute: 100_000 }
  await createKey(sql, PEPPER, key, { plan: 'pro_plus', owner: 'drill', ...unlimited })
  const startReader = () => startChild<never, never>('readInChild', [service.address, key, file])
  let reader: Child<never, never> = startReader()
  try {
    swept = await sweepWeek({
      sql,
      url: database.url,
      week,
      start: START,
      seed: SEED,
      sweepEveryMinutes: SWEEP_EVERY_MINUTES,
      kills: KILLS,
      faults: 20,
      beforeSweep: async sweep => {
        if (sweep % READER_IS_KILLED_EVERY !== READER_IS_KILLED_EVERY - 1) return
        await reader.kill()
        reader = startReader()
      },
    })
    log = await readLog()
    const isAtEnd = () => readPages(file).at(-1)?.next_cursor === String(log.length)
    await vi.waitFor(() => expect(isAtEnd()).toBe(true), { timeout: 20_000, interval: 100 })
    pages = readPages(file)
  } finally {
    await reader.kill()
    rmSync(folder, { recursive: true })
  }
  console.info(
    `seed ${SEED}, ${swept.sweeps} sweeps, ${log.length} changes, killed after ${JSON.stringify(swept.kills)}, ${JSON.stringify(swept.gsa.hops)}`,
  )
}, 1_200_000)
afterAll(async () => {
  await swept?.gsa.close()
  await service?.kill()
  await sql.end()
  await database.drop()
})

function readPages(file: string): KeptPage[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}

async function readLog(): Promise<Logged[]> {
  const rows = await sql<{ change: Logged }[]>`
    select json_build_object(
      'seq', seq,
      'id', lots.id,
      'n', right(source_id, 3)::integer,
      'kind', kind,
      'observedAt', extract(epoch from lot_changes.observed_at) * 1000,
      'bidCents', lot_changes.current_bid_cents,
      'bidders', lot_changes.num_bids,
      'endsAt', extract(epoch from lot_changes.ends_at) * 1000,
      'fell', fell
    ) as change
    from lot_changes
    join lots on lots.id = lot_changes.lot_id
    order by seq`
  return rows.map(({ change }) => change)
}

/** The changes of one statement have no order among lots. */
function sorted(changes: ExpectedChange[]): ExpectedChange[] {
  return [...changes].sort((a, b) => a.n - b.n || a.kind.localeCompare(b.kind))
}

describe(`a week of sweeps, killed ${KILLS} times`, () => {
  it('sees everything that can happen to a lot', () => {
    const kinds = new Set(swept.changes.flat().map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([
      'bid',
      'details',
      'end_moved',
      'ended',
      'listed',
      'reopened',
      'withdrawn',
    ])
    expect(swept.changes.flat().some(({ fell }) => fell)).toBe(true)
    // Lots of which only the day of the end is known are gone at an hour of it.
    const endings = swept.changes
      .flat()
      .filter(({ n, kind, endsAt, observedAt }) => kind === 'ended' && hasOnlyDay(n) && endsAt === observedAt)
    expect(endings.length).toBeGreaterThan(10)
    expect(swept.kills).toHaveLength(KILLS)
    // Some kills were in the middle of a load.
    expect(new Set(swept.kills.map(({ stepsDone }) => stepsDone)).size).toBeGreaterThan(1)
  })

  it('takes every file that is whole, and refuses every one that is not', () => {
    expect(swept.surprises).toEqual([])
  })

  it('loads no file that has not changed, and counts every request', async () => {
    const { api, file } = swept.gsa.hops
    expect([api.unchanged, file.unchanged].every(times => times > 0)).toBe(true)
    // A sweep that was killed may have ended before its next request or its load.
    const isShortOf = (count: number, most: number) => count <= most && count >= most - KILLS
    expect([file.calls, api.calls - api.unchanged]).toSatisfy(([calls, most]) => isShortOf(calls, most))
    const [counted] = await sql`
      select
        (select count(*) from loads) as loads,
        (select sum(calls) from source_traffic) as calls`
    expect([counted!.loads, file.calls - file.unchanged]).toSatisfy(([loads, most]) => isShortOf(loads, most))
    // It is counted before it is made, so a kill in between leaves one that was never made.
    expect([api.calls + file.calls, counted!.calls]).toSatisfy(([calls, most]) => isShortOf(calls, most))
  })

  it('leaves the lots as GSA last listed them, and closes by the clock those whose end has passed', async () => {
    const stored = await readLots(sql)
    expect(stored).toEqual(swept.lots.lots)
    const { at, listed } = swept.taken.at(-1)!
    const open = [...stored.values()].filter(({ isOpen }) => isOpen)
    expect(open).toEqual(
      listed
        .filter(({ endsAt }) => endsAt > at)
        .map(standing => ({ ...standing, isOpen: true, outcome: null })),
    )
  })

  it('makes a sale of each lot that ended with a bid, at the last bid and the end', async () => {
    const expected = [...swept.lots.lots.values()].filter(
      ({ isOpen, outcome, bidCents }) => !isOpen && outcome === null && bidCents !== null,
    )
    const sales = await sql`
      select right(source_id, 3)::integer as n, final_bid_cents, price_basis, extract(epoch from sold_at) * 1000 as sold
      from lots
      where sold_at is not null
      order by 1`
    expect([...sales]).toEqual(
      expected
        .map(({ n, bidCents, endsAt }) => ({
          n,
          final_bid_cents: bidCents,
          price_basis: 'last_observed',
          sold: endsAt,
        }))
        .sort((a, b) => a.n - b.n),
    )
  })

  it('logs every change that a sweep saw, once, numbered without a gap', async () => {
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    expect(await sql`select last_change from data_version`).toEqual([{ last_change: log.length }])
    let first = 0
    for (const changes of swept.changes) {
      const logged = log
        .slice(first, first + changes.length)
        .map(({ seq: _seq, id: _id, ...change }) => change)
      expect(sorted(logged)).toEqual(sorted(changes))
      first += changes.length
    }
    expect(log).toHaveLength(first)
  })

  it('gives the open lots as they are when its log is replayed from empty', async () => {
    const replayed = new Map<number, Pick<Logged, 'bidCents' | 'bidders' | 'endsAt'>>()
    for (const { n, kind, bidCents, bidders, endsAt } of log) {
      if (GONE.has(kind)) replayed.delete(n)
      else replayed.set(n, { bidCents, bidders, endsAt })
    }
    const open = [...(await readLots(sql)).values()].filter(({ isOpen }) => isOpen)
    expect([...replayed].sort(([a], [b]) => a - b)).toEqual(
      open.map(({ n, bidCents, bidders, endsAt }) => [n, { bidCents, bidders, endsAt }]),
    )
  })

  it('has the bids of each lot on offer as they were served to sweeps', () => {
    const isOther = (one: string, index: number, all: string[]) => one !== all[index - 1]
    for (const n of week.lives.keys()) {
      const served = swept.taken.flatMap(({ at, listed }) =>
        listed.filter(lot => lot.n === n && lot.endsAt > at),
      )
      const logged = log.filter(({ kind, ...change }) => change.n === n && !GONE.has(kind))
      expect(logged.map(point).filter(isOther)).toEqual(served.map(point).filter(isOther))
    }
  })

  it('gives each change exactly once, in order, to a reader that is killed along with it', () => {
    expect(pages.flatMap(({ changes }) => changes)).toEqual(log.map(asRead))
  })

  it('answers with the bids of each lot over time', async () => {
    for (const id of new Set(log.map(change => change.id))) {
      const points = log
        .filter(change => change.id === id)
        .filter((one, index, all) => index === 0 || point(one) !== point(all[index - 1]!))
      const answer = await fetch(`${service.address}/api/v1/listings/${id}/bids`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(((await answer.json()) as Schemas['BidList']).data).toEqual(
        points.map(({ observedAt, bidCents, bidders }, index) => ({
          observed_at: secondOf(observedAt),
          current_bid_cents: bidCents,
          num_bids: bidders,
          fell: index > 0 && (bidCents ?? 0) < (points[index - 1]!.bidCents ?? 0),
        })),
      )
    }
  })
})

function asRead({ id, kind, observedAt, bidCents, bidders, endsAt, fell }: Logged): ReadChange {
  return {
    listing_id: id,
    kind,
    observed_at: secondOf(observedAt),
    current_bid_cents: bidCents,
    num_bids: bidders,
    end_date: secondOf(endsAt),
    fell,
  }
}

function point({ bidCents, bidders }: Pick<Logged, 'bidCents' | 'bidders'>): string {
  return `${bidCents} ${bidders}`
}

function secondOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '')
}
