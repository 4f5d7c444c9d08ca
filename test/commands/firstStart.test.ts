import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadDemo, needsDemo } from '../../src/commands/demo.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import type { Sql } from '../../src/infra/postgres/database.ts'
import { readEntries, readProvenDays } from '../../src/infra/valuation/provenLogs.ts'
import { freshDatabase } from '../support/database/database.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { PEPPER } from '../support/service/testSettings.ts'

describe('the demo data of a first start', () => {
  let sql: Sql

  beforeEach(async () => {
    const database = await freshDatabase()
    sql = database.sql
    return database.drop
  })

  const load = (onProgress: (message: string) => void = () => {}) =>
    loadDemo(sql, { lots: 60, sales: 120, seed: 1, now: new Date(), onProgress })

  it('are needed by an empty database alone, and complete and scored after one load', async () => {
    expect(await needsDemo(sql)).toBe(true)
    const { state, rescored } = await load()
    expect([state, rescored!.lots_scored > 0]).toEqual(['done', true])
    expect(await needsDemo(sql)).toBe(false)
    await sql`update data_version set kind = 'live'`
    await sql`truncate sales_indexes`
    expect(await needsDemo(sql), 'lots that are no demo').toBe(false)
  })

  it.each(['Making', 'Indexed'])('are loaded again when the load died at "%s …"', async step => {
    const die = (message: string) => {
      if (message.startsWith(step)) throw new Error('died')
    }
    await expect(load(die)).rejects.toThrow('died')
    expect(await needsDemo(sql)).toBe(true)
    await load()
    expect(await needsDemo(sql)).toBe(false)
  })
})

it('the demo data have measured estimates, and some that were logged before the prices were known', async () => {
  const { sql, url, drop } = await freshDatabase()
  const backtest = () => runSurplusHere(['backtest'], { DATABASE_URL: url })
  expect((await backtest()).stdout).toBe(
    'Nothing is measured yet: load past sales, then run npx surplus rescore.\n',
  )
  await loadDemo(sql, { lots: 400, sales: 8_000, seed: 1, now: NOW, onProgress: () => {} })
  const [day] = await readProvenDays(sql, 'estimates')
  const entries = await readEntries(sql, 'https://demo.example', 'estimates', day!.day)
  expect(entries).toHaveLength(day!.entries)
  for (const { facts } of entries) expect(facts).toMatchObject({ price_cents: expect.any(Number) })
  expect((await backtest()).stdout).toMatch(
    /^Sales up to 20.*\n\ngroup +sales +error_factor[\s\S]*\ncomparables +\d+/,
  )
  await sql`update sales_indexes set accuracy = accuracy - 'money' - 'by_grade'`
  expect((await backtest()).stdout, 'by a version that measured otherwise').toMatch(
    /^Nothing is measured yet/,
  )
  await drop()
})

describe('surplus serve', () => {
  it('reports a taken port before it creates a database', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const folder = join(tmpdir(), `surplus-never-${process.pid}`)
    const port = String((taken.address() as { port: number }).port)
    const { code, stderr } = await runSurplusHere(['serve', '--demo'], {
      DATABASE_URL: '',
      SURPLUS_DATA_DIR: folder,
      PORT: port,
    })
    taken.close()
    expect([code, stderr]).toEqual([
      1,
      `Cannot listen on 127.0.0.1:${port}: another program listens there. Stop it, or set PORT, such as PORT=8081.\n`,
    ])
    expect(existsSync(folder)).toBe(false)
  })

  const SHARED = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@surplus.test', ARCHIVE_DIR: tmpdir() }
  it.each([
    [
      'warns of mail and archives without a place when data are live',
      'live',
      {},
      ['SMTP_URL', 'ARCHIVE_DIR'],
    ],
    ['warns of nothing when both have one', 'live', SHARED, []],
    ['warns of nothing with demo data', 'demo', {}, []],
  ])('%s', async (_, kind, settings, expected) => {
    const { url, sql, drop } = await freshDatabase()
    await sql`update data_version set kind = ${kind}`
    const port = String(await freePort())
    const env = { DATABASE_URL: url, KEY_PEPPER: PEPPER, PORT: port, ALERTS: 'off', ...settings }
    const service = startSurplus(['serve'], env)
    const readiness = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, String)
    await expect.poll(readiness).toBe(200)
    const children = () =>
      spawnSync('ps', ['-o', 'args=', '--ppid', String(service.pid)], { encoding: 'utf8' }).stdout
    await expect.poll(children, { message: 'before the first title' }).toContain('estimatingProcess')
    await service.end('SIGTERM')
    const warned = service.lines().map(({ msg }) => /SMTP_URL|ARCHIVE_DIR/.exec(String(msg))?.[0])
    expect(warned.filter(Boolean)).toEqual(expected)
    await drop()
  })
})
