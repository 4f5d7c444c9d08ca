import { describe, expect, it } from 'vitest'
import { lockKey } from '../../src/infra/ingestion/locks.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import {
  csv,
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
  liveRows,
  ndjson,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { forOneTest } from '../support/run/shared.ts'

describe('a feed file', () => {
  const ingestion = ingestionFor('all tests')

  it('is stored once, however often it is loaded', async () => {
    const first = await ingestion.load(liveRows(30))
    const stored = await ingestion.everything()
    const second = await ingestion.load(liveRows(30))
    const counted = { state: 'done', rows_read: 30, rows_taken: 30, lots_changed: 0 }
    expect(first).toMatchObject({ ...counted, lots_new: 30 })
    expect(second).toMatchObject({ ...counted, lots_new: 0 })
    expect(await ingestion.everything()).toEqual(stored)
  })

  it('moves only observed_at when nothing else is new', async () => {
    const later = new Date(NOW.getTime() + 3_600_000)
    const { lots_changed } = await ingestion.load(liveRows(30), { now: later })
    const moments = await ingestion.sql`select distinct observed_at from lots`
    expect(lots_changed).toBe(0)
    expect(moments.map(row => row.observed_at)).toEqual([later])
  })

  it('changes the lot of a row that says something new, and never its id or slug', async () => {
    const [before] = await ingestion.sql`select id, slug from lots where source_id = 'lot-7'`
    const rows = liveRows(30).map(row =>
      row.source_id === 'lot-7' ? { ...row, title: 'Oak desk', num_bids: 9 } : row,
    )
    const { lots_changed } = await ingestion.load(rows)
    const [after] =
      await ingestion.sql`select id, slug, title, num_bids from lots where source_id = 'lot-7'`
    expect(lots_changed).toBe(1)
    expect(after).toEqual({ ...before, title: 'Oak desk', num_bids: 9 })
    expect(after?.slug).toBe('steel-desk-lot-7-gsa-lot-7')
  })

  it('reads quantity, year, make and model once, from the words of the row', async () => {
    const read = async (words: FeedCells) => {
      await ingestion.load([liveRow('words', words)], { partial: true })
      const [lot] = await ingestion.sql`
        select item, quantity, vehicle_year, vehicle_make, vehicle_model
        from lots
        where source_id = 'words'`
      return Object.values(lot!)
    }
    const truck = { title: '2014 FORD F150 XL PICKUP', category: 'vehicles' }
    expect(await read(truck)).toEqual(['ford-f-150', 1, 2014, 'Ford', 'F-150'])
    const chairs = { title: 'Office chairs', description: 'Qty 12, all blue.' }
    expect(await read(chairs)).toEqual(['chair', 12, null, null, null])
    expect(await read({ title: 'Box of cables' })).toEqual([null, null, null, null, null])
  })

  it('keeps a description without people, its standard clauses last', async () => {
    const read = async (description: string) => {
      await ingestion.load([liveRow('described', { description })], { partial: true })
      const [lot] = await ingestion.sql`select description from lots where source_id = 'described'`
      return lot!.description
    }
    const visit =
      'Inspection by appointment only. Contact Jane Doe at the front gate to arrange one.'
    const described = await read(`${visit}\nDiesel generator, 60 kW, 1,204 hours.`)
    expect(described).toMatch(
      /^Diesel generator, 60 kW, 1,204 hours\.\n\nInspection by appointment only\./,
    )
    expect(described).not.toMatch(/Jane|Doe/)
    expect(await read('POC: Jane Doe.')).toBeNull()
  })

  it('means the same as CSV and as NDJSON', async () => {
    const text = { description: 'Two lines,\nwith a "quote"', condition_grade: 'U' }
    const prices = { current_bid_cents: null, starting_bid_cents: 0, buy_now_cents: 99_900 }
    const sold = {
      outcome: 'sold',
      final_bid_cents: 5000,
      price_basis: 'awarded',
      end_date: '2026-10-31',
    }
    const rows = [
      liveRow('same-1', { ...text, state: 'tx', zip: '78701' }),
      liveRow('same-2', { ...prices, start_date: '2026-11-01' }),
      liveRow('same-3', sold),
    ]
    const read = () =>
      ingestion.sql`select to_jsonb(lots) as lot from lots where source_id like 'same-%' order by id`
    await ingestion.load(rows, { partial: true })
    const fromNdjson = await read()
    const { lots_changed, rows_taken } = await ingestion.load(csv(rows), {
      name: 'feed.csv',
      partial: true,
    })
    expect(rows_taken).toBe(3)
    expect(lots_changed).toBe(0)
    expect(await read()).toEqual(fromNdjson)
  })

  it('is recognised by its first character where the extension says nothing', async () => {
    const asNdjson = await ingestion.load(ndjson([liveRow('sniff-1')]), {
      name: 'lots.txt',
      partial: true,
    })
    const asCsv = await ingestion.load(csv([liveRow('sniff-2')]), { name: 'lots', partial: true })
    expect([asNdjson.lots_new, asCsv.lots_new]).toEqual([1, 1])
  })

  it('brings a source that nobody tracked, named after its key', async () => {
    const result = await ingestion.load([liveRow('1', { source: 'county-42' })], { partial: true })
    const [source] =
      await ingestion.sql`select name, access, last_success_at from sources where source = 'county-42'`
    expect(result.new_sources).toEqual(['county-42'])
    expect(source).toEqual({ name: 'county-42', access: 'operator_file', last_success_at: NOW })
  })

  it('takes a bare date as a day in the time zone of the source, or of UTC where it has none', async () => {
    const dates = { start_date: '2026-11-25', end_date: '2026-11-26' }
    const rows = ['gsa', 'irs', 'gsa-fleet'].map(source => liveRow('zone', { ...dates, source }))
    await ingestion.load(rows, { partial: true })
    const ends = await ingestion.sql`
      select source, rfc3339(starts_at) as starts, rfc3339(ends_at) as ends
      from lots
      where source_id = 'zone'
      order by source`
    expect(ends).toEqual([
      { source: 'gsa', starts: '2026-11-25T06:00:00Z', ends: '2026-11-27T05:59:59Z' },
      { source: 'gsa-fleet', starts: '2026-11-25T00:00:00Z', ends: '2026-11-26T23:59:59Z' },
      { source: 'irs', starts: '2026-11-25T00:00:00Z', ends: '2026-11-26T23:59:59Z' },
    ])
  })

  it('keeps the row with the latest end of a lot that it names more than once, and of those the last', async () => {
    const ends = { Early: 10, 'Late, first': 20, 'Late, last': 20, Middle: 15 }
    const rows = Object.entries(ends).map(([title, hours]) =>
      liveRow('twice', { title, end_date: hoursFromNow(hours) }),
    )
    const result = await ingestion.load(rows, { partial: true })
    const lots = await ingestion.sql`select title from lots where source_id = 'twice'`
    expect(lots).toEqual([{ title: 'Late, last' }])
    expect(result).toMatchObject({ rows_read: 4, rows_taken: 1, rows_set_aside: 0, lots_new: 1 })
  })
})

describe('two loads at once', () => {
  const ingestion = ingestionFor('all tests')

  it('run one after the other, and the second says that it waits', async () => {
    const other = await forOneTest(openAdminConnection(ingestion.url))
    await other`select pg_advisory_lock(${lockKey('loads')})`
    const said: string[] = []
    const onProgress = (message: string) => void said.push(message)
    const loading = ingestion.load([liveRow('1')], { onProgress })
    await expect.poll(() => said).toEqual([expect.stringContaining('Another load is running')])
    expect(await other`select from loads`).toHaveLength(0)
    await other`select pg_advisory_unlock(${lockKey('loads')})`
    expect(await loading).toMatchObject({ state: 'done', lots_new: 1 })
  })
})
