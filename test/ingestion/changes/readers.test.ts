import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LOAD_LOCK } from '../../../src/infra/ingestion/locks.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import {
  changesAfter,
  expectGapless,
  type LoggedChange,
  openLots,
  replayed,
} from '../../support/ingestion/changeLog.ts'
import {
  type FeedCells,
  hoursFromNow,
  type Ingestion,
  liveRow,
  ndjson,
  startIngestion,
} from '../../support/ingestion/ingestion.ts'
import { NOW } from '../../support/ingestion/ingestionClock.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { gsaLots } from '../../support/standIns/gsaLots.ts'
import { startGsaStandIn } from '../../support/standIns/gsaStandIn.ts'
import { sweep } from '../../support/standIns/sweeping.ts'

let ingestion: Ingestion
let other: Sql
beforeEach(async () => {
  ingestion = await startIngestion()
  other = openAdminConnection(ingestion.url)
})
afterEach(async () => {
  await other.end()
  await ingestion.end()
})

const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

/** A client that reads pages without a pause, from a session of its own. */
function startReader() {
  const sql = openAdminConnection(ingestion.url)
  const read: LoggedChange[] = []
  let isStopping = false
  const reading = (async () => {
    for (;;) {
      const wasStopping = isStopping
      const page = await changesAfter(sql, read.at(-1)?.seq, 700)
      read.push(...page)
      if (wasStopping && page.length === 0) return
      await sleep(5)
    }
  })()
  return {
    read,
    /** Reads what is left. */
    stop: async () => {
      isStopping = true
      await reading
      await sql.end()
    },
  }
}

describe('a load that does not end', () => {
  it('when it is rolled back, leaves neither a change nor a number that is missing', async () => {
    await ingestion.load([liveRow('one')])
    const file = ingestion.file(ndjson([liveRow('one', { current_bid_cents: 99_000 }), liveRow('two')]))
    const failing = other.begin(async transaction => {
      await ingestFile(transaction as unknown as Sql, { feed: 'feed', file, now: later(1), scoreLater: true })
      const [inside] = await transaction`select count(*) as changes from lot_changes`
      expect(inside).toEqual({ changes: 3 })
      throw new Error('as a crash does')
    })
    await expect(failing).rejects.toThrow('as a crash does')
    expect(await ingestion.sql`select current_bid_cents from lots`).toEqual([{ current_bid_cents: 12_500 }])

    await ingestion.load([liveRow('one', { num_bids: 4 })], { now: later(2) })
    const changes = await changesAfter(ingestion.sql)
    expect(changes.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'listed'],
      [2, 'bid'],
    ])
  })

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

  it('when it is killed, leaves whole batches: a reader has every change of ten loads exactly once', async () => {
    const reader = startReader()
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
})

describe('two sessions that change lots at once', () => {
  it.each([
    ['so that no reader skips the change that is committed later', false, [11, 22]],
    ['and the other gets the numbers of one that is rolled back', true, [22]],
  ])('wait for each other, %s', async (_, isRolledBack, bids) => {
    await ingestion.load([liveRow('one'), liveRow('two')])
    const reader = startReader()
    let second: Promise<unknown> = Promise.resolve()
    const first = ingestion.sql.begin(async transaction => {
      await transaction`update lots set num_bids = 11 where source_id = 'one'`
      second = other`update lots set num_bids = 22 where source_id = 'two'`.execute()
      await vi.waitFor(async () => expect(await waiting(transaction as unknown as Sql)).toHaveLength(1), {
        timeout: 30_000,
      })
      expect(reader.read.filter(({ kind }) => kind !== 'listed')).toEqual([])
      if (isRolledBack) throw new Error('rolled back')
    })
    if (isRolledBack) await expect(first).rejects.toThrow('rolled back')
    await Promise.all([first.catch(() => {}), second])
    await reader.stop()
    const found = reader.read.map(({ seq, num_bids }) => [seq, num_bids])
    expect(found).toEqual([3, 3, ...bids].map((num_bids, n) => [n + 1, num_bids]))
  })

  const waiting = (sql: Sql) =>
    sql`select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`

  it('as two sweepers of one source make one series', async () => {
    const gsa = await startGsaStandIn()
    try {
      gsa.lots = gsaLots(20)
      const from = { key: gsa.key, redirectHosts: ['127.0.0.1'] }
      for (let hour = 0; hour < 3; hour += 1) {
        gsa.lots[0]!.highBidAmount = 700 + hour
        const sweepers = [ingestion, { ...ingestion, sql: other }]
        const address = `${gsa.api.origin}/assets/gsaauctions/v2/auctions`
        const swept = await Promise.all(
          sweepers.map(one => sweep(one, 'gsa', address, { ...from, now: later(hour) })),
        )
        expect(swept.map(({ state }) => state)).toEqual(['done', 'done'])
      }
      const changes = await changesAfter(other)
      expect(changes.filter(({ kind }) => kind === 'listed')).toHaveLength(20)
      expect(changes.filter(({ kind }) => kind === 'bid').map(bid => bid.current_bid_cents)).toEqual([
        70_100, 70_200,
      ])
      expect(changes).toHaveLength(22)
    } finally {
      await gsa.close()
    }
  })
})
