import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
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

  it.each([
    ['a NUL', '22021', () => sql`select ${'a\0b'}::text`],
    ['a malformed uuid', '22P02', () => sql`select ${'nonsense'}::uuid`],
    ['a number out of range', '22003', () => sql`select ${'99999999999'}::integer`],
  ])('passes %s on: %s', async (_what, code, query) => {
    expect(await codeOf(query())).toBe(code)
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

  it('ends the process when a backend dies while it asks for the array types', async () => {
    expect(await withDyingBackend({ fetch_types: true })).toMatch(/^exit 1: .*57P01/s)
  })

  it('rejects the query, and nothing worse, when it does not ask for them', async () => {
    expect(await withDyingBackend({ fetch_types: false })).toBe('rejected CONNECTION_CLOSED, alive')
  })
})

/** A server that ends each session at its first query (57P01), and a client of it, in a process of their own. */
function withDyingBackend(options: object): Promise<string> {
  const script = `
    import { createServer } from 'node:net'
    import postgres from 'postgres'
    const letIn = Buffer.from('520000000800000000' + '5a0000000549', 'hex')
    const fields = 'SFATAL\\0C57P01\\0Mterminating connection\\0\\0'
    const end = Buffer.concat([Buffer.from('45000000' + (fields.length + 4).toString(16), 'hex'), Buffer.from(fields)])
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(letIn)
        socket.once('data', () => socket.end(end))
      })
    })
    server.listen(0, '127.0.0.1', async () => {
      const port = server.address().port
      const sql = postgres({ host: '127.0.0.1', port, user: 'a', database: 'a', max: 1, ...${JSON.stringify(options)} })
      const outcome = await sql\`select 1\`.then(() => 'done', error => 'rejected ' + error.code)
      await new Promise(resolve => setTimeout(resolve, 100))
      process.stdout.write(outcome + ', alive')
      process.exit(0)
    })`
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: projectFile(),
  }).then(
    ({ stdout }) => stdout,
    ({ code, stderr }) => `exit ${code}: ${stderr}`,
  )
}
