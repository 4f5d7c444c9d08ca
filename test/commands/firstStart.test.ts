import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { demoNeeds, loadDemo } from '../../src/commands/demo.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import type { Sql } from '../../src/infra/postgres/database.ts'
import { readAccuracy } from '../../src/infra/valuation/models.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplus, runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { forOneTest, temporaryFolder } from '../support/run/shared.ts'
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
    expect(await demoNeeds(sql)).toEqual({ lots: true, sales: true, finish: true })
    const { state, rescored } = await load()
    expect([state, rescored!.lots_scored > 0]).toEqual(['done', true])
    expect(await demoNeeds(sql), 'nothing is measured').toEqual({
      lots: false,
      sales: false,
      finish: true,
    })
    await sql`update data_version set kind = 'live'`
    await sql`truncate sales_indexes`
    expect(await demoNeeds(sql), 'lots that are no demo').toEqual({
      lots: false,
      sales: false,
      finish: false,
    })
  })

  it('are loaded again when the load died, and only scored when the scoring did', async () => {
    const dieAt = (step: string) => (message: string) => {
      if (message.startsWith(step)) throw new Error('died')
    }
    await expect(load(dieAt('Making'))).rejects.toThrow('died')
    expect(await demoNeeds(sql)).toEqual({ lots: true, sales: true, finish: true })
    await expect(load(dieAt('Indexed'))).rejects.toThrow('died')
    expect(await demoNeeds(sql)).toEqual({ lots: false, sales: false, finish: true })
  })
})

describe('the scores of a new demo', () => {
  const files = temporaryFolder()

  it('follow its lots, with archives and measured estimates', async () => {
    const { sql, url } = await forOneTest(freshDatabase())
    const env = { DATABASE_URL: url, ARCHIVE_DIR: files, KEY_PEPPER: PEPPER }
    expect((await runSurplusHere(['backtest'], env)).stdout).toBe(
      'Nothing can be measured yet: load past sales first.\n',
    )
    await loadDemo(sql, {
      lots: 60,
      sales: 0,
      seed: 1,
      now: new Date(),
      part: 'lots',
      onProgress: () => {},
    })
    const scored = () => sql`select from lots where flip_score is not null limit 1`
    const changes = () =>
      sql`select kind, count(*), count(distinct lot_id) as lots from lot_changes group by kind order by kind`
    const listed = await changes()
    expect(await scored()).toHaveLength(0)
    expect(await demoNeeds(sql)).toEqual({ lots: false, sales: true, finish: true })

    expect((await runSurplus(['demo', '--finish', '--sales', '300'], env)).code).toBe(0)
    expect(await scored()).toHaveLength(1)
    const [listings, scores] = await changes()
    expect([listings], 'past sales are no changes').toEqual(listed)
    expect(scores).toEqual({ kind: 'score', count: scores!.lots, lots: scores!.lots })
    expect(await demoNeeds(sql)).toEqual({ lots: false, sales: false, finish: false })
    expect(existsSync(join(files, 'v1', 'manifest.json'))).toBe(true)
    const measured = await readAccuracy(sql)
    expect(measured!.accuracy.sales, 'weeks with fewer than 50 sales say nothing').toBe(0)
    await runSurplusHere(['rescore'], env)
    expect((await readAccuracy(sql))!.accuracy, 'the next model takes it over').toEqual(
      measured!.accuracy,
    )
    await sql`update sales_indexes set accuracy = accuracy - 'dots'`
    expect(await readAccuracy(sql), 'by a version that measured otherwise').toBeNull()
  })
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

  // Which settings it warns of where they are missing: status.test.ts; with demo data: live.test.ts.
  it('starts the estimating process before the first title, and warns of nothing when mail and archives of live data have a place', async () => {
    const { url } = await forOneTest(freshDatabase())
    const port = String(await freePort())
    const env = {
      DATABASE_URL: url,
      KEY_PEPPER: PEPPER,
      PORT: port,
      ALERTS: 'off',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'no-reply@surplus.test',
      ARCHIVE_DIR: tmpdir(),
    }
    const service = startSurplus(['serve'], env)
    const readiness = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, String)
    await expect.poll(readiness).toBe(200)
    const children = () =>
      spawnSync('ps', ['-o', 'args=', '--ppid', String(service.pid)], { encoding: 'utf8' }).stdout
    await expect
      .poll(children, { message: 'before the first title' })
      .toContain('estimatingProcess')
    await service.end('SIGTERM')
    const warned = service.lines().map(({ msg }) => /SMTP_URL|ARCHIVE_DIR/.exec(String(msg))?.[0])
    expect(warned.filter(Boolean)).toEqual([])
  })
})
