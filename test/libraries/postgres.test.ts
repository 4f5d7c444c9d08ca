import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServing } from '../../src/infra/postgres/sql.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'

let database: FreshDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await freshDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const codeOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => 'done',
    error => error.code,
  )

describe('postgres.js 3.4.9', () => {
  it('hands int8, count and numeric over as text', async () => {
    const [row] =
      await sql`select 1::bigint as whole, count(*) as lots, 1.5::numeric as exact, 1::integer as small`
    expect(row).toEqual({ whole: '1', lots: '1', exact: '1.5', small: 1 })
  })

  it('makes a Date of date and timestamptz, without microseconds', async () => {
    const [row] =
      await sql`select '2026-11-01'::date as day, '2026-11-01 00:00:00.123456Z'::timestamptz as moment`
    expect(row?.day).toBeInstanceOf(Date)
    expect(row?.moment.toISOString()).toBe('2026-11-01T00:00:00.123Z')
  })

  it('drops the microseconds of a timestamptz parameter, given as text', async () => {
    const moment = '2026-11-01 00:00:00.123456+00'
    const [row] = await sql`
      select ${moment}::timestamptz = '2026-11-01 00:00:00.123456Z' as kept,
        ${moment}::text::timestamptz = '2026-11-01 00:00:00.123456Z' as kept_as_text`
    expect(row).toEqual({ kept: false, kept_as_text: true })
  })

  it('waits for seconds before it connects again, unless told otherwise', () => {
    const backoff = sql.options.backoff as unknown as (retries: number) => number
    expect(backoff(20)).toBeGreaterThan(5)
  })

  it('lets a fast query wait behind a slow one on the same connection, unless max_pipeline is 0', async () => {
    const waits = async (pipeline: object) => {
      const pool = postgres(database.url, { max: 2, ...pipeline })
      await Promise.all([pool`select 1`, pool`select 1`])
      const slow = pool`select pg_sleep(0.6)`.execute()
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: 20 }, () => pool`select 1`))
      const tookMs = performance.now() - startedAt
      await slow
      await pool.end()
      return tookMs
    }
    expect(await waits({})).toBeGreaterThan(400)
    expect(await waits({ max_pipeline: 0 })).toBeLessThan(400)
  })

  it('cannot send an array without the array types of the server, which the serving pools do not ask for', async () => {
    const served = openServing({ url: database.url, connections: 1, timeoutMs: 1_500 })
    expect(await codeOf(served`select ${['a', 'b']}::text[]`)).toBe('22P02')
    expect(await codeOf(sql`select ${['a', 'b']}::text[]`)).toBe('done')
    await served.end()
  })
})
