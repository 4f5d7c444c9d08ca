import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Audience } from '../../src/domain/audience.ts'
import { ClientLeft } from '../../src/domain/errors.ts'
import { type ServingPool, servingPool } from '../../src/infra/postgres/connectionPool.ts'
import { openWorkbench, type Sql } from '../../src/infra/postgres/database.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'

const CONNECTIONS = 3

let database: FreshDatabase
let watch: Sql
let pool: ServingPool

beforeAll(async () => {
  database = await freshDatabase()
  watch = openWorkbench(database.url)
})

beforeEach(() => {
  const settings = { connections: CONNECTIONS, timeoutMs: 10_000, lateAnswersMs: 1_000 }
  pool = servingPool({ url: database.url, ...settings })
})

afterEach(() => pool.end())

afterAll(async () => {
  await watch.end()
  await database.drop()
})

/** The statements that run on the pool's connections, and its connections. */
async function backends(): Promise<{ sleeping: number; all: number }> {
  const [row] = await watch<{ sleeping: number; all: number }[]>`
    select count(*) filter (where state = 'active') as sleeping, count(*) as all
    from pg_stat_activity
    where datname = current_database() and application_name = 'surplus serve'`
  return row!
}

const sleeping = async () => (await backends()).sleeping

/** A statement that takes longer than any test waits. */
const long = (sql: Sql) => sql`select pg_sleep(9)`

describe('a pool of single statements', () => {
  it('runs as many at once as it has connections, the next when one is done, and opens no more than it needs', async () => {
    expect(await Promise.all([1, 2].map(n => pool.sql`select ${n}::integer as n`))).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
    ])
    expect((await backends()).all).toBe(2)
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: CONNECTIONS * 2 }, () => pool.sql`select pg_sleep(0.3)`))
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(590)
    expect((await backends()).all).toBe(CONNECTIONS)
  })

  it('goes on after a statement that fails, whether the server or the driver refuses it', async () => {
    for (let round = 0; round < CONNECTIONS * 2; round++) {
      await expect(pool.sql`select 1 / 0`).rejects.toMatchObject({ code: '22012' })
      await expect(pool.sql`select ${undefined as never}::integer`).rejects.toMatchObject({
        code: 'UNDEFINED_VALUE',
      })
    }
    expect(await pool.sql`select 1 as n`).toEqual([{ n: 1 }])
  })

  it('connects again when the server has ended its connections', async () => {
    await Promise.all([1, 2, 3].map(() => pool.sql`select pg_sleep(0.1)`))
    await watch`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'surplus serve'
      and datname = current_database()`
    await sleep(100)
    expect(await pool.sql`select 1 as n`).toEqual([{ n: 1 }])
  })

  it.each(['begin', 'reserve', 'listen', 'notify', 'subscribe', 'file'] as const)(
    'refuses %s, which is more than one statement',
    name => {
      expect(() => pool.sql[name]).toThrow(name)
    },
  )

  it('refuses what comes, or waits, when it is ended', async () => {
    const running = Array.from({ length: CONNECTIONS }, () => pool.sql`select pg_sleep(0.8)`.execute())
    await expect.poll(sleeping, { interval: 10 }).toBe(CONNECTIONS)
    const inLine = pool.sql`select 1`.execute()
    await sleep(0)
    const ended = pool.end()
    await expect(inLine).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
    await expect(pool.sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
    await Promise.all(running)
    await ended
  })
})

describe('whoever stops waiting', () => {
  it('is told why at once; the statement ends within a second, and nothing else does', async () => {
    const audience = new Audience()
    const left = long(pool.sql.until(audience)).execute()
    const stays = pool.sql`select pg_sleep(1.2), 'done' as word`.execute()
    await expect.poll(sleeping).toBe(2)
    audience.leave()
    await expect(left).rejects.toThrow(ClientLeft)
    await expect.poll(sleeping, { timeout: 1_000 }).toBe(1)
    expect(await stays).toMatchObject([{ word: 'done' }])
  })

  it('leaves no more connections behind than the pool may have, and the pool whole within a second', async () => {
    for (let round = 0; round < 3; round++) {
      const audience = new Audience()
      const left = Array.from({ length: CONNECTIONS }, () =>
        long(pool.sql.until(audience)).then(
          () => 'answered',
          () => 'left',
        ),
      )
      await expect.poll(sleeping).toBe(CONNECTIONS)
      audience.leave()
      expect(await Promise.all(left)).toEqual(Array(CONNECTIONS).fill('left'))
      const leftAt = performance.now()
      const next = Promise.all(Array.from({ length: CONNECTIONS }, () => pool.sql`select pg_sleep(0.1)`))
      expect((await backends()).all).toBeLessThanOrEqual(CONNECTIONS)
      await next
      expect(performance.now() - leftAt).toBeLessThan(1_000)
      expect((await backends()).all).toBeLessThanOrEqual(CONNECTIONS)
    }
  })

  it('in line is not begun, nor whoever has left before', async () => {
    await watch`create table if not exists begun (n integer)`
    const running = Array.from({ length: CONNECTIONS }, () => pool.sql`select pg_sleep(0.4)`.execute())
    const audience = new Audience()
    const sql = pool.sql.until(audience)
    const inLine = sql`insert into begun values (1)`.execute()
    await sleep(100)
    audience.leave()
    await expect(inLine).rejects.toThrow(ClientLeft)
    await expect(sql`insert into begun values (2)`).rejects.toThrow(ClientLeft)
    await Promise.all(running)
    await pool.sql`select 1`
    expect(await watch`select n from begun`).toEqual([])
  })

  it('while it connects leaves the connection to the next', async () => {
    await watch`create table if not exists begun (n integer)`
    for (let round = 0; round < 20; round++) {
      const audience = new Audience()
      const left = pool.sql.until(audience)`insert into begun values (3)`.then(
        () => 'answered',
        () => 'left',
      )
      // A connection takes some milliseconds.
      await sleep(round / 4)
      audience.leave()
      expect(['answered', 'left']).toContain(await left)
      expect(await pool.sql`select 1 as n`).toEqual([{ n: 1 }])
      pool.renew()
    }
    await expect.poll(async () => (await backends()).all, { timeout: 3_000 }).toBe(0)
  })
})
