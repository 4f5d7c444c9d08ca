import { beforeEach, describe, expect, it } from 'vitest'
import { type FeedCells, hoursFromNow } from '../../support/ingestion/ingestion.ts'
import { saleOn, startListedTwice } from '../../support/ingestion/listedTwice.ts'
import { shared } from '../../support/run/shared.ts'

const world = shared(startListedTwice)
beforeEach(() => world.empty())

const VIN = '1FTFW1ET5DFC10312'
const OTHER_VIN = '1FTFW1ET5DFC10313'

async function soldCount(...sales: FeedCells[]): Promise<number | undefined> {
  for (const sale of sales) await world.load([sale])
  return (await world.comps())?.sold_count
}

describe('a lot that two sources list', () => {
  it('is one sale, at the price with the best basis', async () => {
    await world.load([
      saleOn('gsa', { outcome: null, current_bid_cents: 410_000, final_bid_cents: null }),
      saleOn('govdeals', { final_bid_cents: 505_000, price_basis: 'awarded', num_bids: 9 }),
      saleOn('hibid', { final_bid_cents: 500_000, num_bids: 7 }),
    ])
    const best = { median_cents: 505_000, price_basis: 'awarded', avg_bids: 9 }
    expect(await world.comps()).toMatchObject({ sold_count: 1, ...best })
  })

  it('is the higher of two prices with the same basis, which was seen later', async () => {
    const bid = (current_bid_cents: number) => ({
      outcome: null,
      final_bid_cents: null,
      current_bid_cents,
    })
    await world.load([saleOn('gsa', bid(300_000)), saleOn('govdeals', bid(420_000))])
    expect(await world.comps()).toMatchObject({ sold_count: 1, median_cents: 420_000 })
  })

  it.each<[string, FeedCells]>([
    ['in capitals and with other punctuation', { title: '2014 FORD F150 XL PICK-UP' }],
    ['with a ZIP code only', { city: null, state: null }],
    ['with ZIP+4', { zip: '78701-1234' }],
    ['with a city only', { zip: null, city: 'AUSTIN' }],
    ['an hour later', { end_date: hoursFromNow(-14) }],
    ['with the day alone, in the zone of the source', { source: 'gsa', end_date: '2026-11-20' }],
    ['at nearly the same price', { final_bid_cents: 512_500 }],
    ['at half the price, as it was seen earlier', { final_bid_cents: 250_000 }],
    ['as a lot without a buyer', { outcome: 'unsold', final_bid_cents: null }],
    ['as a lot that was withdrawn', { outcome: 'withdrawn', final_bid_cents: null }],
  ])('is the same %s', async (_, changes) => {
    expect(await soldCount(saleOn('govdeals'), saleOn('hibid', changes))).toBe(1)
    expect(Object.keys(await world.groups())).toHaveLength(1)
  })

  it.each<[string, FeedCells]>([
    ['with another word in the title', { title: '2014 Ford F-150 XL pickup truck' }],
    ['of another year', { title: '2015 Ford F-150 XL pickup' }],
    ['in another city', { city: 'Waco', zip: '76701' }],
    ['in another state', { state: 'OK', city: 'Austin', zip: null }],
    ['with no place', { state: null, city: null, zip: null }],
    ['with a state alone', { city: null, zip: null }],
    ['on the day before', { end_date: hoursFromNow(-39) }],
    ['on the day after, sold again', { end_date: hoursFromNow(-1) }],
    ['without an end', { end_date: null }],
    ['at over twice the price', { final_bid_cents: 1_000_001 }],
    ['of the same source', { source: 'govdeals', source_id: '2' }],
  ])('is another one %s', async (_, changes) => {
    expect(await soldCount(saleOn('govdeals'), saleOn('hibid', changes))).toBe(2)
    expect(await world.groups()).toEqual({})
  })
})

