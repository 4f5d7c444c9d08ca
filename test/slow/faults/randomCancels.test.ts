import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { outdateAnswers } from '../../support/database/database.ts'
import {
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../../support/lots/fixtures.ts'
import { shared } from '../../support/run/shared.ts'
import { sampleOf } from '../../support/service/load.ts'
import { serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

/**
 * How long statements are cancelled, connections ended and tables locked: 300 for the whole soak.
 */
const SOAK_SECONDS = Number(process.env.SOAK_SECONDS ?? 30)
const CALLERS = 24
const LOTS = 2_000

const api = serviceFor({ now: NOW })
const saboteur = shared(() => openAdminConnection(api.databaseUrl))
const blocker = shared(() => openAdminConnection(api.databaseUrl))
let ids: string[]
let key: string

beforeAll(async () => {
  const drafts = Array.from({ length: LOTS }, (_, n) => ({
    slug: `lot-${n}`,
    title: `Ford F-150 pickup number ${n}`,
    description: 'long '.repeat(200),
    source: n % 2 ? 'gsa' : 'municibid',
  }))
  ids = await insertLots(api.sql, drafts)
  const sale_ids = await insertSales(
    api.sql,
    Array.from({ length: 50 }, (_, n) => ({
      sold_at: fromNow(-HOUR * (n + 1)),
      final_bid_cents: 500_000 + n,
    })),
  )
  for (const lot_id of ids.slice(0, 20)) await insertAppraisal(api.sql, { lot_id, sale_ids })
  await api.sql`analyze lots`
  key = await api.makeKey('enterprise', { monthly: 10_000_000, perMinute: 10_000_000 })
})

/** Paths whose answers do not depend on `n`, which only makes them new. */
const PATHS: ((n: number) => string)[] = [
  () => '/api/v1/sources',
  () => '/api/v1/items',
  n => `/api/v1/listings?q=ford%20-zz${n}&per_page=50`,
  n => `/api/v1/listings?q=pickup%20-zz${n}&per_page=50&sort=newest`,
  () => `/api/v1/listings?ids=${ids.slice(0, 50)}`,
  () => `/api/v1/listings/${ids[1]}`,
  () => `/api/v1/listings/${ids[2]}`,
  () => `/api/v1/flip-score/${ids[3]}`,
  () => `/api/v1/comps?listing_id=${ids[4]}`,
  n => `/api/v1/comps?q=lot%20-zz${n}`,
  n => `/api/v1/sales?q=lot%20-zz${n}`,
  n => `/api/v1/export?source=gsa&q=ford%20-zz${n}`,
  () => '/api/v1/changes?per_page=500',
]

/** An answer without the words that made its request a new one. */
const bare = (text: string) => text.replace(/-?zz\d+/g, '')

async function ask(path: string): Promise<{ status: number; body: string }> {
  const { status, body } = await sampleOf(api.address + path, key)
  return { status, body: bare(body) }
}

/** Runs work again and again, with pauses of up to so many milliseconds, until `isOver`. */
async function untilOver(
  isOver: () => boolean,
  mostMs: number,
  work: () => Promise<unknown>,
): Promise<number> {
  let runs = 0
  for (; !isOver(); runs++) {
    await work().catch(() => {})
    await sleep(Math.random() * mostMs)
  }
  return runs
}

it(
  `${CALLERS} callers get right answers or a 503 while statements are cancelled, connections ended and tables locked`,
  async () => {
    const truth: string[] = []
    for (const path of PATHS) {
      const { status, body } = await ask(path(0))
      expect([200, 404], `${path(0)}: ${body}`).toContain(status)
      truth.push(`${status} ${body}`)
    }
    const startedAt = performance.now()
    const isOver = () => performance.now() - startedAt > SOAK_SECONDS * 1_000
    const counts = { asked: 0, answered: 0, refused: 0 }
    const wrong: string[] = []
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isOver()) {
        const n = ++counts.asked
        const index = n % PATHS.length
        const path = PATHS[index]!(n)
        const { status, body } = await ask(path)
        if (status === 503) counts.refused++
        else if (`${status} ${body}` === truth[index]) counts.answered++
        else wrong.push(`${path}: ${status} ${body.slice(0, 300)}`)
      }
    })
    const some = (action: 'pg_cancel_backend' | 'pg_terminate_backend') => saboteur`
    select ${saboteur(action)}(pid)
    from pg_stat_activity
    where application_name = 'surplus serve' and datname = current_database() and state = 'active'
    order by random()
    limit 2`
    const [cancels, ends, locks] = await Promise.all([
      untilOver(isOver, 10, () => some('pg_cancel_backend')),
      untilOver(isOver, 1_000, () => some('pg_terminate_backend')),
      // Longer than a statement may take.
      untilOver(isOver, 10_000, () =>
        blocker.begin(async lock => {
          await lock`lock table sales in access exclusive mode`
          await sleep(2_500)
        }),
      ),
      // What is remembered would be right without the database.
      untilOver(isOver, 100, () => outdateAnswers(saboteur)),
      ...callers,
    ])
    console.log(
      JSON.stringify({
        seconds: SOAK_SECONDS,
        ...counts,
        cancels,
        ends,
        locks,
        wrong: wrong.length,
      }),
    )
    expect(wrong.slice(0, 20)).toEqual([])
    expect(counts.answered).toBeGreaterThan(100)
    expect(counts.refused).toBeGreaterThan(0)
    // A call whose connection was ended may have been charged.
    const { month } = await usageOf(api.sql, key)
    expect(month).toBeGreaterThanOrEqual(counts.answered + PATHS.length)
    expect(month).toBeLessThanOrEqual(counts.asked + PATHS.length)
  },
  SOAK_SECONDS * 1_000 + 600_000,
)
