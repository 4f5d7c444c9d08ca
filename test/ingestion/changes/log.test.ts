import { describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../../src/infra/ingestion/closings.ts'
import { matchChanges } from '../../../src/usecases/alerts/matchChanges.ts'
import { insertAccount, insertSearches } from '../../support/alerts/savedSearches.ts'
import { changesAfter, changesOf } from '../../support/ingestion/changeLog.ts'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
} from '../../support/ingestion/ingestion.ts'
import { NOW } from '../../support/ingestion/ingestionClock.ts'

const ingestion = ingestionFor('each test')

const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)
const END = later(48)

/** Loads one lot, so many hours after NOW. */
async function see(changes: FeedCells, hours = 0) {
  const settings = { now: later(hours), partial: true, scoreLater: false }
  return ingestion.load([liveRow('one', changes)], settings)
}

const kinds = async (id = 'one') => (await changesOf(ingestion.sql, id)).map(({ kind }) => kind)

describe('the log of changes', () => {
  it('has the first sight of a lot and each other bid, with the moment of the load; a bid seen twice is one point', async () => {
    await see({})
    await see({}, 1)
    await see({ current_bid_cents: 13_000, num_bids: 4 }, 2)
    await see({ current_bid_cents: 13_000, num_bids: 4 }, 3)
    expect(await changesOf(ingestion.sql, 'one')).toEqual([
      { kind: 'listed', observed_at: NOW, bid: 12_500, num_bids: 3, ends_at: END, fell: false },
      { kind: 'bid', observed_at: later(2), bid: 13_000, num_bids: 4, ends_at: END, fell: false },
    ])
  })

  it('has a score that came, and nothing for one that moves by less than 5 points', async () => {
    await see({})
    await ingestion.sql`update lots set flip_score = 1, value_grade = 'few'`
    await ingestion.sql`update lots set flip_score = 5`
    expect(await kinds()).toEqual(['listed', 'score'])
  })

  it('has a soft close: the end moves with the bid, as two changes of one moment', async () => {
    await see({})
    await see({ current_bid_cents: 13_000, num_bids: 4, end_date: hoursFromNow(48.1) }, 47.9)
    const state = {
      observed_at: later(47.9),
      bid: 13_000,
      num_bids: 4,
      ends_at: later(48.1),
      fell: false,
    }
    expect((await changesOf(ingestion.sql, 'one')).slice(1)).toEqual([
      { kind: 'bid', ...state },
      { kind: 'end_moved', ...state },
    ])
  })

  it('keeps a bid that falls, or vanishes, and marks it', async () => {
    await see({})
    await see({ current_bid_cents: 9_000, num_bids: 2 }, 1)
    await see({ current_bid_cents: 9_500, num_bids: 3, title: 'Another desk' }, 2)
    await see(
      { current_bid_cents: null, num_bids: 0, title: 'Another desk', starting_bid_cents: 100 },
      3,
    )
    const found = await changesOf(ingestion.sql, 'one')
    expect(found.map(({ kind, bid, fell }) => [kind, bid, fell])).toEqual([
      ['listed', 12_500, false],
      ['bid', 9_000, true],
      ['bid', 9_500, false],
      ['details', 9_500, false],
      ['bid', null, true],
      ['price', null, false],
    ])
  })

  it('marks an asking price that falls, and the starting bid only while there are no bids', async () => {
    const prices = {
      current_bid_cents: null,
      num_bids: 0,
      starting_bid_cents: 900,
      buy_now_cents: 50_000,
    }
    await see(prices)
    await see({ ...prices, starting_bid_cents: 800 }, 1)
    await see({ ...prices, starting_bid_cents: 850, buy_now_cents: 45_000 }, 2)
    await see({ ...prices, starting_bid_cents: 900, buy_now_cents: 46_000 }, 3)
    const withBid = { ...prices, current_bid_cents: 900, num_bids: 1, buy_now_cents: 46_000 }
    await see(withBid, 4)
    await see({ ...withBid, starting_bid_cents: 100 }, 5)
    const found = await changesOf(ingestion.sql, 'one')
    expect(found.map(({ kind, fell }) => (fell ? `${kind} fell` : kind))).toEqual([
      'listed',
      'price fell',
      'price fell',
      'price',
      'bid',
      'price',
    ])
  })

  it.each([
    ['price', { buy_now_cents: 50_000 }],
    ['details', { description: 'A desk of steel.' }],
    ['details', { image_url: 'https://www.gsaauctions.gov/images/1.jpg' }],
    ['details', { start_date: hoursFromNow(-5) }],
    ['details', { bid_increment_cents: 500 }],
    ['details', { auction_name: '3-1-QSC-I-27-006' }],
    ['details', { zip: '62703', city: 'Springfield', state: 'IL' }],
  ])('has as %s what a source changes: %j', async (kind, changes) => {
    await see({})
    await see(changes, 1)
    expect(await kinds()).toEqual(['listed', kind])
  })

  it('has nothing of what an upgrade itself reads differently, nor an alert, and each real change after it', async () => {
    const { sql } = ingestion
    await see({})
    await see({}, 1)
    await matchChanges(sql, { now: later(1) })
    await insertSearches(sql, [{ account_id: await insertAccount(sql) }])
    // As a version without numbers of readings had stored it.
    await sql.unsafe(`
      begin;
      set local session_replication_role = replica;
      update lots
      set title = upper(title), city = 'WEST COLUMBIA', condition_grade = 'usable', quantity = 43, ends_at = ends_at + interval '8 hours',
        flip_score = 90, logged_score = 90, value_grade = 'few', reading = null;
      commit`)
    await see({}, 2)
    expect(await sql`select title, quantity, ends_at, flip_score from lots`).toEqual([
      { title: 'Steel desk one', quantity: null, ends_at: END, flip_score: null },
    ])
    expect(await kinds()).toEqual(['listed'])
    await matchChanges(sql, { now: later(2) })
    expect(await sql`select kind from alert_matches`).toEqual([])
    await see({ description: 'A desk of steel.', end_date: hoursFromNow(50) }, 3)
    await sql`update lots set flip_score = 1, value_grade = 'few'`
    expect(await kinds()).toEqual(['listed', 'end_moved', 'details', 'score'])
    await matchChanges(sql, { now: later(3) })
    expect(await sql`select kind from alert_matches`).toEqual([{ kind: 'status' }])
  })

  it('has nothing of a title that an upgrade reads as another thing, nor an alert', async () => {
    const { sql } = ingestion
    const titles = [
      'Walkers, folding',
      'Computer switches, 48 port',
      '2009 International stake bed',
    ]
    const rows = titles.map((title, n) => liveRow(`title-${n}`, { title, category: undefined }))
    await ingestion.load(rows)
    await matchChanges(sql, { now: later(1) })
    await insertSearches(sql, [{ account_id: await insertAccount(sql) }])
    // As the version before read them.
    await sql.unsafe(`
      begin;
      set local session_replication_role = replica;
      update lots set category = 'medical-scientific', item = 'wheelchair', vehicle_make = null, reading = 4;
      commit`)
    await ingestion.load(rows, { now: later(2) })
    expect(await sql`select category, item, vehicle_make from lots order by source_id`).toEqual([
      { category: 'medical-scientific', item: null, vehicle_make: null },
      { category: 'electronics', item: 'network-switch', vehicle_make: null },
      { category: 'vehicles', item: null, vehicle_make: 'International' },
    ])
    for (const n of [0, 1, 2]) expect(await kinds(`title-${n}`)).toEqual(['listed'])
    await matchChanges(sql, { now: later(2) })
    expect(await sql`select kind from alert_matches`).toEqual([])
  })

  it('has a bid, a price and a withdrawal that come with what an upgrade reads differently', async () => {
    await ingestion.load([liveRow('one'), liveRow('two')])
    await ingestion.sql`update lots set reading = null`
    const changed = liveRow('one', { title: 'Desk', num_bids: 4, buy_now_cents: 50_000 })
    await ingestion.load([changed], { now: later(1) })
    expect(await kinds('one')).toEqual(['listed', 'bid', 'price'])
    expect(await kinds('two')).toEqual(['listed', 'withdrawn'])
  })

  it('has the end of a lot once, and what became of it when that is known', async () => {
    await see({})
    expect(await closeEndedLots(ingestion.sql, later(49))).toBe(1)
    await see({}, 50)
    const sold = { outcome: 'sold', final_bid_cents: 15_000, price_basis: 'awarded' }
    await see(sold, 60)
    await see(sold, 61)
    const found = await changesOf(ingestion.sql, 'one')
    expect(found.map(({ kind, observed_at, bid }) => [kind, observed_at, bid])).toEqual([
      ['listed', NOW, 12_500],
      ['ended', later(49), 12_500],
      ['sold', later(60), 15_000],
    ])
  })

  it('has a last bid that is seen after the end, as the end again', async () => {
    await see({})
    await closeEndedLots(ingestion.sql, later(49))
    await see({ current_bid_cents: 14_000, num_bids: 5 }, 50)
    expect((await changesOf(ingestion.sql, 'one')).slice(1)).toMatchObject([
      { kind: 'ended', bid: 12_500 },
      { kind: 'ended', bid: 14_000, num_bids: 5 },
    ])
  })

  it('has a lot that is unsold, one that is withdrawn, and its return', async () => {
    await ingestion.load([liveRow('one'), liveRow('two'), liveRow('three')])
    const unsold = liveRow('one', { outcome: 'unsold', end_date: hoursFromNow(0.5) })
    await ingestion.load([unsold, liveRow('two')], { now: later(1), acceptShrinkage: true })
    await ingestion.load([liveRow('two'), liveRow('three')], { now: later(2) })
    expect(await kinds('one')).toEqual(['listed', 'unsold'])
    expect(await kinds('two')).toEqual(['listed'])
    const returned = await changesOf(ingestion.sql, 'three')
    expect(returned.map(({ kind, observed_at }) => [kind, observed_at])).toEqual([
      ['listed', NOW],
      ['withdrawn', later(1)],
      ['reopened', later(2)],
    ])
  })

  it('has no lot that is first seen after its end, nor what becomes of one', async () => {
    const ended = { end_date: hoursFromNow(-5) }
    await see(ended)
    await see({ ...ended, outcome: 'sold', final_bid_cents: 9_900 }, 1)
    await see({ ...ended, outcome: 'sold', final_bid_cents: 9_950, price_basis: 'awarded' }, 2)
    expect(await changesAfter(ingestion.sql)).toEqual([])
    expect(await ingestion.sql`select final_bid_cents from sales`).toEqual([
      { final_bid_cents: 9_950 },
    ])
  })

  it('dates by the clock of the database what no load has seen, also in the session of a load', async () => {
    await see({})
    await ingestion.sql`update lots set num_bids = 9`
    await ingestion.sql`update lots set ends_at = now() - interval '1 hour'`
    await closeEndedLots(ingestion.sql, null)
    const [first, ...others] = await changesAfter(ingestion.sql)
    expect(first?.observed_at).toEqual(NOW)
    expect(others.map(({ kind }) => kind)).toEqual(['bid', 'end_moved', 'ended'])
    const [{ now }] = (await ingestion.sql`select now()`) as unknown as [{ now: Date }]
    for (const { observed_at } of others) {
      expect(Math.abs(now.getTime() - observed_at.getTime())).toBeLessThan(60_000)
    }
  })
})