describe('a vehicle identification number', () => {
  it('makes lots of different titles one', async () => {
    const sales = [
      saleOn('govdeals', { title: `Pickup, VIN ${VIN}` }),
      saleOn('hibid', {
        title: `Truck that runs. VIN: ${VIN.toLowerCase()}.`,
        final_bid_cents: 1_900_000,
      }),
    ]
    expect(await soldCount(...sales)).toBe(1)
  })

  it('says nothing in a description, from which it is cut', async () => {
    const sales = [
      saleOn('govdeals', { description: VIN }),
      saleOn('hibid', { description: OTHER_VIN }),
    ]
    expect(await soldCount(...sales)).toBe(1)
  })

  it('names none when a source tells it of two lots of the day', async () => {
    const sales = [
      saleOn('govdeals', { title: `Engine of ${VIN}` }),
      saleOn('govdeals', { title: `Doors of ${VIN}`, source_id: '2' }),
      saleOn('hibid', { title: `Truck ${VIN}` }),
    ]
    expect(await soldCount(...sales)).toBe(3)
  })

  it('on one source only does not keep it from being the same', async () => {
    expect(await soldCount(saleOn('govdeals', { description: VIN }), saleOn('hibid'))).toBe(1)
  })

  it('leaves a third source to be compared by its title once its fellow has found another', async () => {
    await world.load([saleOn('gsa', { description: VIN }), saleOn('govdeals')])
    expect(await world.groups()).toEqual({ [await loserOf('gsa', 'govdeals')]: expect.any(String) })
    await world.load([saleOn('hibid', { title: `Truck ${VIN}` })])
    expect((await world.comps())?.sold_count).toBe(2)
    expect(Object.keys(await world.groups()).filter(lot => lot.startsWith('govdeals'))).toEqual([])
    await world.load([saleOn('hibid', { title: 'Truck' })])
    expect((await world.comps())?.sold_count).toBe(2)
    expect(await world.groups()).toEqual({ [await loserOf('gsa', 'govdeals')]: expect.any(String) })
  })
})

/** Of two equal lots the one with the lower id counts. */
async function loserOf(...sources: string[]): Promise<string> {
  const [last] = await world.api.sql<{ lot: string }[]>`
    select source || ' ' || source_id as lot
    from lots
    where source = any(${sources})
    order by id desc
    limit 1`
  return last!.lot
}

describe('a fleet', () => {
  const fleet = (source: string, count: number, prices: (n: number) => number) =>
    Array.from({ length: count }, (_, n) =>
      saleOn(source, { source_id: `${n + 1}`, final_bid_cents: prices(n) }),
    )
  const rising = (n: number) => 400_000 + n * 15_000

  it('of twelve alike lots on one source is twelve sales', async () => {
    await world.load(fleet('govdeals', 12, () => 400_000))
    expect(await world.comps()).toMatchObject({ sold_count: 12 })
  })

  it('that another source lists as a whole is still twelve sales, at the same prices', async () => {
    await world.load(fleet('govdeals', 12, rising))
    const before = await world.comps()
    await world.load(fleet('hibid', 12, n => rising(11 - n)))
    expect(await world.comps()).toEqual(before)
    expect(Object.keys(await world.groups())).toHaveLength(12)
  })

  it('of which another source lists a part is counted as often as the longer list says', async () => {
    await world.load(fleet('govdeals', 12, rising))
    const before = await world.comps()
    await world.load(fleet('hibid', 5, n => rising(3 + 2 * n)))
    expect(await world.comps()).toEqual(before)
    expect(Object.keys(await world.groups())).toHaveLength(5)
  })

  it('with a dear one among them pairs that one with the dear one elsewhere', async () => {
    await world.load(fleet('govdeals', 4, n => (n === 3 ? 2_000_000 : 400_000)))
    await world.load([saleOn('hibid', { final_bid_cents: 2_050_000 })])
    expect(await world.comps()).toMatchObject({
      sold_count: 4,
      max_cents: 2_050_000,
      min_cents: 400_000,
    })
  })
})
