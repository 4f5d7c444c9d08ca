import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import { changesAfter, startReader } from '../../support/ingestion/changeLog.ts'
import { ingestionFor, liveRow, ndjson } from '../../support/ingestion/ingestion.ts'
import { NOW } from '../../support/ingestion/ingestionClock.ts'
import { forOneTest } from '../../support/run/shared.ts'
import { gsaLots } from '../../support/standIns/gsaLots.ts'
import { startGsaStandIn } from '../../support/standIns/gsaStandIn.ts'
import { sweep } from '../../support/standIns/sweeping.ts'

const ingestion = ingestionFor('each test')
let other: Sql
beforeEach(async () => {
  other = openAdminConnection(ingestion.url)
  // Connected now: a transaction sees in pg_stat_activity only the sessions of its first look.
  await other`select`
})
afterEach(() => other.end())

const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

describe('a load that does not end', () => {
  it('when it is rolled back, leaves neither a change nor a number that is missing', async () => {
    await ingestion.load([liveRow('one')])
    const file = ingestion.file(
      ndjson([liveRow('one', { current_bid_cents: 99_000 }), liveRow('two')]),
    )
    const failing = other.begin(async transaction => {
      await ingestFile(transaction as unknown as Sql, {
        feed: 'feed',
        file,
        now: later(1),
        scoreLater: true,
      })
      const [inside] = await transaction`select count(*) as changes from lot_changes`
      expect(inside).toEqual({ changes: 3 })
      throw new Error('as a crash does')
    })
    await expect(failing).rejects.toThrow('as a crash does')
    expect(await ingestion.sql`select current_bid_cents from lots`).toEqual([
      { current_bid_cents: 12_500 },
    ])

    await ingestion.load([liveRow('one', { num_bids: 4 })], { now: later(2) })
    const changes = await changesAfter(ingestion.sql)
    expect(changes.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'listed'],
      [2, 'bid'],
    ])
  })
})

describe('two sessions that change lots at once', () => {
  it.each([
    ['so that no reader skips the change that is committed later', false, [11, 22]],
    ['and the other gets the numbers of one that is rolled back', true, [22]],
  ])('wait for each other, %s', async (_, isRolledBack, bids) => {
    await ingestion.load([liveRow('one'), liveRow('two')])
    const reader = startReader(ingestion.url)
    let second: Promise<unknown> = Promise.resolve()
    const first = ingestion.sql.begin(async transaction => {
      await transaction`update lots set num_bids = 11 where source_id = 'one'`
      second = other`update lots set num_bids = 22 where source_id = 'two'`.execute()
      await vi.waitFor(
        async () => expect(await waiting(transaction as unknown as Sql)).toHaveLength(1),
        {
          timeout: 120_000,
        },
      )
      expect(reader.read.filter(({ kind }) => kind !== 'listed')).toEqual([])
      if (isRolledBack) throw new Error('rolled back')
    })
    if (isRolledBack) await expect(first).rejects.toThrow('rolled back')
    else await first
    await second
    await reader.stop()
    const found = reader.read.map(({ seq, num_bids }) => [seq, num_bids])
    expect(found).toEqual([3, 3, ...bids].map((num_bids, n) => [n + 1, num_bids]))
  })

  const waiting = (sql: Sql) =>
    sql`select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`

  it('as two sweepers of one source make one series', async () => {
    const gsa = await forOneTest(startGsaStandIn())
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
  })
})
