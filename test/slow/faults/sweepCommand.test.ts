import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freePort as anyFreePort } from '../../../src/infra/embedded/launch.ts'
import { currentSweeper, lockKey } from '../../../src/infra/ingestion/locks.ts'
import { readSweepHistories } from '../../../src/infra/ingestion/sweeps.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { OFFICIAL_KEYS } from '../../../src/infra/sources/registry.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts'
import {
  isRunning,
  type LongCommand,
  runSurplusHere,
  startSurplus,
} from '../../support/run/commandLine.ts'
import { shared, temporaryFolder } from '../../support/run/shared.ts'
import { ALLOWANCE_MS } from '../../support/service/load.ts'
import { ON, seattleSales, startSweptWorld } from '../../support/standIns/sweptWorld.ts'

const world = shared(startSweptWorld)
const archives = temporaryFolder()
let database: FreshDatabase
let sql: Sql
let running: LongCommand[]
beforeEach(async () => {
  database = await freshDatabase()
  sql = database.sql
  running = []
  world.answer = seattleSales(3)
  world.seattle.asked.length = 0
  world.seattle.mostAtOnce = 0
})
afterEach(async () => {
  await Promise.all(running.map(command => command.end('SIGKILL')))
  await database.drop()
})

function start(args: string[], more: Record<string, string> = {}): LongCommand {
  const env = {
    ...world.settings,
    DATABASE_URL: database.url,
    ARCHIVE_DIR: archives,
    FEED_SEATTLE_INTERVAL_SECONDS: '1',
    ALERTS: 'off',
    ...more,
  }
  const command = startSurplus(args, env)
  running.push(command)
  return command
}

/** Starting two processes on a busy machine takes a while. */
const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 })

async function sweeperPid(): Promise<number> {
  const { process } = (await currentSweeper(sql))!
  return Number(/:(\d+)$/.exec(process)?.[1])
}

const freePort = async () => String(await anyFreePort())

describe('surplus sweep', () => {
  it('writes the archives when it begins, in a process that ends with it, and with --json prints a document for each sweep', async () => {
    const sweeper = start(['sweep', '--json'])
    await until(() => expect(existsSync(join(archives, 'aggregates', 'manifest.json'))).toBe(true))
    await until(() => expect(sweeper.answers().length).toBeGreaterThan(0))
    expect(sweeper.answers()[0]).toMatchObject({
      feed: expect.any(String),
      state: expect.any(String),
    })
    expect(await sweeper.end('SIGTERM')).toBe(0)
    expect(sweeper.lines().filter(({ msg }) => /archives/.test(String(msg)))).toEqual([])
  })

  it('works in one of several processes, and another goes on when that is killed; SIGTERM ends it in a fetch, and without INGEST nobody goes on', async () => {
    const port = await freePort()
    start(['serve'], { PORT: port })
    const sweepers = [start(['sweep']), start(['sweep'])]
    await until(() => expect(world.seattle.asked.length).toBeGreaterThan(1))
    const leader = await sweeperPid()
    const { stdout } = await runSurplusHere(['sources'], { DATABASE_URL: database.url })
    expect(stdout).toMatch(new RegExp(`Swept by .*:${leader}\\.`))
    const killed = sweepers.find(({ pid }) => pid === leader)!
    const other = sweepers.find(sweeper => sweeper !== killed)!
    await killed.end('SIGKILL')
    const killedAt = Date.now()
    const askedBefore = world.seattle.asked.length
    world.answer = { ...seattleSales(3), slowMs: 25_000 }
    await until(() => expect(world.seattle.asked.length).toBeGreaterThan(askedBefore))
    expect(world.seattle.asked[askedBefore]!.atMs - killedAt).toBeLessThan(5000 + ALLOWANCE_MS)
    expect(await sweeperPid()).toBe(other.pid)
    expect(world.seattle.mostAtOnce).toBe(1)

    const asked = performance.now()
    expect(await other.end('SIGTERM')).toBe(0)
    expect(performance.now() - asked).toBeLessThan(4000 + ALLOWANCE_MS)
    expect(other.lines().at(-1)).toMatchObject({ source: 'seattle', state: 'dropped' })
    await until(async () =>
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200),
    )
    expect(await currentSweeper(sql)).toBeNull()
  })
})

it('surplus sweep breaks a load off that does not end, and the next one counts it as an attempt', async () => {
  await sql`select pg_advisory_lock(${lockKey('loads')})`
  const waiting = () => sql`
    select
    from pg_locks
    where not granted
    and database = (select oid from pg_database where datname = current_database())`
  const sweeper = start(['sweep'])
  await until(async () => expect(await waiting()).toHaveLength(1))
  const asked = performance.now()
  expect(await sweeper.end('SIGTERM')).toBe(0)
  expect(performance.now() - asked).toBeLessThan(7000 + ALLOWANCE_MS)
  expect(sweeper.lines()).toContainEqual(
    expect.objectContaining({ msg: expect.stringMatching(/^a load was interrupted/) }),
  )
  await until(async () => expect(await waiting()).toHaveLength(0))
  const histories = (await readSweepHistories(sql, OFFICIAL_KEYS)).filter(({ source }) =>
    ON.includes(source),
  )
  expect(histories.map(({ failures }) => failures).sort()).toEqual([0, 0, 0, 0, 0, 1])
})

describe('surplus serve with INGEST=on', () => {
  it('sweeps in a process of its own, starts it again when it dies, serves on, and takes it along', async () => {
    const port = await freePort()
    const serve = start(['serve'], { INGEST: 'on', PORT: port })
    await until(() => expect(world.seattle.asked.length).toBeGreaterThan(0))
    const first = await sweeperPid()
    expect(first).not.toBe(serve.pid)

    process.kill(first, 'SIGKILL')
    await until(() =>
      expect(serve.lines()).toContainEqual(
        expect.objectContaining({
          msg: 'the sweeper ended and is started again',
          signal: 'SIGKILL',
        }),
      ),
    )
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    await until(async () => expect(await currentSweeper(sql)).not.toBeNull())
    const second = await sweeperPid()
    expect(second).not.toBe(first)

    await serve.end('SIGKILL')
    await until(() => expect(isRunning(second)).toBe(false))
    expect(await currentSweeper(sql)).toBeNull()
  })

  it('ends both on SIGTERM', async () => {
    const serve = start(['serve'], { INGEST: 'on', PORT: await freePort() })
    await until(async () => expect(await currentSweeper(sql)).not.toBeNull())
    const sweeper = await sweeperPid()
    expect(await serve.end('SIGTERM')).toBe(0)
    expect(isRunning(sweeper)).toBe(false)
    expect(serve.lines().map(({ msg }) => msg)).not.toContain(
      'the sweeper ended and is started again',
    )
  })
})
