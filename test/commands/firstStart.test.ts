import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadDemo, loadDemoIfEmpty, missingDemo } from '../../src/commands/loadDemo.ts'
import { loadsOf } from '../../src/infra/ingestion/loads.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'
import { runSurplus } from '../support/run/commandLine.ts'

const SIZE = { lots: 60, sales: 120, seed: 1, onProgress: () => {} }
const FIRST_HOUR = new Date('2026-11-22T10:20:00Z')
const LATER = new Date('2026-11-22T13:40:00Z')

let database: FreshDatabase
let sql: Sql

beforeEach(async () => {
  database = await freshDatabase()
  sql = openAdminConnection(database.url)
})

afterEach(async () => {
  await sql.end()
  await database.drop()
})

const start = (at: Date, onFirstPart = () => {}) =>
  loadDemoIfEmpty(sql, { ...SIZE, clock: () => at, onFirstPart })

const storedLots = () => sql`
  select source, source_id, title, starts_at, ends_at, current_bid_cents, final_bid_cents
  from lots
  order by source, source_id`

describe('the demo data of a first start', () => {
  it('is scored in its first part, then complete, and loaded once', async () => {
    const order: string[] = []
    const result = await start(FIRST_HOUR, () => order.push('first part'))
    order.push('rest')
    expect(order).toEqual(['first part', 'rest'])
    expect(result?.state).toBe('done')
    expect((await loadsOf(sql, ['demo, first part', 'demo'])).map(({ state }) => state)).toEqual([
      'done',
      'done',
    ])
    expect(await missingDemo(sql)).toBeNull()
    expect(await start(LATER)).toBeNull()
  })

  it('is completed after an interruption, with the data of the hour in which it began', async () => {
    await start(FIRST_HOUR)
    const whole = await storedLots()
    await sql`truncate lots, loads, load_sources, set_aside_rows, sales_indexes cascade`

    const interrupted = () => {
      throw new Error('interrupted')
    }
    await expect(start(FIRST_HOUR, interrupted)).rejects.toThrow('interrupted')
    expect(await missingDemo(sql)).toEqual({ startedAt: FIRST_HOUR, hasFirstPart: true })
    await start(LATER)
    expect(await storedLots()).toEqual(whole)
    expect(await missingDemo(sql)).toBeNull()
  })

  it('is loaded again when a load died between its lots and their scores', async () => {
    await start(FIRST_HOUR)
    await sql`update sales_indexes set finished_at = null`
    expect(await missingDemo(sql)).not.toBeNull()
  })

  it('does not enter a database with other lots', async () => {
    await loadDemo(sql, { ...SIZE, now: FIRST_HOUR })
    expect(await missingDemo(sql)).toBeNull()
    expect(await start(LATER)).toBeNull()
  })
})

describe('surplus serve', () => {
  it('reports a taken port before it creates a database', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const folder = join(tmpdir(), `surplus-never-${process.pid}`)
    const port = String((taken.address() as { port: number }).port)
    const { code, stderr } = await runSurplus(['serve', '--demo'], {
      DATABASE_URL: '',
      SURPLUS_DATA_DIR: folder,
      PORT: port,
    })
    taken.close()
    expect([code, stderr]).toEqual([
      1,
      `Cannot listen on 127.0.0.1:${port}: another program listens there. Stop it, or choose another port: PORT=8081 make run\n`,
    ])
    expect(existsSync(folder)).toBe(false)
  })
})
