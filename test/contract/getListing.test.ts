import { beforeAll, describe, expect, it } from 'vitest'
import type { ListingDetail } from '../../src/contract/types.ts'
import {
  LISTING_FIELDS,
  NOTHING_KNOWN,
  NULLABLE_FIELDS,
} from '../support/contract/listingFields.ts'
import { DAY, fromNow, HOUR, insertAppraisal, insertLots, NOW } from '../support/lots/fixtures.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const PATH = '/api/v1/listings'

/** What is stored of a lot as it is shown. */
const TRUCK = {
  title: '2014 FORD F-150 <XL> & "more", 4×4 🚚',
  description: 'Runs and drives.\n104,211 miles.',
  category: 'vehicles' as const,
  item: 'ford-f-150',
  quantity: 2,
  vehicle_year: 2014,
  vehicle_make: 'Ford',
  vehicle_model: 'F-150',
  state: 'IL',
  city: 'CHICAGO',
  zip: '60601-1234',
  current_bid_cents: 412_500,
  buy_now_cents: 900_000_000_000,
  starting_bid_cents: 0,
  num_bids: 11,
  condition_grade: 'usable',
  image_url: 'https://auctions.example/truck.jpg',
  source_url: 'https://auctions.example/lots/1?a=1&b=2',
  flip_score: 64,
  value_grade: 'few' as const,
  approximate_value_cents: 600_000,
}

