import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ClientLeft } from '../../src/contract/errors.ts'
import { type Caller, serviceCaller } from '../../src/domain/caller.ts'
import { createConnectionPool } from '../../src/infra/postgres/database.ts'
import type { Sql } from '../../src/infra/postgres/sql.ts'
import { freshDatabase } from '../support/database/database.ts'
import { shared } from '../support/run/shared.ts'

const CONNECTIONS = 4
const DEADLINE_MS = 600

const database = shared(freshDatabase)
let pool: ReturnType<typeof createConnectionPool>

beforeAll(() => database.sql`create table begun (share text)`)

beforeEach(() => {
  const settings = {
    connections: CONNECTIONS,
    timeoutMs: 5_000,
    deadlineMs: DEADLINE_MS,
    lateAnswersMs: 100,
  }
  pool = createConnectionPool({ url: database.url, ...settings })
})

afterEach(() => pool.end())

/** How many statements run on the connections of the pool, and how many connections there are. */
async function backends(): Promise<{ active: number; all: number }> {
  const [row] = await database.sql<{ active: number; all: number }[]>`
    select count(*) filter (where state = 'active') as active, count(*) as all
    from pg_stat_activity
    where datname = current_database() and application_name = 'surplus serve'`
  return row!
}

const sleepFor = (seconds: number) => (sql: Sql) => sql`select pg_sleep(${seconds}::float8)`
const OVERLOADED = 'The service is overloaded. Try again shortly.'
const one = (sql: Sql) => sql`select 1 as n`
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    error => error.message as string,
  )

describe('a connection pool', () => {
  it('runs statements in the order in which they came, and refuses those that wait to their deadline', async () => {
    const slow = Array.from({ length: 20 }, () => outcome(pool.run(serviceCaller(), sleepFor(0.4))))
    await expect.poll(async () => (await backends()).active, { interval: 10 }).toBe(CONNECTIONS)
    const last = outcome(
      pool.run({ ...serviceCaller(), startedAt: performance.now() + 60_000 }, one),
    )
    const outcomes = await Promise.all(slow)
    expect(outcomes.slice(0, CONNECTIONS)).not.toContain(OVERLOADED)
    expect(outcomes.at(-1)).toBe(OVERLOADED)
    expect(await last).toBe('answered')
  })

  it('never begins a statement after the deadline of its caller', async () => {
    const begin = (sql: Sql) => sql`insert into begun values ('late')`
    const running = Array.from({ length: CONNECTIONS }, () =>
      outcome(pool.run(serviceCaller(), sleepFor(1))),
    )
    const waiting = outcome(pool.run(serviceCaller(), begin))
    const late: Caller = { ...serviceCaller(), startedAt: performance.now() - DEADLINE_MS }
    expect(await outcome(pool.run(late, begin))).toMatch(/overloaded/)
    expect(await waiting).toBe(OVERLOADED)
    await Promise.all(running)
    await expect.poll(async () => (await backends()).active).toBe(0)
    expect(await pool.run(serviceCaller(), one)).toEqual([{ n: 1 }])
    expect(await database.sql`select share from begun`).toEqual([])
  })

  it('refuses the caller of a running statement at its deadline, and gives the connection on when the statement ends', async () => {
    const slow = Array.from({ length: CONNECTIONS }, () =>
      outcome(pool.run(serviceCaller(), sleepFor(1.2))),
    )
    expect(await Promise.all(slow)).toEqual(
      Array(CONNECTIONS).fill(expect.stringMatching(/too long/)),
    )
    expect((await backends()).active).toBe(CONNECTIONS)
    expect(
      await outcome(pool.run(serviceCaller(), one)),
      'the connections are still in use',
    ).toMatch(/answered|overloaded/)
    await expect.poll(async () => (await backends()).active).toBe(0)
    expect(await pool.run(serviceCaller(), one)).toEqual([{ n: 1 }])
  })

  it('never begins a statement for a client that has left', async () => {
    const left: Caller = { ...serviceCaller(), hasLeft: () => true }
    await expect(pool.run(left, sql => sql`insert into begun values ('left')`)).rejects.toThrow(
      ClientLeft,
    )
    expect(await database.sql`select share from begun`).toEqual([])
  })

  it('goes on after a statement that fails, whether the server or the driver refuses it', async () => {
    for (let round = 0; round < CONNECTIONS * 2; round++) {
      const byServer = pool.run(serviceCaller(), sql => sql`select 1 / 0`)
      await expect(byServer).rejects.toMatchObject({ code: '22012' })
      const byDriver = pool.run(serviceCaller(), sql => sql`select ${undefined as never}::integer`)
      await expect(byDriver).rejects.toMatchObject({ code: 'UNDEFINED_VALUE' })
    }
    expect(await pool.run(serviceCaller(), one)).toEqual([{ n: 1 }])
    expect((await backends()).all).toBeLessThanOrEqual(CONNECTIONS)
  })

  it('gives the slot on after work that throws before it sends a statement', async () => {
    const broken = () => {
      throw new Error('broken')
    }
    for (let round = 0; round < CONNECTIONS; round++)
      expect(await outcome(pool.run(serviceCaller(), broken))).toBe('broken')
    expect(await pool.run(serviceCaller(), one)).toEqual([{ n: 1 }])
  })

  it('sends statements to new connections after a renewal, and closes the old ones', async () => {
    const slow = outcome(pool.run(serviceCaller(), sleepFor(5)))
    await expect.poll(async () => (await backends()).active).toBe(1)
    pool.renew()
    expect(await pool.run(serviceCaller(), one)).toEqual([{ n: 1 }])
    expect(await slow).not.toBe('answered')
    await expect.poll(async () => (await backends()).all).toBe(1)
  })
})
