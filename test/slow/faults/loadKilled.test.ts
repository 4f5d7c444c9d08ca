import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOAD_LOCK } from '../../../src/infra/ingestion/locks.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import {
  changesAfter,
  expectGapless,
  openLots,
  replayed,
  startReader,
} from '../../support/ingestion/changeLog.ts'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
  ndjson,
} from '../../support/ingestion/ingestion.ts'
import { NOW } from '../../support/ingestion/ingestionClock.ts'
import { builtFile } from '../../support/run/builtFile.ts'

const ingestion = ingestionFor('all tests')
let other: Sql
beforeAll(() => {
  other = openAdminConnection(ingestion.url)
})
afterAll(() => other.end())

const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

const ROWS = 7000
const BATCH = 5000
/** In every load another third of the lots has other bids, some end later, and some are missing. */
const fileOf = (load: number) => {
  const rows: FeedCells[] = []
  for (let n = 0; n < ROWS; n += 1) {
    if (load > 0 && (n + load) % 50 === 0) continue
    rows.push(
      liveRow(`lot-${n}`, {
        current_bid_cents: 1000 + 100 * Math.floor((load + (n % 3)) / 3),
        num_bids: Math.floor((load + (n % 3)) / 3),
        end_date: hoursFromNow(100 + (n % 40 === 0 ? load : 0)),
      }),
    )
  }
  return ndjson(rows)
}

it('a load that is killed leaves whole batches: a reader has every change of ten loads exactly once', async () => {
  const reader = startReader(ingestion.url)
  let killedInside = 0
  for (let load = 0; load < 10; load += 1) {
    const file = ingestion.file(fileOf(load))
    if (load % 2 === 1) {
      killedInside += await loadAndKill(file, later(load), load % 4 === 1 ? BATCH : 0)
      const changes = await changesAfter(other)
      await expectGapless(other, changes)
      expect(replayed(changes)).toEqual(await openLots(other))
    } else {
      await ingestFile(ingestion.sql, { feed: 'feed', file, now: later(load), scoreLater: true })
    }
  }
  await reader.stop()
  expect(killedInside).toBeGreaterThan(0)
  await expectGapless(other, reader.read)
  expect(reader.read).toEqual(await changesAfter(other))
  expect(replayed(reader.read)).toEqual(await openLots(other))
  expect(new Set(reader.read.map(({ kind }) => kind))).toEqual(
    new Set(['listed', 'bid', 'end_moved', 'withdrawn', 'reopened']),
  )
}, 300_000)

/** Kills a process that loads, at some moment after it has taken so many rows. @returns 1 when it died inside the load. */
async function loadAndKill(file: string, now: Date, rows: number): Promise<0 | 1> {
  const script = builtFile('test/support/ingestion/loadInChild.ts')
  const child = spawn(process.execPath, [script, ingestion.url, file, now.toISOString()], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  while (child.exitCode === null) {
    const [load] = await other<{ rows_read: number }[]>`
      select rows_read
      from loads
      where started_at = ${now}`
    if (load && load.rows_read >= rows) break
    await sleep(2)
  }
  await sleep(Math.random() * (rows > 0 ? 100 : 1000))
  child.kill('SIGKILL')
  await exited
  // The server may still be finishing the last statement of the dead process.
  await other`select pg_advisory_lock(${LOAD_LOCK})`
  await other`select pg_advisory_unlock(${LOAD_LOCK})`
  const [dead] = await other`select from loads where started_at = ${now} and state = 'running'`
  return dead ? 1 : 0
}
