import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { searches } from '../../../bench/requests.ts'
import { loadDemo } from '../../../src/commands/demo.ts'
import { Random } from '../../../src/demo/random.ts'
import { closeEndedLots } from '../../../src/infra/ingestion/closings.ts'
import { createLog } from '../../../src/infra/log.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { seedSources } from '../../../src/usecases/ingestion/trackedSources.ts'
import { freshDatabase } from '../../support/database/database.ts'
import { shared } from '../../support/run/shared.ts'
import { type RunningService, startService } from '../../support/service/service.ts'
import { keyMaker } from '../../support/service/start.ts'

const LOTS = 2_000
/** How many are compared, of the usual kind and of any mix. */
const SEARCHES = 80
const EVERYTHING = '/api/v1/listings?per_page=50'
const MINUTE = 60_000

/** One database, and two processes on it: one with an index, one without. */
const database = shared(freshDatabase)
let sql: Sql
let indexed: RunningService
let plain: RunningService
/** Both live at this moment: so nothing ends between two calls. */
const clock = { now: new Date() }
let key: string

beforeAll(async () => {
  sql = database.sql
  await seedSources(sql)
  await loadDemo(sql, { lots: LOTS, sales: 0, seed: 1, now: clock.now, onProgress: () => {} })
  // Some that begin later; the demo has none.
  await sql`update lots set starts_at = ${later(30)} where id in (select id from lots order by id limit 100)`
  key = await keyMaker(sql)('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
  indexed = await start(1)
  plain = await start(Number.MAX_SAFE_INTEGER)
  await indexBuilt()
})

afterAll(() => Promise.all([indexed.close(), plain.close()]))

const start = (indexFromLots: number) =>
  startService(database.url, createLog('silent'), { now: () => clock.now, indexFromLots })

function later(minutes: number): Date {
  return new Date(clock.now.getTime() + minutes * MINUTE)
}

async function ask(service: RunningService, path: string): Promise<string> {
  const answer = await fetch(service.address + path, { headers: { authorization: `Bearer ${key}` } })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}

/** What both processes answer, which must be the same to the byte. */
async function bothAnswer(path: string) {
  const [byIndex, byDatabase] = await Promise.all([ask(indexed, path), ask(plain, path)])
  expect([path, byIndex]).toEqual([path, byDatabase])
  return byIndex
}

/** Runs a piece of work that only the index can do. */
async function byIndexAlone<T>(work: () => Promise<T>): Promise<T> {
  const before = indexed.deps.searchIndex.status()
  const done = await work()
  const { answered, passedOn } = indexed.deps.searchIndex.status()
  expect(answered).toBeGreaterThan(before.answered)
  expect(passedOn).toBe(before.passedOn)
  return done
}

/** Compares many searches; the index must answer all of those without words. */
async function answerAll(paths: string[]): Promise<void> {
  const hasWords = (path: string) => /[?&]q=/.test(path)
  for (const path of paths.filter(hasWords)) await bothAnswer(path)
  await byIndexAlone(async () => {
    for (const path of paths.filter(path => !hasWords(path))) await bothAnswer(path)
  })
}

/** Asks until a search is answered by the index again; each time for another page, since pages are remembered. */
async function indexBuilt(): Promise<void> {
  const isAnswering = async () => {
    const before = indexed.deps.searchIndex.status().answered
    await ask(indexed, `${EVERYTHING}&sort=best_deals&price_max=${1e6 + Math.random() * 1e6}`)
    return indexed.deps.searchIndex.status().answered > before
  }
  await vi.waitUntil(isAnswering, { timeout: 20_000, interval: 100 })
}

async function totalOf(path = EVERYTHING): Promise<number> {
  return JSON.parse(await bothAnswer(path)).total
}

async function anyLot(): Promise<string> {
  const [lot] = await sql<{ id: string }[]>`
    select id
    from lots
    where is_open
    and ends_at > ${later(60)}
    and starts_at <= ${clock.now}
    order by md5(id::text || ${Math.random()})
    limit 1`
  return lot!.id
}

describe('the index of the open lots', () => {
  it('answers usual searches and any mix of filters, orders and pages as the database does, to the byte', async () => {
    const random = new Random()
    random.restart(11, 0)
    await answerAll([...searches(SEARCHES, 7), ...Array.from({ length: SEARCHES }, () => anySearch(random))])
  })

  it('lets lots end and begin on the second', async () => {
    const path = `${EVERYTHING}&sort=newest`
    const start = clock.now
    const before = await totalOf(path)
    try {
      for (const minutes of [29.99, 30, 31, 180, 1_000, 3_000]) {
        clock.now = new Date(start.getTime() + minutes * MINUTE)
        const [counted] = await sql<{ live: number }[]>`
          select count(*) as live
          from lots
          where is_open
          and ends_at > ${clock.now}
          and starts_at <= ${clock.now}`
        expect(await totalOf(path)).toBe(counted!.live)
      }
      expect(await totalOf(path)).toBeLessThan(before)
    } finally {
      clock.now = start
    }
  })

  it('shows another price, a new lot and a withdrawn one at once', async () => {
    const total = await totalOf()
    await sql`update lots set current_bid_cents = 987654321, num_bids = 3 where id = ${await anyLot()}`
    const dearest = JSON.parse(await bothAnswer('/api/v1/listings?sort=price_high&per_page=1'))
    expect(dearest.data[0].current_bid_cents).toBe(987_654_321)
    await indexBuilt()
    await sql`update lots set is_open = false, outcome = 'withdrawn' where id = ${await anyLot()}`
    expect(await totalOf()).toBe(total - 1)
    await indexBuilt()
    expect(await byIndexAlone(() => totalOf(`${EVERYTHING}&sort=newest`))).toBe(total - 1)
    await sql`
      insert into lots (source, source_id, slug, title, category, source_url, is_open, observed_at, ends_at)
      values ('gsa', 'new', 'new', 'A quokka', 'other', 'https://auctions.example/new', true, now(), ${later(60)})`
    expect(await totalOf('/api/v1/listings?q=quokka')).toBe(1)
  })

  it('ranks the best deals by the scores of now, and keeps the other orders while they change', async () => {
    await indexBuilt()
    const id = await anyLot()
    await sql`update lots set flip_score = 99 where id = ${id}`
    const best = JSON.parse(await bothAnswer('/api/v1/listings?sort=best_deals&per_page=2'))
    expect(best.data[0].id).toBe(id)
    await byIndexAlone(() => bothAnswer('/api/v1/listings?sort=ending_soon&per_page=2'))
  })

  it('is kept while ended lots are settled, and while a source is only looked at', async () => {
    await indexBuilt()
    await sql`update lots set ends_at = ${new Date(clock.now.getTime() - 1_000)} where id = ${await anyLot()}`
    await indexBuilt()
    const total = await totalOf('/api/v1/listings?sort=newest')
    expect(await closeEndedLots(sql, null)).toBe(1)
    await sql`update lots set observed_at = now() where is_open`
    expect(await byIndexAlone(() => totalOf('/api/v1/listings?sort=newest&page=2'))).toBe(total)
  })

  it('leaves the search to the database when the lots cannot be indexed', async () => {
    const broken = await start(1)
    try {
      expect(broken.deps.searchIndex.status()).toEqual({ lots: 0, answered: 0, passedOn: 0 })
      expect(await ask(broken, EVERYTHING)).toBe(await ask(plain, EVERYTHING))
      expect(broken.deps.searchIndex.status()).toMatchObject({ answered: 0, passedOn: 1 })
    } finally {
      await broken.close()
    }
  })
})

function anySearch(random: Random): string {
  const maybe = (share: number, name: string, value: () => string | number): [string, string][] =>
    random.next() < share ? [[name, String(value())]] : []
  const isAround = random.next() < 0.3
  const orders = [
    'ending_soon',
    'newest',
    'price_low',
    'price_high',
    'most_bids',
    'best_deals',
    'most_profit',
  ]
  const pairs = [
    ...maybe(0.3, 'category', () => random.pick(['vehicles', 'electronics', 'heavy-equipment', 'other'])),
    ...maybe(0.2, 'state', () => random.pick(['TX', 'ca', 'VA', 'AK'])),
    ...maybe(0.2, 'source', () => random.pick(['gsa', 'govdeals'])),
    ...maybe(0.3, 'price_min', () => random.whole(0, 30_000) / 100),
    ...maybe(0.3, 'price_max', () => 300 + random.whole(0, 300_000) / 100),
    ...maybe(0.2, 'value_min', () => random.whole(0, 300_000) / 100),
    ...maybe(0.2, 'no_bids', () => 'true'),
    ...maybe(0.1, 'buy_now', () => 'true'),
    ...maybe(0.3, 'q', () => random.pick(['ford', 'truck or trailer', '"office chair"', 'dell -latitude'])),
    ...maybe(isAround ? 1 : 0, 'zip', () => random.pick(['60601', '75201', '20500'])),
    ...maybe(isAround ? 1 : 0, 'radius_miles', () => random.whole(10, 200)),
    ['sort', random.pick([...orders, ...(isAround ? ['nearest', 'nearest'] : [])])],
    ['page', String(random.whole(1, 5))],
    ['per_page', String(random.whole(1, 50))],
  ]
  return `/api/v1/listings?${new URLSearchParams(pairs as [string, string][])}`
}
