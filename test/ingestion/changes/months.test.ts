import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  dropMonthsOfChanges,
  makeNextMonthOfChanges,
} from '../../../src/infra/ingestion/changes.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { changesAfter } from '../../support/ingestion/changeLog.ts'
import { type Ingestion, liveRow, startIngestion } from '../../support/ingestion/ingestion.ts'

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

const day = (date: string) => new Date(`${date}T12:00:00Z`)
/** A bid on a lot that ends years later. */
const bid = (bids: number, date: string) =>
  ingestion.load([liveRow('one', { num_bids: bids, end_date: '2030-01-01T00:00:00Z' })], {
    now: day(date),
  })

async function months(): Promise<string[]> {
  const found = await other<{ name: string }[]>`
    select inhrelid::regclass::text as name
    from pg_inherits
    where inhparent = 'lot_changes'::regclass`
  return found.map(({ name }) => name.replace('lot_changes_', '')).sort()
}

async function keep(now: Date, kept: string[] = []) {
  await makeNextMonthOfChanges(ingestion.sql, now)
  return dropMonthsOfChanges(ingestion.sql, kept, now)
}

describe('the months of changes', () => {
  it('are made by the loads themselves, in UTC', async () => {
    expect(await months()).toEqual([])
    await bid(1, '2026-10-31')
    await ingestion.sql`set time zone 'Pacific/Auckland'`
    await bid(2, '2026-12-31')
    await ingestion.sql`set time zone 'America/Los_Angeles'`
    await ingestion.load([liveRow('one', { num_bids: 3, end_date: '2030-01-01T00:00:00Z' })], {
      now: new Date('2027-02-28T23:59:59.999Z'),
    })
    expect(await months()).toEqual(['2026_10', '2026_12', '2027_02'])
    expect(await changesAfter(other)).toHaveLength(3)
  })

  it('are made ahead, and dropped and counted once they ended more than 90 days ago', async () => {
    for (const [bids, date] of ['2026-05-10', '2026-06-10', '2026-07-10', '2026-08-10'].entries())
      await bid(bids, date)
    await bid(9, '2026-06-11')

    // July ended 90 days before 30 October.
    const almost = await keep(new Date('2026-10-29T23:59:59Z'))
    expect(almost).toEqual({ months: 2, changes: 3 })
    expect(await months()).toEqual(['2026_07', '2026_08', '2026_11'])

    expect(await keep(new Date('2026-10-30T00:00:00Z'), ['2026-07'])).toEqual({
      months: 0,
      changes: 0,
    })
    expect(await keep(new Date('2026-10-30T00:00:00Z'))).toEqual({ months: 1, changes: 1 })
    expect(await months()).toEqual(['2026_08', '2026_11'])
    expect((await changesAfter(other)).map(({ observed_at }) => observed_at)).toEqual([
      day('2026-08-10'),
    ])

    expect(await keep(new Date('2026-10-30T00:00:00Z'))).toEqual({ months: 0, changes: 0 })
  })

  it('are never dropped while they are the current one or one to come, nor what an operator keeps beside them', async () => {
    await bid(1, '2026-11-01')
    await bid(2, '2026-12-31')
    await ingestion.sql`create table archive (like lot_changes including constraints)`
    await ingestion.sql`
      alter table lot_changes attach partition archive for values from ('2025-01-01') to ('2026-01-01')`
    for (const moment of ['2026-11-01T00:00:00Z', '2026-11-30T23:59:59Z', '2026-12-01T00:00:00Z'])
      expect((await keep(new Date(moment))).months).toBe(0)
    expect(await months()).toEqual(['2026_11', '2026_12', '2027_01', 'archive'])
  })

  it('are made while a reader holds the log, and wait for no reader to be dropped', async () => {
    await bid(1, '2026-05-10')
    await other.begin(async reader => {
      await reader`select count(*) from lot_changes`
      await bid(2, '2026-10-10')
      expect(await keep(day('2026-10-10'))).toEqual({ months: 0, changes: 0 })
      expect(await ingestion.sql`select seq from lot_changes order by seq`).toHaveLength(2)
    })
    expect(await months()).toEqual(['2026_05', '2026_10', '2026_11'])
    expect(await keep(day('2026-10-10'))).toEqual({ months: 1, changes: 1 })
    expect(await months()).toEqual(['2026_10', '2026_11'])
  })

  it('are made once by two sessions at the same moment', async () => {
    const moment = '2026-10-10T00:00:00Z'
    let second: Promise<unknown> = Promise.resolve()
    await other.begin(async first => {
      await first`select keep_month_of_changes(${moment})`
      second = ingestion.sql`select keep_month_of_changes(${moment})`.execute()
      await new Promise(resolve => setTimeout(resolve, 200))
    })
    await second
    expect(await months()).toEqual(['2026_10'])
  })
})
