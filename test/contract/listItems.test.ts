import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import type { Schemas } from '../../src/contract/types.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertSales,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { WINDOW_END, WINDOW_START } from '../support/lots/soldStats.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/items'
const tracked = JSON.parse(readFileSync(projectFile('data', 'items.json'), 'utf8')) as {
  slug: string
  name: string
  category: string
}[]

const truck = { category: 'vehicles', item: 'ford-f-150', sold_at: fromNow(-DAY) }
const car = { category: 'vehicles', item: 'ford-fusion', sold_at: fromNow(-DAY) }

describe('listItems', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })

  beforeAll(async () => {
    const [counted] = await insertSales(api.sql, [
      { ...truck, final_bid_cents: 100_000, vehicle_year: 2014 },
      { ...truck, final_bid_cents: 300_000 },
      { ...truck, final_bid_cents: 200_001 },
      { ...truck, final_bid_cents: 500_000, sold_at: WINDOW_START },
      { ...truck, final_bid_cents: 200_004, sold_at: new Date(WINDOW_END.getTime() - 1000) },
      { ...truck, final_bid_cents: 900_000, is_piece: false, vehicle_year: 2012 },
      { ...truck, final_bid_cents: 77, sold_at: new Date(WINDOW_START.getTime() - 1000) },
      { ...truck, final_bid_cents: 77, sold_at: WINDOW_END },
    ])
    const [again] = await insertSales(api.sql, [{ ...truck, source: 'mibid', final_bid_cents: 77 }])
    await api.sql`update lots set duplicate_of = ${counted!} where id = ${again!}`
    await insertSales(
      api.sql,
      [1, 2, 3, 4].map(n => ({ ...car, final_bid_cents: n * 1_000 })),
    )
    await insertLots(api.sql, [
      { slug: 'live-1', item: 'ford-f-150' },
      {
        slug: 'live-2',
        item: 'ford-f-150',
        source: 'mibid',
        ends_at: 'infinity',
        starts_at: '-infinity',
      },
      {
        slug: 'opens-tomorrow',
        item: 'ford-f-150',
        starts_at: fromNow(DAY),
        ends_at: fromNow(2 * DAY),
      },
      { slug: 'over', item: 'ford-f-150', ends_at: fromNow(-HOUR) },
      { slug: 'not-tracked', item: 'no-such-item' },
      { slug: 'no-item' },
    ])
  })

  async function read(): Promise<Map<string, Schemas['Item']>> {
    const { status, body } = await api.get(PATH)
    expect(status).toBe(200)
    return new Map((body as Schemas['ItemList']).data.map(item => [item.slug, item]))
  }

  it('200 lists every tracked item once, by slug, with its name and category', async () => {
    const items = [...(await read()).values()]
    expect(items.map(({ slug, name, category }) => ({ slug, name, category }))).toEqual(
      tracked
        .map(({ slug, name, category }) => ({ slug, name, category }))
        .sort((a, b) => (a.slug < b.slug ? -1 : 1)),
    )
  })

  it('200 with the sales of 365 days, each lot once however many sites listed it, and their median', async () => {
    expect((await read()).get('ford-f-150')).toMatchObject({ sold_count: 6, median_cents: 250_002 })
  })

  it('200 with the sales of one piece and their median, and how many model years the sales have', async () => {
    const of = async (slug: string) => (await read()).get(slug)
    expect(await of('ford-f-150')).toMatchObject({
      piece_count: 5,
      piece_median_cents: 200_004,
      model_year_count: 2,
    })
    expect(await of('ford-fusion')).toMatchObject({ piece_count: 4, piece_median_cents: null })
  })

  it('200 with the same numbers as the comps of the item', async () => {
    const { body } = await api.get('/api/v1/comps?item=ford-f-150')
    const { slug, name, category, live_count, ...sold } = (await read()).get('ford-f-150')!
    expect(body.data).toMatchObject(sold)
  })

  it('200 without a median under five sales, and with zeros for an item that is nowhere', async () => {
    const items = await read()
    expect(items.get('ford-fusion')).toMatchObject({
      live_count: 0,
      sold_count: 4,
      median_cents: null,
    })
    expect(items.get('jeep-cherokee')).toMatchObject({
      live_count: 0,
      sold_count: 0,
      median_cents: null,
    })
  })

  it('200 counts the lots that are live at the moment of the call, repeated or not', async () => {
    const liveAt = async (now: Date) => {
      api.clock.now = now
      return (await read()).get('ford-f-150')?.live_count
    }
    expect([await liveAt(NOW), await liveAt(NOW)]).toEqual([2, 2])
    expect(await liveAt(fromNow(DAY - 1)), 'a millisecond before the end').toBe(2)
    expect(await liveAt(fromNow(DAY)), 'one ended, one opened').toBe(2)
    expect(await liveAt(fromNow(2 * DAY)), 'only the one without an end is left').toBe(1)
  })

  it('200 with the window that moves by the minute, repeated or not', async () => {
    const soldAt = async (now: Date) => {
      api.clock.now = now
      return (await read()).get('ford-f-150')?.sold_count
    }
    expect([await soldAt(NOW), await soldAt(fromNow(MINUTE - 1))]).toEqual([6, 6])
    expect(await soldAt(fromNow(MINUTE)), 'the oldest left, the one of this minute came').toBe(6)
    expect(await soldAt(fromNow(2 * MINUTE))).toBe(6)
    expect(await soldAt(fromNow(365 * DAY)), 'only the sale of the last minute').toBe(1)
  })

  it('200 with a new lot at once: a change of the data empties the cache', async () => {
    const before = (await read()).get('jeep-cherokee')?.live_count
    await insertLots(api.sql, [{ slug: 'new', item: 'jeep-cherokee' }])
    expect([before, (await read()).get('jeep-cherokee')?.live_count]).toEqual([0, 1])
    await api.sql`update lots set item = null where slug = 'new'`
  })

  it('200 names the license of the aggregates in Link, for items too', async () => {
    expect((await api.get(PATH)).headers.link).toContain(
      '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
    )
  })

  it('400 for any parameter of the items', async () => {
    expect(refusalOf(await api.get(`${PATH}?page=1`))).toBe(
      '400 invalid_request: Unknown parameter "page". This operation takes none.',
    )
  })
})
