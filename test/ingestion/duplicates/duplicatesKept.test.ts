import { beforeEach, describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../../src/infra/ingestion/closings.ts'
import { countUnsold } from '../../../src/infra/valuation/salesHistory.ts'
import { listSourceStates } from '../../../src/usecases/ingestion/trackedSources.ts'
import { type FeedCells, hoursFromNow } from '../../support/ingestion/ingestion.ts'
import { NOW } from '../../support/ingestion/ingestionClock.ts'
import { openLotOn, saleOn, startListedTwice } from '../../support/ingestion/listedTwice.ts'
import { shared } from '../../support/run/shared.ts'

const world = shared(startListedTwice)
beforeEach(() => world.empty())

const soldCount = async () => (await world.comps())?.sold_count ?? 0

describe('groups of the same lot', () => {
  it('do not depend on the order of loading', async () => {
    const lots = manyLots()
    await world.load(lots)
    const inOneLoad = await world.groups()
    expect(Object.keys(inOneLoad).length).toBeGreaterThan(50)
    for (const order of [[...lots].reverse(), bySource(lots)]) {
      await world.empty()
      for (let at = 0; at < order.length; at += 37) await world.load(order.slice(at, at + 37))
      expect(await world.groups()).toEqual(inOneLoad)
    }
  })

  it('have no two lots of one source, and no lot that counts for another and is itself not counted', async () => {
    await world.load(manyLots())
    const broken = await world.api.sql`
      select
      from lots l
      where (
        select count(*) <> count(distinct source)
        from lots g
        where coalesce(g.duplicate_of, g.id) = coalesce(l.duplicate_of, l.id)
      )
      or exists (select from lots c where c.id = l.duplicate_of and c.duplicate_of is not null)`
    expect(broken).toHaveLength(0)
  })

  it.each<[string, FeedCells]>([
    ['is retitled', { title: '2014 Ford F-150 XL, no engine' }],
    ['turns out to be elsewhere', { city: 'Waco', zip: '76701' }],
    ['ended on another day', { end_date: hoursFromNow(-1) }],
    ['went for far more', { final_bid_cents: 2_500_000, price_basis: 'awarded' }],
  ])('are parted when a lot %s, and made again when that is taken back', async (_, changes) => {
    await world.load([saleOn('govdeals'), saleOn('hibid', { price_basis: 'awarded' })])
    expect(await soldCount()).toBe(1)
    await world.load([saleOn('hibid', { price_basis: 'awarded', ...changes })])
    expect(await soldCount()).toBe(2)
    await world.load([saleOn('hibid', { price_basis: 'awarded' })])
    expect(await soldCount()).toBe(1)
  })

  it('count another of their lots once theirs turns out not to have sold', async () => {
    await world.load([saleOn('govdeals', { price_basis: 'awarded' }), saleOn('hibid')])
    expect(await world.groups()).toEqual({ 'hibid 1': 'govdeals 1' })
    await world.load([saleOn('govdeals', { outcome: 'unsold', final_bid_cents: null })])
    expect(await world.groups()).toEqual({ 'govdeals 1': 'hibid 1' })
    expect(await world.comps()).toMatchObject({ sold_count: 1, median_cents: 500_000 })
  })

  it('are kept when a timer settles their lots', async () => {
    await world.load([openLotOn('govdeals'), openLotOn('hibid', { current_bid_cents: 305_000 })])
    expect(await closeEndedLots(world.api.sql, new Date(NOW.getTime() + 3 * 3_600_000))).toBe(2)
    world.api.clock.now = new Date(NOW.getTime() + 3 * 3_600_000)
    expect(await world.comps()).toMatchObject({ sold_count: 1, median_cents: 310_000 })
  })
})

/**
 * Few titles, cities, days and prices over four sources: fleets, partial fleets, chance and real
 * repeats.
 */
function manyLots(): FeedCells[] {
  let state = 7
  const dice = (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
  const pick = <T>(...choices: T[]): T => choices[dice(choices.length)]!
  return Array.from({ length: 300 }, (_, n) => {
    const place = pick<FeedCells>({}, { zip: null }, { city: null }, { zip: '78702' })
    const outcome = pick('sold', 'sold', 'unsold', null)
    return saleOn(pick('gsa', 'govdeals', 'hibid', 'municibid'), {
      source_id: `${n}`,
      title: pick('Ford F-150', 'FORD F150', 'Desk', 'Desk'),
      description: pick(null, null, null, `VIN 1FTFW1ET5DFC1031${dice(10)}`),
      end_date: pick(hoursFromNow(-15), hoursFromNow(-16), hoursFromNow(-40), hoursFromNow(5)),
      outcome,
      current_bid_cents: outcome === null ? pick(null, 90_000) : null,
      final_bid_cents:
        outcome === 'sold' ? pick(100_000, 100_000, 130_000, 180_000, 900_000) : null,
      price_basis: outcome === 'sold' ? pick('awarded', 'closed_high_bid') : null,
      ...place,
    })
  })
}

const bySource = (lots: FeedCells[]) =>
  [...lots].sort((a, b) => String(a.source).localeCompare(String(b.source)))

describe('statistics', () => {
  it('of an item count a lot of two sources once', async () => {
    const sales = (source: string) =>
      Array.from({ length: 5 }, (_, n) =>
        saleOn(source, { source_id: `${n}`, end_date: hoursFromNow(-24 * (n + 1)) }),
      )
    await world.load(sales('govdeals').slice(0, 4))
    await world.load(sales('hibid').slice(0, 4))
    expect(await world.comps('item=ford-f-150')).toBeNull()
    await world.load(sales('hibid'))
    expect(await world.comps('item=ford-f-150')).toMatchObject({ sold_count: 5 })
  })

  it('of what stays unsold count a lot of two sources once, and not at all when it sold on one', async () => {
    const unsold = { outcome: 'unsold', final_bid_cents: null }
    await world.load([saleOn('govdeals', unsold), saleOn('hibid', unsold)])
    expect(await countUnsold(world.api.sql, NOW)).toEqual({ vehicles: 1 })
    await world.load([saleOn('municibid')])
    expect(await countUnsold(world.api.sql, NOW)).toEqual({})
    expect(await soldCount()).toBe(1)
  })
})

describe('a live lot that two sources list', () => {
  it('is found on both, by search, by id and in the counts of both sources', async () => {
    await world.load([openLotOn('govdeals'), openLotOn('hibid')])
    const { body } = await world.api.get('/api/v1/listings?category=vehicles')
    expect(body).toMatchObject({ total: 2, data: [{}, {}] })
    for (const { id, source } of body.data) {
      expect((await world.api.get(`/api/v1/listings/${id}`)).body.data).toMatchObject({
        id,
        source,
      })
    }
    const sources = (await world.api.get('/api/v1/sources')).body.data as Record<string, unknown>[]
    expect(sources.filter(({ live_count }) => live_count !== 0)).toMatchObject([
      { source: 'govdeals', live_count: 1 },
      { source: 'hibid', live_count: 1 },
    ])
  })

  it('is not compared with its own sale on the other', async () => {
    const others = Array.from({ length: 6 }, (_, n) =>
      saleOn('gsa', { source_id: `${n}`, end_date: hoursFromNow(-24 * (n + 2)) }),
    )
    const ownSale = saleOn('hibid', { end_date: hoursFromNow(-1), final_bid_cents: 777_700 })
    await world.load([...others, ownSale, openLotOn('govdeals')], { scoreLater: false })
    expect(await world.groups()).toEqual({ 'govdeals 1': 'hibid 1' })
    const [lot] = await world.api.sql<
      { id: string }[]
    >`select id from lots where source = 'govdeals'`
    expect(await world.comps(`listing_id=${lot!.id}`)).toMatchObject({
      sold_count: 6,
      max_cents: 500_000,
    })
  })
})

describe('what was grouped', () => {
  it('is told by the load, and by the state of the sources', async () => {
    expect(await world.load([saleOn('govdeals', { price_basis: 'awarded' })])).toMatchObject({
      lots_duplicate: 0,
    })
    const lots = [saleOn('hibid'), saleOn('hibid', { source_id: '2', title: 'Desk' })]
    expect(await world.load(lots)).toMatchObject({ lots_duplicate: 1 })
    const { sources } = await listSourceStates(world.api.sql, {}, false, NOW)
    expect(sources.filter(({ sales }) => sales > 0)).toMatchObject([
      { source: 'govdeals', sales: 1, duplicates: 0 },
      { source: 'hibid', sales: 2, duplicates: 1 },
    ])
  })
})