describe('getListing', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let ids: string[]

  beforeAll(async () => {
    ids = await insertLots(api.sql, [
      {
        ...TRUCK,
        slug: 'truck-gsa-1',
        latitude: 41.9,
        longitude: -87.6,
        starts_at: fromNow(-DAY),
        ends_at: fromNow(DAY),
        observed_at: fromNow(-HOUR + 999),
      },
      { slug: 'bare-gsa-2', starts_at: '-infinity', ends_at: 'infinity' },
      { slug: 'upcoming-gsa-3', starts_at: fromNow(HOUR), ends_at: fromNow(DAY) },
      { slug: 'sold-gsa-4', is_open: false, outcome: 'sold', ends_at: fromNow(-HOUR) },
      { slug: 'unsold-gsa-5', is_open: false, outcome: 'unsold', ends_at: fromNow(-HOUR) },
      { slug: 'withdrawn-gsa-6', is_open: false, outcome: 'withdrawn', starts_at: fromNow(HOUR) },
      { slug: 'closed-gsa-7', is_open: false, ends_at: fromNow(-HOUR), current_bid_cents: 100 },
    ])
  })

  const read = async (idOrSlug: string): Promise<ListingDetail> =>
    (await api.read(`${PATH}/${idOrSlug}`)).data

  it('200 with every field of the lot, in contract order', async () => {
    const { body } = await api.get(`${PATH}/${ids[0]}`)
    const listing: ListingDetail = {
      ...NOTHING_KNOWN,
      ...TRUCK,
      id: ids[0]!,
      source: 'gsa',
      source_name: 'GSA Auctions',
      start_date: '2026-11-20T09:30:00Z',
      end_date: '2026-11-22T09:30:00Z',
      status: 'live',
      bidprowl_url: `${PUBLIC_URL}/listings/truck-gsa-1`,
      observed_at: '2026-11-21T08:30:00Z',
      buyers_premium_percent: 0,
      appraised: true,
      offer_kind: 'auction',
      end_precision: 'second',
      bid_conditions: [],
      earlier_listings: [],
    }
    expect(body).toEqual({ data: listing })
    expect(Object.keys(body.data)).toEqual([
      ...LISTING_FIELDS,
      ...['description', 'auction', 'publisher_changed_at', 'earlier_listings'],
    ])
  })

  it('200 with null for whatever is not known', async () => {
    const listing = await read(ids[1]!)
    const unknown = Object.entries(listing).filter(([, value]) => value === null)
    // Its source is known to add none.
    const known = 'buyers_premium_percent'
    expect(unknown.map(([name]) => name)).toEqual(NULLABLE_FIELDS.filter(name => name !== known))
    expect(listing[known]).toBe(0)
    expect([listing.num_bids, listing.status, listing.appraised]).toEqual([0, 'live', false])
  })

  it('200 with the chance that an open lot without a bid ends so, as far as its source tells bids', async () => {
    const lots = await insertLots(api.sql, [
      { slug: 'nobody-bid', bids_known: true },
      { slug: 'somebody-bid', bids_known: true, num_bids: 1, current_bid_cents: 500 },
      { slug: 'untold', bids_known: false },
      { slug: 'unread', bids_known: null },
      { slug: 'nobody-sees', bids_known: true, bid_conditions: ['sealed_bid'] },
      {
        slug: 'ended-unbid',
        bids_known: true,
        is_open: false,
        outcome: 'unsold',
        ends_at: fromNow(-HOUR),
      },
    ])
    for (const lot_id of lots) await insertAppraisal(api.sql, { lot_id })
    await api.sql`update lots set no_bid_chance = 0.42 where id = any(${lots})`
    const read = await Promise.all(lots.map(id => api.read(`${PATH}/${id}`)))
    expect(read.map(({ data }) => data.no_bid_chance)).toEqual([0.42, null, null, null, null, null])
  })

  it('200 with the next bid: the bid and its increment, without a bid the starting bid, and none where nobody can bid', async () => {
    const stepped = { bid_increment_cents: 5_000, starting_bid_cents: 700 }
    await insertLots(api.sql, [
      { ...stepped, slug: 'bid-on', current_bid_cents: 2_500, num_bids: 1 },
      { ...stepped, slug: 'not-bid-on' },
      { slug: 'unknown-step', current_bid_cents: 2_500, num_bids: 1 },
      { ...stepped, slug: 'fixed', offer_kind: 'fixed_price' },
      { ...stepped, slug: 'sealed', bid_conditions: ['sealed_bid'] },
      { ...stepped, slug: 'over', ends_at: fromNow(-HOUR) },
    ])
    const next = async (slug: string) => (await read(slug)).next_bid_cents
    expect(
      await Promise.all(
        ['bid-on', 'not-bid-on', 'unknown-step', 'fixed', 'over', 'sealed'].map(next),
      ),
    ).toEqual([7_500, 700, null, null, null, null])
    expect((await read('bid-on')).bid_increment_cents).toBe(5_000)
  })

  it('200 with end_precision day where the end is the last second of a day in the zone of its source', async () => {
    await insertLots(api.sql, [
      { slug: 'central-day', ends_at: new Date('2026-11-25T05:59:59Z') },
      { slug: 'summer-day', ends_at: new Date('2027-07-02T04:59:59Z') },
      { slug: 'eastern-day', ends_at: new Date('2026-11-25T04:59:59Z') },
    ])
    const precision = async (slug: string) => (await read(slug)).end_precision
    expect(await Promise.all(['central-day', 'summer-day', 'eastern-day'].map(precision))).toEqual([
      ...['day', 'day', 'second'],
    ])
    // It can close at 10 AM Central, 78.5 hours from now; its end is 92.5 hours away.
    const within = async (hours: number) =>
      (await api.read(`/api/v1/listings?closing_within_hours=${hours}&per_page=50`)).data.map(
        (lot: { bidprowl_url: string }) => lot.bidprowl_url.split('/').at(-1),
      )
    expect(await within(78)).not.toContain('central-day')
    expect(await within(79)).toContain('central-day')
    expect(await within(79)).not.toContain('eastern-day')
  })

  it('200 with its auction: the live lots of it, and where and when they are, where that is one place', async () => {
    const auction = { auction_id: 'gsa-3-1', auction_name: '3-1', state: 'IL', city: 'Chicago' }
    await insertLots(api.sql, [
      { ...auction, slug: 'auctioned-1', starts_at: fromNow(-DAY), ends_at: fromNow(DAY) },
      {
        ...auction,
        slug: 'auctioned-2',
        starts_at: fromNow(-2 * DAY),
        ends_at: fromNow(2 * DAY),
        city: 'Peoria',
      },
      { ...auction, slug: 'auctioned-3', ends_at: fromNow(-HOUR) },
      { ...auction, slug: 'auctioned-4', auction_id: 'gsa-3-2' },
    ])
    const { auction_id, auction: found } = await read('auctioned-1')
    expect(auction_id).toBe('gsa-3-1')
    expect(found).toEqual({
      id: 'gsa-3-1',
      name: '3-1',
      live_lots: 2,
      state: 'IL',
      city: null,
      start_date: '2026-11-19T09:30:00Z',
      end_date: '2026-11-23T09:30:00Z',
    })
  })

  it('200 with what was listed before: closed lots of its source, place and title, the latest five', async () => {
    const press = {
      title: 'Heidelberg GTO-52 Press',
      state: 'KS',
      zip: '66603-1001',
      starting_bid_cents: 40_000,
    }
    const closed = { is_open: false, outcome: 'unsold' as const }
    const endsBefore = (days: number) => ({ ...press, ...closed, ends_at: fromNow(-days * DAY) })
    await insertLots(api.sql, [
      {
        ...press,
        slug: 'press-now',
        title: 'HEIDELBERG GTO 52, press',
        zip: '66603',
        starts_at: fromNow(-2 * DAY),
      },
      {
        ...endsBefore(20),
        slug: 'press-20',
        outcome: 'sold',
        num_bids: 3,
        current_bid_cents: 52_000,
      },
      { ...endsBefore(10), slug: 'press-10' },
      { ...endsBefore(30), slug: 'press-30', outcome: null, current_bid_cents: 41_000 },
      { ...endsBefore(40), slug: 'press-40', starting_bid_cents: null },
      { ...endsBefore(50), slug: 'press-50', outcome: 'withdrawn' },
      { ...endsBefore(60), slug: 'press-60' },
      // None of these was the same thing before.
      { ...endsBefore(5), slug: 'press-elsewhere', zip: '66604' },
      { ...endsBefore(5), slug: 'press-of-another-source', source: 'govdeals' },
      { ...endsBefore(5), slug: 'another-press', title: 'Heidelberg GTO 46 press' },
      { ...endsBefore(0.5), slug: 'press-of-the-same-days' },
      { ...press, slug: 'press-twin' },
    ])
    const { earlier_listings } = await read('press-now')
    const slugs = await Promise.all(
      earlier_listings.map(async ({ id }) => (await read(id)).bidprowl_url.split('/').at(-1)),
    )
    expect(slugs).toEqual(['press-10', 'press-20', 'press-30', 'press-40', 'press-50'])
    expect(earlier_listings.map(({ id: _, ...rest }) => Object.values(rest))).toEqual([
      ['2026-11-11T09:30:00Z', 'unsold', 0, 40_000],
      ['2026-11-01T09:30:00Z', 'sold', 3, 52_000],
      ['2026-10-22T09:30:00Z', 'ended', null, 41_000],
      ['2026-10-12T09:30:00Z', 'unsold', 0, null],
      ['2026-10-02T09:30:00Z', 'withdrawn', 0, 40_000],
    ])
    expect((await read('press-60')).earlier_listings, 'the first of them').toEqual([])
  })

  it('200 without lots of the same auction, other vehicles and other miles as listed before', async () => {
    const car = {
      title: '2014 Ford Taurus',
      state: 'KS',
      city: 'Topeka',
      is_open: false,
      auction_name: '9',
    }
    const vin = (last: string) => `VIN 1FAHP2D8XEG12${last}.`
    const endsBefore = (days: number) => ({ ...car, ends_at: fromNow(-days * DAY) })
    await insertLots(api.sql, [
      {
        ...car,
        slug: 'taurus',
        ends_at: fromNow(DAY),
        is_open: true,
        auction_id: 'gsa-9',
        odometer_miles: 81_000,
      },
      {
        ...car,
        slug: 'taurus-vin',
        ends_at: fromNow(DAY),
        is_open: true,
        description: vin('3456'),
      },
      {
        ...endsBefore(9),
        slug: 'taurus-before',
        auction_id: 'gsa-8',
        odometer_miles: 81_000,
        description: vin('3456'),
      },
      { ...endsBefore(8), slug: 'taurus-of-the-auction', auction_id: 'gsa-9' },
      {
        ...endsBefore(7),
        slug: 'taurus-driven-more',
        odometer_miles: 99_000,
        description: vin('9999'),
      },
    ])
    const earlier = async (slug: string) => (await read(slug)).earlier_listings.map(({ id }) => id)
    const before = (await read('taurus-before')).id
    expect(await earlier('taurus')).toEqual([before])
    expect(await earlier('taurus-vin')).toEqual([(await read('taurus-of-the-auction')).id, before])
  })

  it('200 with what ended before, where neither place nor begin is known, and nothing for a title without letters', async () => {
    const closed = { is_open: false, outcome: 'unsold' as const, ends_at: fromNow(-9 * DAY) }
    await insertLots(api.sql, [
      { slug: 'lathe-now', title: 'Lathe', starts_at: '-infinity', ends_at: 'infinity' },
      { ...closed, slug: 'lathe-before', title: 'LATHE' },
      { slug: 'dashes-now', title: '---' },
      { ...closed, slug: 'dashes-before', title: '---' },
      { slug: 'coffee-now', title: 'Café 7' },
      { ...closed, slug: 'coffee-before', title: 'CAFÉ-7' },
      { ...closed, slug: 'caf-before', title: 'Caf 7' },
    ])
    const earlier = async (slug: string) => (await read(slug)).earlier_listings.map(({ id }) => id)
    const idOf = async (slug: string) =>
      (await api.sql<{ id: string }[]>`select id from lots where slug = ${slug}`)[0]!.id
    expect(await earlier(await idOf('lathe-now'))).toEqual([await idOf('lathe-before')])
    expect(await earlier(await idOf('dashes-now'))).toEqual([])
    expect(await earlier(await idOf('coffee-now'))).toEqual([await idOf('coffee-before')])
  })

  it("200 with the buyer's premium of the lot, else of its source, 0 where there is none and null where it is not known", async () => {
    const ids = await insertLots(api.sql, [
      { slug: 'premium-9', source: 'municibid' },
      { slug: 'premium-unknown', source: 'govdeals' },
      { slug: 'premium-own', source: 'municibid', buyers_premium_percent: 12.5 },
      { slug: 'premium-none', source: 'municibid', buyers_premium_percent: 0 },
    ])
    expect((await read(ids[0]!)).buyers_premium_percent).toBe(9)
    expect((await read(ids[1]!)).buyers_premium_percent).toBeNull()
    expect((await read(ids[2]!)).buyers_premium_percent).toBe(12.5)
    expect((await read(ids[3]!)).buyers_premium_percent).toBe(0)
    expect((await read('bare-gsa-2')).buyers_premium_percent).toBe(0)
  })

  it('200 with the listing of the same lot at another source, from both sides, while that one is open', async () => {
    const same = {
      title: 'Bobcat S650 skid steer, 1,204 hours',
      state: 'OH',
      zip: '43004',
      num_bids: 3,
    }
    const sources = ['gsa', 'govdeals', 'hibid']
    const ids = await insertLots(
      api.sql,
      sources.map((source, n) => ({
        ...same,
        slug: `same-${source}`,
        source,
        starts_at: fromNow(-n * HOUR),
      })),
    )
    // The lot with the first id counts, as no bid or price sets one of them apart; the others are
    // in the order of their start.
    const kept = [...ids].sort()[0]!
    const [newest, oldest] = ids.filter(id => id !== kept) as [string, string]
    const others = async () =>
      Promise.all([kept, newest, oldest].map(async id => (await read(id)).also_listed_as))
    expect(await others()).toEqual([newest, kept, kept])
    await api.sql`update lots set is_open = false where id = ${newest}`
    expect(await others()).toEqual([oldest, kept, kept])
    await api.sql`update lots set is_open = false where id = ${oldest}`
    expect(await others()).toEqual([null, kept, kept])
  })

  it('200 with the first 4,000 characters of the description', async () => {
    await insertLots(api.sql, [{ slug: 'long', description: '🚚'.repeat(5_000) }])
    expect((await read('long')).description).toBe('🚚'.repeat(4_000))
  })

  it('200 by its id in either case and by its slug', async () => {
    const byId = await read(ids[0]!)
    expect(await read(ids[0]!.toUpperCase())).toEqual(byId)
    expect(await read('truck-gsa-1')).toEqual(byId)
    expect(await read('truck%2Dgsa%2D1'), 'percent-encoded').toEqual(byId)
  })

  it('200 with an id that is the version 3 UUID of source and source id', () => {
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-3[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ['truck-gsa-1', fromNow(-DAY - 1), 'upcoming'],
    ['truck-gsa-1', fromNow(-DAY), 'live'],
    ['truck-gsa-1', fromNow(DAY - 1), 'live'],
    ['truck-gsa-1', fromNow(DAY), 'ended'],
    ['bare-gsa-2', fromNow(10_000 * DAY), 'live'],
    ['upcoming-gsa-3', NOW, 'upcoming'],
    ['upcoming-gsa-3', fromNow(HOUR), 'live'],
    ['sold-gsa-4', NOW, 'sold'],
    ['unsold-gsa-5', NOW, 'unsold'],
    ['withdrawn-gsa-6', NOW, 'withdrawn'],
    ['closed-gsa-7', NOW, 'ended'],
  ])('200 with the status of %s at the moment of reading: %o is %s', async (slug, now, status) => {
    api.clock.now = now
    expect((await read(slug)).status).toBe(status)
  })

  it('200 with another ETag once the status has changed', async () => {
    const etag = (await api.get(`${PATH}/truck-gsa-1`)).headers.etag!
    api.clock.now = fromNow(DAY)
    const { status, headers } = await api.get(`${PATH}/truck-gsa-1`, {
      headers: { 'If-None-Match': etag },
    })
    expect(status).toBe(200)
    expect(headers.etag).not.toBe(etag)
  })

  it('200 with the first by id when two lots have the same slug', async () => {
    const twins = await insertLots(api.sql, [{ slug: 'twin' }, { slug: 'twin', source: 'usps' }])
    expect((await read('twin')).id).toBe(twins.sort()[0])
  })

  itRefusesParameters(api, `${PATH}/truck-gsa-1`, { page: ['page=1'], id: ['id=1'], q: ['q=%00'] })

  it.each([
    ...['00000000-0000-3000-8000-000000000000', '0b1f3c9e5d0a3f6b8c1d2f6a7b8c9d0e'],
    ...[
      '%7B0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e%7D',
      'no-such-lot',
      'TRUCK-GSA-1',
      '%20truck-gsa-1',
      "'",
    ],
    ...[
      "x'%20or%20'1'='1",
      '%25',
      '%00',
      'a%0D%0ASet-Cookie:%20x=1',
      'x'.repeat(5_000),
      '%41'.repeat(5_000),
    ],
    ...['😀', '..%2F..%2Fetc%2Fpasswd', 'truck-gsa-1%2F', '%zz', '%ff', '-1', '__proto__'],
  ])('404 not_found for %.60s', async id => {
    const { status, body } = await api.get(`${PATH}/${id}`)
    expect([status, body.code]).toEqual([404, 'not_found'])
    expect(body.error, 'short and printable').toMatch(/^[\x20-\x7e…]{1,200}$/)
  })
})
