import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hashKey } from '../../src/domain/apiKey.ts'
import { serviceCaller } from '../../src/domain/caller.ts'
import { createMeter } from '../../src/infra/metering/meter.ts'
import { CircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { createConnectionPool, openDatabase } from '../../src/infra/postgres/database.ts'
import { openAdminConnection, openServing, type Sql } from '../../src/infra/postgres/sql.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const api = serviceFor()
const POOL = { connections: 1, timeoutMs: 5_000, deadlineMs: 5_000 }
const serving = () => ({ url: api.databaseUrl, ...POOL })

/**
 * Sends 29 rows, and fails. Without the guard the next result on this connection has 29 empty
 * places.
 */
async function failAmongRows(sql: Sql): Promise<void> {
  const failed = sql`
    select repeat('x', 9000), 1 / (30 - n) from generate_series(1, 50) as n where ${1}::integer = 1`
  await expect(failed).rejects.toMatchObject({ code: '22012' })
}

const ROWS = [{ n: 1 }, { n: 2 }, { n: 3 }]
const select = (sql: Sql) => sql`select n from generate_series(1, ${3}::integer) as n`

/** The ways to run a statement, each with the rows that it answers with. */
const WAYS: [string, (sql: Sql) => PromiseLike<unknown>, unknown][] = [
  ['a statement with parameters', select, ROWS],
  ['a statement without parameters', sql => sql`select 1 as n`, [{ n: 1 }]],
  ['values', sql => select(sql).values(), [[1], [2], [3]]],
  ['text', sql => sql.unsafe('values (1), (2)'), [{ column1: 1 }, { column1: 2 }]],
  [
    'several statements',
    sql => sql.unsafe('select 1 as a; select 2 as b'),
    [[{ a: 1 }], [{ b: 2 }]],
  ],
  ['a statement without rows', sql => sql`select 1 where false`, []],
  ['a statement without a count', sql => sql`show server_encoding`, [{ server_encoding: 'UTF8' }]],
  [
    'forEach',
    async sql => {
      const rows: unknown[] = []
      await select(sql).forEach(row => void rows.push(row))
      return rows
    },
    ROWS,
  ],
  [
    'a cursor',
    async sql => {
      const batches: unknown[] = []
      for await (const rows of select(sql).cursor(2)) batches.push([...rows])
      return batches
    },
    [ROWS.slice(0, 2), ROWS.slice(2)],
  ],
  [
    'a cursor with a function',
    async sql => {
      const batches: unknown[] = []
      await select(sql).cursor(2, rows => void batches.push([...rows]))
      return batches
    },
    [ROWS.slice(0, 2), ROWS.slice(2)],
  ],
]

type Work = (sql: Sql) => Promise<void>

async function through(sql: Sql, work: (sql: Sql) => Promise<void>): Promise<void> {
  await forOneTest(sql)
  await work(sql)
}

/** Every way to a connection. Each has one, so that the statements of a test share it. */
const OPENERS: [string, (work: Work) => Promise<unknown>][] = [
  ['a serving process', work => through(openServing(serving()), work)],
  [
    'one that plans each statement',
    work => through(openServing({ ...serving(), prepare: false }), work),
  ],
  ['a command', work => through(openAdminConnection(api.databaseUrl), work)],
  ...(['read', 'count', 'export'] as const).map((name): (typeof OPENERS)[number] => [
    `the pool of the name ${name}`,
    async work => {
      const all = { read: POOL, count: POOL, export: POOL }
      const db = await forOneTest(openDatabase({ url: api.databaseUrl, ...all }))
      await db[name].run(serviceCaller(), work)
    },
  ]),
  [
    'a pool after a renewal',
    async work => {
      const pool = await forOneTest(createConnectionPool({ lateAnswersMs: 100, ...serving() }))
      pool.renew()
      await pool.run(serviceCaller(), work)
    },
  ],
  [
    'a reserved connection',
    work =>
      through(openAdminConnection(api.databaseUrl), async sql => {
        const held = await sql.reserve()
        await work(held as unknown as Sql)
        held.release()
      }),
  ],
]

describe.each(OPENERS)(
  'after a statement that failed among its rows, on the connection of %s,',
  (_, open) => {
    it.each(WAYS)('%s answers with its own rows', async (_, ask, expected) => {
      await open(async sql => {
        await failAmongRows(sql)
        expect(await ask(sql)).toEqual(expected)
        expect(await ask(sql)).toEqual(expected)
      })
    })

    it('statements after several that failed, and at once, answer with their own rows', async () => {
      await open(async sql => {
        for (let n = 0; n < 3; n++) await failAmongRows(sql)
        const answers = await Promise.all([
          failAmongRows(sql),
          select(sql),
          failAmongRows(sql),
          select(sql),
        ])
        expect([answers[1], answers[3]]).toEqual([ROWS, ROWS])
      })
    })
  },
)

describe('after a statement that failed among its rows', () => {
  it('a transaction, and one in it that was rolled back, answer with their own rows', async () => {
    const sql = await forOneTest(openAdminConnection(api.databaseUrl))
    await failAmongRows(sql)
    const answers = await sql.begin(async all => {
      const before = await select(all as unknown as Sql)
      await all
        .savepoint(part => failAmongRows(part as unknown as Sql).then(() => part`select 1 / 0`))
        .catch(() => {})
      return [before, await select(all as unknown as Sql)]
    })
    expect(answers).toEqual([ROWS, ROWS])
    const lost = sql.begin(async all => {
      await all`select repeat('x', 9000), 1 / (30 - n) from generate_series(1, 50) as n where ${1}::integer = 1`
    })
    await expect(lost).rejects.toMatchObject({ code: '22012' })
    expect(await select(sql)).toEqual(ROWS)
  })

  it('a call is charged once, to its own key', async () => {
    const sql = await forOneTest(openServing(serving()))
    const key = await api.makeKey('free', { monthly: 10 })
    const breaker = new CircuitBreaker({ silenceMs: 5_000 })
    const meter = createMeter({
      context: () => ({ sql, now: DATABASE_NOW }),
      breaker,
      deadlineMs: 5_000,
    })
    for (const left of [9, 8]) {
      await failAmongRows(sql)
      expect(await meter.charge(hashKey(PEPPER, key))).toMatchObject({
        granted: true,
        monthRemaining: left,
      })
    }
    expect(await usageOf(api.sql, key)).toEqual({ month: 2, burst: 2 })
  })
})

describe('a result that has not the rows which PostgreSQL says that it sent', () => {
  it('fails as if the connection was lost', async () => {
    const proxy = await forOneTest(miscounting(api.databaseUrl))
    const sql = await forOneTest(openServing({ ...serving(), url: proxy.url }))
    expect(await select(sql)).toEqual(ROWS)
    proxy.miscount()
    await expect(select(sql)).rejects.toMatchObject({ code: 'ROWS_LOST' })
    expect(await select(sql)).toEqual(ROWS)
  })
})

/** A way to the database on which PostgreSQL once says that it sent 4 rows where it sent 3. */
async function miscounting(databaseUrl: string) {
  const target = new URL(databaseUrl)
  let miscounts = false
  const server = createServer(near => {
    const far = connect(Number(target.port || 5432), target.hostname)
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
    near.pipe(far)
    far.on('data', chunk => {
      const at = miscounts ? chunk.indexOf('SELECT 3\0') : -1
      if (at !== -1) {
        chunk.write('SELECT 4', at)
        miscounts = false
      }
      near.write(chunk)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    miscount: () => {
      miscounts = true
    },
    close: () => server.close(),
  }
}
