import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { outdateAnswers } from '../../support/database/database.ts'
import { DAY, insertLots, insertSales } from '../../support/lots/fixtures.ts'
import { legacyRequest, MCP_PATH, modernRequest } from '../../support/mcp/mcp.ts'
import { shared } from '../../support/run/shared.ts'
import { lostCalls, patiently, sampleOf, startLoad } from '../../support/service/load.ts'
import { processFor } from '../../support/service/processes.ts'
import { serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

/** Those of `startService`: reads, counters and exports. */
const READ_CONNECTIONS = 8
const CONNECTIONS = 14
/** A request is answered by then. */
const DEADLINE_MS = 2_000
const CLIENTS = 200
const UNLIMITED = { monthly: 1_000_000, perMinute: 1_000_000 }

/** It waits while the appraisals are locked. */
const SLOW = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
/** It does not. */
const QUICK = '/api/v1/comps?category=vehicles'
/** It reads no table at all, over the same connections. */
const TABLELESS = '/readyz'

const api = serviceFor()
const service = processFor(api)
const watch = shared(() => openAdminConnection(api.databaseUrl))
let key: string

beforeAll(async () => {
  await insertLots(api.sql, [{ slug: 'one', starts_at: '-infinity', ends_at: 'infinity' }])
  await insertSales(
    api.sql,
    [1, 2, 3].map(n => ({
      category: 'vehicles',
      sold_at: new Date(Date.now() - n * DAY),
      final_bid_cents: n * 100_00,
    })),
  )
})

beforeEach(async () => {
  key = await api.makeKey('enterprise', UNLIMITED)
  expect((await patiently(() => get(QUICK))).status).toBe(200)
})

const get = (path: string) => sampleOf(service.address + path, key)

/** Runs `meanwhile` while nobody can read these tables; what the service asks of them waits. */
async function locked<T>(tables: string, meanwhile: () => Promise<T>): Promise<T> {
  let made: { value: T } | null = null
  await api.sql.begin(async lock => {
    await lock.unsafe(`lock table ${tables} in access exclusive mode`)
    made = { value: await meanwhile() }
  })
  return made!.value
}

/** The statements of the service that wait for the lock, and how many connections it has. */
async function backends(): Promise<{ waiting: number; all: number }> {
  const [row] = await watch<{ waiting: number; all: number }[]>`
    select count(*) filter (where wait_event_type = 'Lock') as waiting, count(*) as all
    from pg_stat_activity
    where datname = current_database() and application_name = 'surplus serve'`
  return row!
}

/** How many connections the service had at most, until it is asked. */
function watchConnections(): { most(): Promise<number> } {
  let most = 0
  let isOver = false
  const watching = (async () => {
    for (; !isOver; await sleep(20)) most = Math.max(most, (await backends()).all)
  })()
  return {
    most: async () => {
      isOver = true
      await watching
      return most
    },
  }
}

const expectWaiting = (count: number) =>
  expect.poll(async () => (await backends()).waiting, { interval: 20 }).toBe(count)

/** A call that can be left. */
function ask(path: string, init: RequestInit = {}) {
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${key}`, ...init.headers }
  const answered = fetch(service.address + path, { ...init, headers, signal: leaving.signal }).then(
    response => response.status,
    () => 'left' as const,
  )
  return { answered, leave: () => leaving.abort() }
}

const tool = (message: object, headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(message),
})

const SEARCH = { name: 'search_listings', arguments: {} }
const modern = modernRequest('tools/call', SEARCH)

describe('a client that leaves while its statement runs', { timeout: 120_000 }, () => {
  it.each<[string, string, RequestInit]>([
    ['a search', '/api/v1/listings?q=lot', {}],
    ['sold prices', SLOW, {}],
    ['an export', '/api/v1/export', {}],
    ['a tool call of 2025-11-25', MCP_PATH, tool(legacyRequest('tools/call', SEARCH))],
    ['a tool call of 2026-07-28', MCP_PATH, tool(modern.message, modern.headers)],
    ['a page', '/search?q=lot', {}],
  ])(
    'keeps it no longer than its statement timeout, and nobody else waits: %s',
    async (_what, path, init) => {
      await outdateAnswers(api.sql)
      const others = startLoad(4, key, () => service.address + TABLELESS)
      await locked('lots, appraisals', async () => {
        const call = ask(path, init)
        await expect
          .poll(async () => (await backends()).waiting, { interval: 20 })
          .toBeGreaterThan(0)
        call.leave()
        await expectWaiting(0)
        expect(await call.answered).toBe('left')
      })
      const samples = await others.stop()
      expect(samples.length).toBeGreaterThan(4)
      expect(lostCalls(samples, DEADLINE_MS)).toEqual([])
      // A client that left has paid, besides the call before; pages cost nothing.
      const paid = path.startsWith('/api/') ? 2 : 1
      const { month, burst } = await usageOf(watch, key)
      expect(burst).toBe(paid)
      // Unless its deadline passed before it left.
      expect([paid - 1, paid]).toContain(month)
      const again = ask(path, init)
      expect(await again.answered).toBe(path === SLOW ? 404 : 200)
    },
  )
})

describe('two hundred clients that leave at random moments', () => {
  it('do nothing to the calls of others, take no more connections, and leave the pool whole', async () => {
    const watching = watchConnections()
    const another = await api.makeKey('enterprise', { owner: 'another', ...UNLIMITED })
    const others = startLoad(4, another, () => service.address + QUICK)
    await locked('appraisals', async () => {
      await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          await sleep(Math.random() * 3_000)
          const call = ask(Math.random() < 0.15 ? SLOW : QUICK)
          await sleep(Math.random() * 150)
          call.leave()
          await call.answered
        }),
      )
      await expect.poll(() => others.samples.length).toBeGreaterThan(20)
      const samples = await others.stop()
      expect(lostCalls(samples, DEADLINE_MS)).toEqual([])
      await expectWaiting(0)
      const whole = Array.from({ length: READ_CONNECTIONS }, () => ask(SLOW))
      await expectWaiting(READ_CONNECTIONS)
      for (const call of whole) call.leave()
      const asked = 1 + READ_CONNECTIONS
      const { month } = await usageOf(watch, key)
      expect(month, 'who was answered has paid').toBeGreaterThanOrEqual(asked)
      expect(month, 'nobody has paid twice').toBeLessThanOrEqual(asked + CLIENTS)
    })
    expect(await watching.most()).toBeLessThanOrEqual(CONNECTIONS)
    expect((await get(SLOW)).status).toBe(404)
  })
})
