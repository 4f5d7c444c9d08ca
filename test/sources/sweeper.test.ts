import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sweeperSession } from '../../src/infra/ingestion/locks.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { runSweeper } from '../../src/usecases/ingestion/runSweeper.ts'
import type { OpenDataAddress } from '../../src/usecases/ingestion/sweepOpenData.ts'
import { ingestSource } from '../../src/usecases/ingestion/sweepSource.ts'
import { listSourceStates } from '../../src/usecases/ingestion/trackedSources.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { ALLOWANCE_MS } from '../support/service/load.ts'
import { gsaLot } from '../support/standIns/gsaLots.ts'
import { json, startStandIn } from '../support/standIns/standIn.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'
import { ON, rowsAskedOf, seattleSales, startSweptWorld } from '../support/standIns/sweptWorld.ts'

interface TestSweeper {
  lines: Record<string, unknown>[]
  stop(): Promise<void>
}

const world = shared(startSweptWorld)
const ingestion = ingestionFor('each test')
let sweepers: TestSweeper[]
let sql: Sql
beforeEach(() => {
  sql = ingestion.sql
  sweepers = []
  world.answer = seattleSales(3)
  world.seattle.asked.length = 0
  world.others.asked.length = 0
  world.seattle.mostAtOnce = 0
})
afterEach(() => Promise.all(sweepers.map(sweeper => sweeper.stop())))

/** A sweeper in this process, over a connection of its own, which is named in the database. */
function start(
  name: string,
  settings: Record<string, string> = {},
  onDay?: () => unknown,
  openData?: OpenDataAddress,
): TestSweeper {
  const { sources, sweepPlans: plans } = readConfig({ ...world.settings, ...settings })
  const lines: TestSweeper['lines'] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const bench = openAdminConnection(ingestion.url, sweeperSession(name))
  const stopping = new AbortController()
  const { signal } = stopping
  const running = runSweeper(bench, {
    sources,
    plans,
    manners: MANNERS,
    openData,
    log,
    onDay,
    signal,
  })
  const sweeper = {
    lines,
    stop: async () => {
      stopping.abort()
      await running
      await bench.end({ timeout: 1 })
    },
  }
  sweepers.push(sweeper)
  return sweeper
}

async function state(source: string, isSwept = false) {
  const { sweeper, sources } = await listSourceStates(sql, readConfig({}).sources, isSwept)
  return { sweeper, ...sources.find(one => one.source === source)! }
}

/** A second's work can take ten on a busy machine. */
const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 120_000, interval: 50 })
const swept = (sweeper: TestSweeper, source: string) =>
  sweeper.lines.filter(line => line.source === source && line.msg === 'a source was swept')
const allSwept = (sweeper: TestSweeper) =>
  until(() => expect(ON.flatMap(source => swept(sweeper, source))).toHaveLength(ON.length))

