import { describe, expect, it } from 'vitest'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const TRUCK = { title: '2016 Ford F-150 XL crew cab pickup truck', category: 'vehicles' }

function sale(n: number): FeedCells {
  const final_bid_cents = 900_000 + n * 10_000
  return liveRow(`sale-${n}`, {
    ...TRUCK,
    outcome: 'sold',
    final_bid_cents,
    end_date: hoursFromNow(-24 * n),
  })
}

const sales = Array.from({ length: 12 }, (_, n) => sale(n + 1))

describe('the scores of open lots', () => {
  const ingestion = ingestionFor('all tests')

  async function appraisalOf(sourceId: string) {
    const [found] = await ingestion.sql`
      select a.price_kind, lots.flip_score, lots.value_grade, lots.outcome, lots.is_open, a.estimated_value_cents, a.all_in_cost_cents, a.resale_margin_cents,
        a.flip_score as appraised_score, a.factors, a.sale_ids
      from lots
      left join appraisals a on a.lot_id = lots.id
      where lots.source_id = ${sourceId}`
    return found!
  }

  const see = (id: string, cells: FeedCells) =>
    ingestion.load([liveRow(id, { ...TRUCK, ...cells })], { partial: true, scoreLater: false })
  const NO_ESTIMATE = { flip_score: null, value_grade: null, estimated_value_cents: null }

  it('stay empty while nothing was sold', async () => {
    const { rescored } = await see('truck', { current_bid_cents: 200_000 })
    expect(rescored).toMatchObject({ sales: 0, lots_open: 1, lots_valued: 0, lots_scored: 0 })
    expect(await appraisalOf('truck')).toMatchObject(NO_ESTIMATE)
  })

  it('follow a load of sales without a second command', async () => {
    const { rescored } = await ingestion.load(sales, { partial: true, scoreLater: false })
    const counted = { sales: 12, lots_open: 1, lots_valued: 1, lots_scored: 1, lots_changed: 1 }
    expect(rescored).toMatchObject(counted)
    const truck = await appraisalOf('truck')
    const ids = await ingestion.sql<{ id: string }[]>`select id from sales order by id`
    expect([...truck.sale_ids].sort()).toEqual(ids.map(row => row.id))
    expect(truck.estimated_value_cents).toBeGreaterThan(800_000)
    expect(truck.estimated_value_cents).toBeLessThan(1_100_000)
    expect(truck.factors.likely_low_cents).toBeLessThan(truck.estimated_value_cents)
    expect(truck.factors.likely_high_cents).toBeGreaterThan(truck.estimated_value_cents)
    expect(truck.flip_score).toBeGreaterThan(60)
    expect(truck.appraised_score).toBe(truck.flip_score)
  })

  it('stay as they were when the lot has ended', async () => {
    const before = await appraisalOf('truck')
    await ingestion.load([liveRow('other')], {
      partial: true,
      scoreLater: false,
      now: new Date(NOW.getTime() + 72 * 3_600_000),
    })
    expect(await appraisalOf('truck')).toEqual({ ...before, is_open: false })
  })

  it('forget sales that are older than 365 days, and the estimates that came from them', async () => {
    const nextYear = new Date(NOW.getTime() + 400 * 24 * 3_600_000)
    const end_date = new Date(nextYear.getTime() + 3_600_000).toISOString()
    await see('late', { end_date })
    expect((await appraisalOf('late')).estimated_value_cents).toBeGreaterThan(0)
    await rescore(ingestion.sql, { now: nextYear })
    expect(await appraisalOf('late')).toMatchObject(NO_ESTIMATE)
  })
})

describe('the estimates of open lots', () => {
  const ingestion = ingestionFor('all tests')

  it('learn from lots that found no bidder', async () => {
    const binder = { title: 'Electric lever arch binder', category: 'electronics' }
    const estimatedValue = async () => {
      const [found] = await ingestion.sql`select estimated_value_cents from appraisals`
      return found!.estimated_value_cents as number
    }
    const stapler = { title: 'Electric stapler', category: 'electronics' }
    // No words are valued in a category of fewer than 30 sales.
    const staplers = [...sales, ...sales, ...sales].map((row, n) => ({
      ...row,
      ...stapler,
      source_id: `stapler-${n}`,
    }))
    await ingestion.load([liveRow('binder', binder), ...staplers], {
      partial: true,
      scoreLater: false,
    })
    const before = await estimatedValue()
    const noBid = { ...binder, outcome: 'unsold', num_bids: 0, current_bid_cents: null }
    const unsold = Array.from({ length: 30 }, (_, n) =>
      liveRow(`unsold-${n}`, { ...noBid, end_date: hoursFromNow(-24 * (n + 1)) }),
    )
    await ingestion.load(unsold, { partial: true, scoreLater: false })
    await rescore(ingestion.sql, { now: NOW })
    expect(await estimatedValue()).toBeLessThan(0.9 * before)
  })
})

describe('the values of open lots', () => {
  const ingestion = ingestionFor('all tests')

  const storedOf = async (sourceId: string) => {
    const [found] = await ingestion.sql`
      select a.estimated_value_cents, a.neighbor_factor, a.factors->'estimated_value_cents' as served_cents, a.flip_score
      from lots
      join appraisals a on a.lot_id = lots.id
      where lots.source_id = ${sourceId}`
    return found!
  }
  const truck = (id: string, zip: string, bid: number) =>
    liveRow(id, { ...TRUCK, zip, state: 'TX', current_bid_cents: bid, num_bids: 2 })
  /** Thirty trucks in three other sales, so that a bid of $5,000 is usual. */
  const others = Array.from({ length: 30 }, (_, n) => truck(`other-${n}`, `7870${n % 3}`, 500_000))

  it('fall with low bids on their neighbors, by as much on a full run, and rise with them again', async () => {
    const watched = truck('watched', '75201', 500_000)
    await ingestion.load([...sales, ...others, watched], { partial: true, scoreLater: false })
    const before = await storedOf('watched')
    expect(before).toMatchObject({ neighbor_factor: 1, served_cents: before.estimated_value_cents })
    const low = [1, 2, 3, 4].map(n => truck(`low-${n}`, '75201', 100_000))
    await ingestion.load(low, { partial: true, scoreLater: false })
    const after = await storedOf('watched')
    expect(after.neighbor_factor).toBeLessThan(0.7)
    expect(after.estimated_value_cents).toBe(before.estimated_value_cents)
    expect(after.served_cents).toBe(
      Math.round(before.estimated_value_cents * after.neighbor_factor),
    )
    expect(after.flip_score).toBeLessThan(before.flip_score)
    await rescore(ingestion.sql, { now: NOW })
    expect(await storedOf('watched')).toEqual(after)
    await ingestion.load(
      low.map(row => ({ ...row, current_bid_cents: 500_000 })),
      { partial: true, scoreLater: false },
    )
    expect(await storedOf('watched')).toEqual(before)
  })

  it('are equal for lots of one title in one sale, whenever they came', async () => {
    const low = (count: number) =>
      Array.from({ length: count }, (_, n) => truck(`lower-${n}`, '75202', 350_000))
    await ingestion.load([...sales, ...others, ...low(6), truck('first', '75202', 350_000)], {
      partial: true,
      scoreLater: false,
    })
    const { neighbor_factor } = await storedOf('first')
    expect(neighbor_factor).toBeLessThan(0.95)
    await ingestion.load([...low(7), truck('second', '75202', 350_000)], {
      partial: true,
      scoreLater: false,
    })
    expect((await storedOf('second')).neighbor_factor).toBe(
      (await storedOf('first')).neighbor_factor,
    )
  })
})
