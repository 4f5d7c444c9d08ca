import { describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { lockKey } from '../../src/infra/ingestion/locks.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { forOneTest } from '../support/run/shared.ts'

const ingestion = ingestionFor('each test')

const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

async function load(row: FeedCells, now = NOW) {
  return ingestion.load([row], { now, partial: true })
}

/** Of an open lot, or one that closed without a sale. */
const NO_SALE = { final_bid_cents: null, price_basis: null, sold_at: null }
/** What a last bid becomes. */
const LAST_BID = { final_bid_cents: 4200, price_basis: 'last_observed' }
const saleAt = (hours: number) => ({ ...LAST_BID, sold_at: later(hours) })

async function lot() {
  const [found] = await ingestion.sql`
    select lot_status(outcome, starts_at, ends_at, ${NOW}) as status, outcome, is_open, final_bid_cents, price_basis, sold_at
    from lots
    where source_id = 'one'`
  return found
}

describe('a lot whose end has passed', () => {
  it('is over and its last bid becomes a sale, when a timer settles it', async () => {
    await load(liveRow('one', { end_date: hoursFromNow(1), current_bid_cents: 4200 }))
    expect(await closeEndedLots(ingestion.sql, later(0.5))).toBe(0)
    expect(await closeEndedLots(ingestion.sql, later(1))).toBe(1)
    expect(await closeEndedLots(ingestion.sql, later(2))).toBe(0)
    expect(await lot()).toMatchObject({ outcome: null, is_open: false, ...saleAt(1) })
    expect(await ingestion.sql`select final_bid_cents from sales`).toEqual([
      { final_bid_cents: 4200 },
    ])
  })

  it('stays the sale that it became when an old row names it again, as it was before its end', async () => {
    const row = liveRow('one', { end_date: hoursFromNow(1), current_bid_cents: 4200 })
    await load(row)
    await closeEndedLots(ingestion.sql, later(2))
    const { state, lots_changed } = await load(row, later(3))
    expect({ state, lots_changed }).toEqual({ state: 'done', lots_changed: 0 })
    expect(await lot()).toMatchObject(saleAt(1))
  })

  it('is settled by the next load of anything', async () => {
    await load(liveRow('one', { end_date: hoursFromNow(1) }))
    const { lots_settled } = await load(liveRow('two', { end_date: hoursFromNow(50) }), later(3))
    expect(lots_settled).toBe(1)
    expect(await lot()).toMatchObject({ is_open: false, price_basis: 'last_observed' })
  })

  it.each([null, 0])('becomes no sale with a bid of %s', async current_bid_cents => {
    await load(liveRow('one', { end_date: hoursFromNow(1), current_bid_cents }))
    await closeEndedLots(ingestion.sql, later(2))
    expect(await lot()).toMatchObject({ is_open: false, ...NO_SALE })
  })

  it('is settled at once when the feed brings it too late', async () => {
    await load(liveRow('one', { end_date: hoursFromNow(-1), current_bid_cents: 4200 }))
    expect(await lot()).toMatchObject({ status: 'ended', is_open: false, ...saleAt(-1) })
  })

  it('is opened again by a later row with a later end, and its sale is gone', async () => {
    await load(liveRow('one', { end_date: hoursFromNow(1) }))
    await closeEndedLots(ingestion.sql, later(2))
    await load(liveRow('one', { end_date: hoursFromNow(30) }), later(3))
    expect(await lot()).toMatchObject({ is_open: true, outcome: null, ...NO_SALE })
    expect(await ingestion.sql`select from sales`).toHaveLength(0)
  })

  it('is left to the load that is running', async () => {
    await load(liveRow('one', { end_date: hoursFromNow(1) }))
    const other = await forOneTest(openAdminConnection(ingestion.url))
    await other`select pg_advisory_lock(${lockKey('loads')})`
    expect(await closeEndedLots(ingestion.sql, later(2))).toBe(0)
    await other`select pg_advisory_unlock(${lockKey('loads')})`
    expect(await closeEndedLots(ingestion.sql, later(2))).toBe(1)
  })
})

describe('a sale', () => {
  const ended = { end_date: hoursFromNow(-5) }
  const AWARDED = { outcome: 'sold', final_bid_cents: 5000, price_basis: 'awarded' }

  it('takes the final bid, and calls it the high bid at the close unless the row says more', async () => {
    await load(liveRow('one', { ...ended, outcome: 'sold', final_bid_cents: 9900 }))
    const sale = { final_bid_cents: 9900, price_basis: 'closed_high_bid', sold_at: later(-5) }
    expect(await lot()).toMatchObject({ status: 'sold', ...sale })
  })

  it('without an end in the past counts from when it was first loaded', async () => {
    await load(liveRow('one', { end_date: null, outcome: 'sold', final_bid_cents: 9900 }))
    await load(liveRow('one', { end_date: null, outcome: 'sold', final_bid_cents: 9900 }), later(9))
    expect(await lot()).toMatchObject({ sold_at: NOW })
  })

  it('replaces the last bid of a settled lot', async () => {
    await load(liveRow('one', { ...ended, current_bid_cents: 4200 }))
    await load(liveRow('one', { ...ended, ...AWARDED }))
    expect(await lot()).toMatchObject(AWARDED)
  })

  it('is not replaced by a price of a worse basis, nor by a row from before the end', async () => {
    const worse = { outcome: 'sold', final_bid_cents: 4900, price_basis: 'closed_high_bid' }
    for (const cells of [AWARDED, worse, { current_bid_cents: 4200 }])
      await load(liveRow('one', { ...ended, ...cells }))
    expect(await lot()).toMatchObject(AWARDED)
  })

  it('is taken back when the source says that the lot did not sell', async () => {
    await load(liveRow('one', { ...ended, current_bid_cents: 4200 }))
    await load(liveRow('one', { ...ended, current_bid_cents: 4200, outcome: 'unsold' }))
    expect(await lot()).toMatchObject({ status: 'unsold', price_basis: null, sold_at: null })
    expect(await ingestion.sql`select from sales`).toHaveLength(0)
  })
})