describe('a sweeper', () => {
  it('asks for one photo of a source after a sweep, once a day', async () => {
    const imageURL = 'https://www.ppms.gov/gw/auction/ppms/api/v1/auction/image/378001.jpg'
    const ends = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
    let bid = 10
    const gsa = await forOneTest(
      startStandIn(() =>
        json({ Results: [gsaLot(1, { imageURL, aucEndDt: ends, highBidAmount: bid++ })] }),
      ),
    )
    const real = globalThis.fetch
    const asked: string[] = []
    const led = vi.spyOn(globalThis, 'fetch').mockImplementation(async (to, init) => {
      if (!String(to).includes('ppms.gov')) return real(to, init)
      asked.push(`${init?.method} ${to}`)
      return new Response(null, { status: 200 })
    })
    const often = {
      GSA_API_URL: gsa.origin,
      GSA_INTERVAL_SECONDS: '1',
      GSA_DAILY_CALLS: '10000000',
    }
    const sweeper = start('one', often)
    await until(() => expect(swept(sweeper, 'gsa').length).toBeGreaterThan(1))
    await sweeper.stop()
    led.mockRestore()
    expect(asked).toEqual([`HEAD ${imageURL}`])
    expect(await state('gsa')).toMatchObject({ photos_status: 200 })
  })

  it('plans every source before it fetches any, or the open dataset', async () => {
    const dataset = await forOneTest(startStandIn(() => ({ slowMs: 60_000, body: '' })))
    start('one', {}, undefined, {
      url: new URL(dataset.origin),
      redirectHosts: [],
      fileCommand: '',
    })
    const planned = () => sql`select last_attempt_at from sweeps where next_due_at is not null`
    await until(async () => expect(await planned()).toHaveLength(ON.length))
    expect(new Set((await planned()).map(row => row.last_attempt_at))).toEqual(new Set([null]))
  })

  it('asks every source once, says in a line what came of it, and asks none again before it is due', async () => {
    const [{ month }] = await sql<[{ month: string }]>`
      select 'lot_changes_' || to_char((now() + interval '1 month') at time zone 'utc', 'YYYY_MM') as month`
    await sql`drop table if exists ${sql(month)}`
    const sweeper = start('one')
    await allSwept(sweeper)
    const made = () => sql`select to_regclass(${month}) as is_made`
    await until(async () => expect(await made()).toEqual([{ is_made: month }]))
    const done = { state: 'done', reason: null, rows_taken: 3, rows_set_aside: 0 }
    const timed = { seconds: expect.any(Number), next_due_at: expect.stringMatching(/Z$/) }
    expect(swept(sweeper, 'seattle')[0]).toMatchObject({ ...done, ...timed })
    expect(swept(sweeper, 'gsa')[0]).toMatchObject({
      state: 'refused',
      reason: 'There are no rows.',
    })
    await sweeper.stop()

    const restarted = start('two')
    await until(() => expect(restarted.lines[0]?.msg).toBe('this process sweeps'))
    await new Promise(resolve => setTimeout(resolve, 700))
    expect(rowsAskedOf(world.seattle)).toHaveLength(1)
    expect(world.others.asked).toHaveLength(ON.length - 1)
  })

  it('leaves the sweeps and the work of each day to the one that has them, and takes over when that one stops', async () => {
    const days: string[] = []
    const first = start('first', { FEED_SEATTLE_INTERVAL_SECONDS: '1' }, () => days.push('first'))
    await until(() => expect(first.lines[0]?.msg).toBe('this process sweeps'))
    const second = start('second', { FEED_SEATTLE_INTERVAL_SECONDS: '1' }, () =>
      days.push('second'),
    )
    await until(() => expect(swept(first, 'seattle').length).toBeGreaterThan(1))
    expect([second.lines.map(({ msg }) => msg), days]).toEqual([
      ['another process sweeps'],
      ['first'],
    ])
    expect((await state('seattle')).sweeper).toMatchObject({ process: 'first' })
    await first.stop()
    await until(() => expect(swept(second, 'seattle').length).toBeGreaterThan(0))
    expect(days).toEqual(['first', 'second'])
    expect((await state('seattle')).sweeper).toMatchObject({ process: 'second' })
    const asked = rowsAskedOf(world.seattle)
    const gaps = asked.slice(1).map(({ atMs }, n) => atMs - asked[n]!.atMs)
    expect(Math.min(...gaps)).toBeGreaterThan(950)
  })

  it('drops a fetch when it has lost its connection, and another one does it', async () => {
    world.answer = { ...seattleSales(3), slowMs: 5000 }
    const first = start('first')
    await until(() => expect(rowsAskedOf(world.seattle)).toHaveLength(1))
    world.answer = seattleSales(3)
    await sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus sweep first'`
    const second = start('second', { FEED_SEATTLE_INTERVAL_SECONDS: '2' })
    await until(() => expect(first.lines.map(line => line.msg)).toContain('a sweep failed'))
    await until(() => expect(swept(second, 'seattle')).toHaveLength(1))
    expect(swept(first, 'seattle')).toHaveLength(0)
    expect(world.seattle.mostAtOnce).toBe(1)
    expect(await sql`select state from loads where feed = 'seattle'`).toEqual([{ state: 'done' }])
  })

  it('stops at once in the middle of a fetch, which counts as an attempt', async () => {
    world.answer = { ...seattleSales(3), slowMs: 60_000 }
    const sweeper = start('one')
    await until(() => expect(rowsAskedOf(world.seattle)).toHaveLength(1))
    expect((await state('seattle')).sweep).toMatchObject({ finished_at: null, outcome: null })
    const started = performance.now()
    await sweeper.stop()
    expect(performance.now() - started).toBeLessThan(1500 + ALLOWANCE_MS)
    const { sweep } = await state('seattle')
    expect(sweep).toMatchObject({ outcome: 'dropped', consecutive_failures: 1 })
    expect(await sql`select from loads where feed = 'seattle'`).toHaveLength(0)
  })

  it('begins a fetch that was stopped or killed at once, but the second in a row only after a wait', async () => {
    world.answer = { ...seattleSales(3), slowMs: 60_000 }
    const isStopped = async (name: string, asked: number) => {
      const sweeper = start(name)
      await until(() => expect(rowsAskedOf(world.seattle)).toHaveLength(asked))
      await sweeper.stop()
    }
    await isStopped('first', 1)
    // As it is after SIGKILL.
    await sql`update sweeps set finished_at = null, outcome = null, reason = null where source = 'seattle'`
    await isStopped('second', 2)
    start('third')
    const minutesUntilNext = async () =>
      (Date.parse((await state('seattle')).sweep?.next_due_at ?? '') - Date.now()) / 60_000
    await until(async () => expect(await minutesUntilNext()).toBeGreaterThan(8))
    expect(rowsAskedOf(world.seattle)).toHaveLength(2)
  })

  it('goes on when the database was away', async () => {
    const sweeper = start('one', { FEED_SEATTLE_INTERVAL_SECONDS: '1' })
    await until(() => expect(swept(sweeper, 'seattle')).toHaveLength(1))
    // While it rests, not between two statements: a transaction that loses its connection never
    // ends in this driver.
    const endIdle = () => sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus sweep one'
      and state = 'idle' and state_change < clock_timestamp() - interval '100 ms'`
    await until(async () => expect(await endIdle()).not.toHaveLength(0))
    const before = swept(sweeper, 'seattle').length
    await until(() => expect(swept(sweeper, 'seattle').length).toBeGreaterThan(before))
  })
})

describe('a source that fails', () => {
  it('is left alone for as long as it asks, and the state tells', async () => {
    world.answer = { status: 429, headers: { 'retry-after': '7200' }, body: 'slow down' }
    const sweeper = start('one', { FEED_SEATTLE_INTERVAL_SECONDS: '2' })
    await allSwept(sweeper)
    const { sweep, is_stale, last_success_at } = await state('seattle')
    const reason = expect.stringContaining('asks for a wait of 7200 s')
    expect(sweep).toMatchObject({
      outcome: 'refused',
      consecutive_failures: 1,
      reason,
      interval_seconds: 2,
    })
    expect(sweep!.next_due_at).toBe(sweep!.wait_until)
    expect(Date.parse(sweep!.wait_until!) - Date.parse(sweep!.finished_at!)).toBeGreaterThan(
      7_198_000,
    )
    expect([is_stale, last_success_at]).toEqual([true, null])
  })

  it('is asked less and less often, and by its interval again once it answers', async () => {
    world.answer = { status: 500, body: 'oops' }
    const sweeper = start('one', { FEED_SEATTLE_INTERVAL_SECONDS: '1' })
    const states = () => swept(sweeper, 'seattle').map(line => line.state)
    await until(() => expect(states()).toEqual(['refused', 'refused']))
    expect((await state('seattle')).sweep?.consecutive_failures).toBeGreaterThanOrEqual(2)
    world.answer = seattleSales(1)
    await until(() => expect(states().slice(0, 3)).toEqual(['refused', 'refused', 'done']))
    expect((await state('seattle')).sweep?.consecutive_failures).toBe(0)
    const [first, second, third] = rowsAskedOf(world.seattle).map(({ atMs }) => atMs) as [
      number,
      number,
      number,
    ]
    expect(second - first).toBeGreaterThan(950)
    expect(third - second).toBeGreaterThan(1950)
  })
})

describe('a source that is asked by hand', () => {
  const byHand = (session: Sql, messages: string[] = []) =>
    ingestSource(session, {
      source: 'seattle',
      from: readConfig(world.settings).sources.seattle!,
      manners: MANNERS,

      now: new Date(),
      onProgress: message => messages.push(message),
    })

  it('is fetched by one process at a time', async () => {
    world.answer = { ...seattleSales(3), slowMs: 200 }
    const messages: string[] = []
    const other = await forOneTest(openAdminConnection(ingestion.url))
    const both = await Promise.all([byHand(sql, messages), byHand(other, messages)])
    expect(both.map(({ state }) => state)).toEqual(['done', 'done'])
    expect(messages).toContain('Another process is fetching seattle: waiting for it to end.')
    expect([rowsAskedOf(world.seattle).length, world.seattle.mostAtOnce]).toEqual([2, 1])
  })

  it('is not due for the sweeper until an interval later, and held up no other', async () => {
    world.answer = { ...seattleSales(3), slowMs: 600 }
    const first = byHand(sql)
    await until(() => expect(rowsAskedOf(world.seattle)).toHaveLength(1))
    const sweeper = start('one', { FEED_SEATTLE_INTERVAL_SECONDS: '600' })
    await until(() => expect(world.others.asked).toHaveLength(ON.length - 1))
    expect((await first).state).toBe('done')
    await until(async () => expect((await state('seattle')).sweep?.next_due_at).toMatch(/^\d/))
    await new Promise(resolve => setTimeout(resolve, 700))
    expect(rowsAskedOf(world.seattle)).toHaveLength(1)
    expect(swept(sweeper, 'seattle')).toHaveLength(0)
  })
})

it('staleness is told by the interval of the source while it is swept, else by a day', async () => {
  const sweeper = start('one')
  await allSwept(sweeper)
  await sweeper.stop()
  await sql`update sources set last_success_at = now() - interval '30 hours' where source = 'seattle'`
  await sql`update sources set last_success_at = now() - interval '3 hours' where source = 'gsa'`
  const stale = async (isSwept: boolean) =>
    Promise.all(['seattle', 'gsa'].map(async source => (await state(source, isSwept)).is_stale))
  expect(await stale(true)).toEqual([false, true])
  expect(await stale(false)).toEqual([true, false])
  expect(await state('gsa', true)).toMatchObject({ stale_after_hours: 0.5, sweeper: null })
})
