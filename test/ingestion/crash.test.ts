import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { LOAD_LOCK } from '../../src/infra/ingestion/locks.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import {
  hoursFromNow,
  type Ingestion,
  liveRow,
  ndjson,
  startIngestion,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { builtFile } from '../support/run/builtFile.ts'

const ROWS = 30_000
const BATCH = 5000

/** Closed lots, a live one and a bad one in every hundred. */
const file = ndjson(
  Array.from({ length: ROWS }, (_, n) => {
    const changes = n % 100 === 1 ? {} : { outcome: 'unsold', end_date: hoursFromNow(-n / 10) }
    return liveRow(`lot-${n}`, n % 100 === 2 ? { state: 'XX' } : changes)
  }),
)

describe('a load that is killed', () => {
  let undisturbed: unknown
  beforeAll(async () => {
    const ingestion = await startIngestion()
    await ingestion.load(file)
    undisturbed = await ingestion.everything()
    await ingestion.end()
  })

  it.each([0, 1, 3])(
    'after %i batches leaves whole ones, and the rerun gives what an undisturbed load gives',
    async batches => {
      const ingestion = await startIngestion()
      const watch = openAdminConnection(ingestion.url)
      try {
        const child = startChild(ingestion, ingestion.file(file))
        await untilTaken(watch, batches * BATCH, child)
        child.kill('SIGKILL')
        await once(child, 'exit')
        await untilUnlocked(watch)
        await expectWholeBatches(watch)

        const rerun = await ingestion.load(file)
        expect(rerun).toMatchObject({
          state: 'done',
          rows_read: ROWS,
          rows_taken: ROWS * 0.99,
          rows_set_aside: ROWS / 100,
        })
        expect(await ingestion.everything()).toEqual(undisturbed)
        const [dead] = await watch`select state, reason from loads order by id limit 1`
        expect(dead).toMatchObject({ state: 'refused', reason: expect.stringContaining('The process ended') })
      } finally {
        await watch.end()
        await ingestion.end()
      }
    },
  )
})

describe('a load that is killed eight times, at any moment', () => {
  it('loads in the end what an undisturbed load loads', async () => {
    const [undisturbed, ingestion] = [await startIngestion(), await startIngestion()]
    const watch = openAdminConnection(ingestion.url)
    try {
      const started = performance.now()
      const child = startChild(undisturbed, undisturbed.file(file))
      await once(child, 'exit')
      const wholeMs = performance.now() - started

      const path = ingestion.file(file)
      for (let kill = 0; kill < 8; kill += 1) {
        const killed = startChild(ingestion, path)
        const ended = once(killed, 'exit')
        await Promise.race([ended, sleep(Math.random() * wholeMs)])
        killed.kill('SIGKILL')
        await ended
        await untilUnlocked(watch)
      }
      const { rows_taken, rows_set_aside } = await ingestion.load(file)
      expect({ rows_taken, rows_set_aside }).toEqual({ rows_taken: ROWS * 0.99, rows_set_aside: ROWS / 100 })
      expect(await ingestion.everything()).toEqual(await undisturbed.everything())
      expect(await watch`select from loads where state = 'running'`).toHaveLength(0)
    } finally {
      await watch.end()
      await Promise.all([undisturbed.end(), ingestion.end()])
    }
  }, 240_000)
})

function startChild(ingestion: Ingestion, path: string): ChildProcess {
  const script = builtFile('test/support/ingestion/loadInChild.ts')
  return spawn(process.execPath, [script, ingestion.url, path], { stdio: 'inherit' })
}

async function untilTaken(sql: Sql, rows: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const [load] = await sql<{ rows_read: number }[]>`select rows_read from loads where state = 'running'`
    if (load && load.rows_read >= rows) return
    await sleep(5)
  }
  throw new Error(`The load ended before it had taken ${rows} rows.`)
}

/** The server may still be finishing the last statement of the dead process. */
async function untilUnlocked(sql: Sql): Promise<void> {
  await sql`select pg_advisory_lock(${LOAD_LOCK})`
  await sql`select pg_advisory_unlock(${LOAD_LOCK})`
}

async function expectWholeBatches(sql: Sql): Promise<void> {
  const [found] = await sql`
    select
      loads.state, loads.rows_read, loads.rows_taken, loads.rows_set_aside,
      (select count(*) from lots) as lots,
      (select count(*) from set_aside_rows where load_id = loads.id) as kept
    from loads`
  expect(found?.state).toBe('running')
  expect(found?.rows_read).toBeLessThan(ROWS)
  expect(found?.rows_read % BATCH).toBe(0)
  expect(found?.lots).toBe(found?.rows_taken)
  expect(found?.kept).toBe(found?.rows_set_aside)
  expect(found?.lots + found?.kept).toBe(found?.rows_read)
}

describe('two loads at once', () => {
  let ingestion: Ingestion
  beforeAll(async () => {
    ingestion = await startIngestion()
  })
  afterAll(() => ingestion.end())

  it('run one after the other, and the second says that it waits', async () => {
    const other = openAdminConnection(ingestion.url)
    const said: string[] = []
    try {
      await other`select pg_advisory_lock(${LOAD_LOCK})`
      const loading = ingestion.load([liveRow('1')], { onProgress: message => said.push(message) })
      await sleep(300)
      expect(await other`select from loads`).toHaveLength(0)
      await other`select pg_advisory_unlock(${LOAD_LOCK})`
      expect(await loading).toMatchObject({ state: 'done', lots_new: 1 })
    } finally {
      await other.end()
    }
    expect(said[0]).toMatch(/Another load is running/)
  })

  it('close no ended lots while another session loads', async () => {
    const other = openAdminConnection(ingestion.url)
    try {
      await ingestion.load([liveRow('ended', { end_date: hoursFromNow(1) })], { partial: true })
      const later = new Date(NOW.getTime() + 7_200_000)
      await other`select pg_advisory_lock(${LOAD_LOCK})`
      expect(await closeEndedLots(ingestion.sql, later)).toBe(0)
      await other`select pg_advisory_unlock(${LOAD_LOCK})`
      expect(await closeEndedLots(ingestion.sql, later)).toBe(1)
    } finally {
      await other.end()
    }
  })
})
