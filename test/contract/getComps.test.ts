import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import { bandOf } from '../domain/valuation/bandOf.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  MINUTE,
  NOW,
  type SaleDraft,
} from '../support/lots/fixtures.ts'
import { percentilesOf, statisticsOf, WINDOW_END, WINDOW_START } from '../support/lots/soldStats.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/comps'
const ILLINOIS = `${PATH}?category=vehicles&state=IL`
const LICENSE = '<https://creativecommons.org/licenses/by/4.0/>; rel="license"'

const vehicle = { category: 'vehicles', sold_at: fromNow(-DAY) }
const truck = { ...vehicle, item: 'ford-f-150' }

/**
 * Odd and even numbers of sales, prices that need rounding, and sales on the edges of the window.
 */
const SALES = {
  vehiclesInIllinois: [
    { ...vehicle, state: 'IL', final_bid_cents: 10_000, num_bids: 1 },
    { ...vehicle, state: 'IL', final_bid_cents: 20_001, num_bids: 4, price_basis: 'last_observed' },
    {
      ...vehicle,
      state: 'IL',
      final_bid_cents: 20_004,
      num_bids: 2,
      price_basis: 'closed_high_bid',
    },
    { ...vehicle, state: 'IL', final_bid_cents: 900_000_000_000, num_bids: 30 },
  ],
  vehiclesInTexas: [
    { ...truck, state: 'TX', final_bid_cents: 1, num_bids: 1 },
    { ...truck, state: 'TX', final_bid_cents: 333, num_bids: 7 },
    { ...truck, state: 'TX', final_bid_cents: 500_000, num_bids: 3 },
  ],
  trucksNowhere: [
    { ...truck, final_bid_cents: 250_050, sold_at: WINDOW_START, num_bids: 0 },
    { ...truck, final_bid_cents: 300_000, sold_at: new Date(WINDOW_END.getTime() - 1000) },
  ],
  outsideTheWindow: [
    {
      ...truck,
      state: 'IL',
      final_bid_cents: 77,
      sold_at: new Date(WINDOW_START.getTime() - 1000),
    },
    { ...truck, state: 'IL', final_bid_cents: 77, sold_at: WINDOW_END },
  ],
  chairs: [1, 2, 3, 4].map(n => ({
    category: 'office-furniture',
    item: 'chair',
    state: 'PR',
    final_bid_cents: n * 1_000,
    sold_at: fromNow(-n * DAY),
  })),
} satisfies Record<string, SaleDraft[]>

const trucks: SaleDraft[] = [...SALES.vehiclesInTexas, ...SALES.trucksNowhere]
const vehicles: SaleDraft[] = [...SALES.vehiclesInIllinois, ...trucks]

describe('getComps', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let lots: Record<'priced' | 'unpriced' | 'unknown' | 'incomparable' | 'closing' | 'alone', string>
  let comparables: SaleDraft[]

  beforeAll(async () => {
    // Where a day is not always 24 hours long; set before the service connects.
    await api.sql.unsafe(
      `alter database ${new URL(api.databaseUrl).pathname.slice(1)} set timezone to 'America/Chicago'`,
    )
    for (const sales of Object.values(SALES)) await insertSales(api.sql, sales)
    await api.sql`update sources set premium_percent = 10 where source = 'gsa'`
    const [priced = '', unpriced = '', unknown = '', incomparable = '', closing = '', alone = ''] =
      await insertLots(api.sql, [
        { slug: 'priced', current_bid_cents: 40_000 },
        { slug: 'unpriced' },
        { slug: 'unknown' },
        { slug: 'incomparable', category: 'vehicles' },
        { slug: 'closing', current_bid_cents: 40_000, ends_at: fromNow(6 * HOUR + MINUTE) },
        { slug: 'alone', category: 'medical-scientific', title: 'Gas chromatograph' },
      ])
    lots = { priced, unpriced, unknown, incomparable, closing, alone }
    comparables = Array.from({ length: 12 }, (_, n) => ({
      title: `Comparable ${n}`,
      category: 'electronics',
      final_bid_cents: 50_000 + ((n * 7) % 12) * 1_111,
      num_bids: n,
      sold_at: fromNow(-(n + 1) * DAY),
      source_url: `https://auctions.example/comparable/${n}`,
      price_basis: n % 2 ? 'awarded' : 'last_observed',
    }))
    const sale_ids = await insertSales(api.sql, comparables)
    const similarities = comparables.map((_, n) => 0.95123 - n / 20)
    const compared = { sale_ids, similarities, confidence: 0.625, estimated_value_cents: 60_000 }
    await insertAppraisal(api.sql, {
      ...compared,
      lot_id: priced,
      all_in_cost_cents: 44_000,
      resale_margin_cents: 8_800,
    })
    await insertAppraisal(api.sql, { ...compared, lot_id: unpriced })
    for (const lot_id of [incomparable, closing, alone]) await insertAppraisal(api.sql, { lot_id })
  })

  const read = async (query: string): Promise<Schemas['Comps']> =>
    (await api.read(`${PATH}?${query}`)).data

  it.each<[string, SaleDraft[]]>([
    ['category=vehicles', vehicles],
    ['state=IL', SALES.vehiclesInIllinois],
    ['state=TX', SALES.vehiclesInTexas],
    ['category=vehicles&state=TX', SALES.vehiclesInTexas],
    ['state=tx&category=vehicles', SALES.vehiclesInTexas],
    ['state=pR', SALES.chairs],
  ])('200 with the statistics of %s, as recomputed from the sales', async (query, sales) => {
    expect(await read(query)).toEqual({
      ...statisticsOf(sales),

      window_start: '2025-11-21T09:31:00Z',
      window_end: '2026-11-21T09:31:00Z',

      item: null,
      listing_id: null,
      percentiles: null,
      resale_margin: null,
      confidence: null,

      comparables: null,
      stats_of: null,
      appraisal: null,
      your_costs: null,
      model_years: null,
    })
  })

  it('200 with the mean of the middle two as the median of an even number, rounded', async () => {
    const { median_cents, sold_count, avg_bids } = await read('category=vehicles&state=IL')
    expect([median_cents, sold_count, avg_bids]).toEqual([20_003, 4, 9.3])
  })

  it('200 with a window of 365 times 24 hours over a change of the clocks', async () => {
    api.clock.now = new Date('2026-03-08T12:00:30Z')
    const { window_start, window_end } = await read('category=vehicles')
    expect([window_start, window_end]).toEqual(['2025-03-08T12:01:00Z', '2026-03-08T12:01:00Z'])
  })

  it('200 with the same ETag for the rest of the minute, another after it', async () => {
    const etag = (await api.get(ILLINOIS)).headers.etag
    api.clock.now = fromNow(MINUTE - 1)
    expect((await api.get(ILLINOIS)).headers.etag).toBe(etag)
    api.clock.now = fromNow(MINUTE)
    expect((await api.get(ILLINOIS)).headers.etag).not.toBe(etag)
  })

  it('200 with the license of the aggregates in Link', async () => {
    expect((await api.get(ILLINOIS)).headers.link).toContain(LICENSE)
  })

  it('200 with the percentiles of an item, over the same window', async () => {
    const data = await read('item=ford-f-150')
    expect(data).toMatchObject({ ...statisticsOf(trucks), percentiles: percentilesOf(trucks) })
    expect(data).toMatchObject({
      item: 'ford-f-150',
      sold_count: 5,
      listing_id: null,
      comparables: null,
    })
    expect(data).toMatchObject({ stats_of: null, appraisal: null })
    expect(data.percentiles?.p50_cents).toBe(data.median_cents)
  })

  it('200 with the percentiles of an item in a state', async () => {
    const more = Array.from({ length: 5 }, (_, n) => ({
      ...truck,
      item: 'ford-f-250',
      vehicle_year: 2015,
      state: n < 2 ? 'OH' : 'PA',
      final_bid_cents: 100_000 + n,
    }))
    const elsewhere = more.map(sale => ({
      ...sale,
      state: 'GU',
      final_bid_cents: sale.final_bid_cents * 3,
    }))
    const ids = await insertSales(api.sql, [...more, ...elsewhere])
    const data = await read('item=ford-f-250&state=gu')
    expect(data).toMatchObject({
      ...statisticsOf(elsewhere),
      percentiles: percentilesOf(elsewhere),
    })
    expect(data.model_years).toEqual([
      { year: 2015, sold_count: 5, median_cents: data.median_cents },
    ])
    expect((await read('item=ford-f-250')).sold_count).toBe(10)
    const few = await api.get(`${PATH}?item=ford-f-250&state=OH`)
    expect([few.status, few.body.error]).toEqual([
      404,
      'Only 2 sales of "ford-f-250" in OH are known from the last 365 days; statistics need at least 5.',
    ])
    await api.sql`delete from lots where id = any(${ids})`
  })

  it('200 with the sales most like a listing, at most ten, best first', async () => {
    const data = await read(`listing_id=${lots.priced}`)
    expect(data).toMatchObject({
      ...statisticsOf(comparables),
      percentiles: percentilesOf(comparables),
      listing_id: lots.priced,
      item: null,
      confidence: 0.63,
      sold_count: 12,
      window_start: '2025-11-21T09:30:00Z',
      window_end: '2026-11-21T09:30:00Z',
    })
    expect(data.comparables).toHaveLength(10)
    expect(data.comparables).toEqual(
      comparables.slice(0, 10).map((sale, n) => ({
        title: sale.title,
        price_cents: sale.final_bid_cents,
        price_basis: sale.price_basis,
        sold_at: sale.sold_at.toISOString().replace('.000', ''),
        source_url: sale.source_url,
        similarity: Number((0.95123 - n / 20).toFixed(3)),
      })),
    )
  })

  it('200 with the resale margin of a listing, null while it has no price', async () => {
    expect((await read(`listing_id=${lots.priced}`)).resale_margin).toEqual({
      estimated_value_cents: 60_000,
      all_in_cost_cents: 44_000,
      margin_cents: 8_800,
      margin_percent: 20,
      price_kind: 'current_bid',
    })
    expect((await read(`listing_id=${lots.unpriced}`)).resale_margin).toBeNull()
  })

  it('200 with the appraisal of a listing, with and without a price, and without advice for a guess from words', async () => {
    const appraisal = {
      ...bandOf(15_000, 30_000, 120_000, 240_000),
      estimated_value_cents: 60_000,
      confidence: 0.63,
      grade: 'comparables',
      projection_basis: 'formula',
      target_margin_percent: 25,
      max_bid_cents: 38_400,
    }
    const unpriced = (await read(`listing_id=${lots.unpriced}`)).appraisal
    const of_version_5 = {
      seen_factor: null,
      resale_value_cents: 60_000,
      neighbors_percent: null,
      no_bid_chance: null,
    }
    expect(unpriced).toEqual({ ...appraisal, projected_close_cents: 60_000, ...of_version_5 })
    await api.sql`update appraisals set neighbor_factor = 0.5 where lot_id = ${lots.unpriced}`
    expect((await read(`listing_id=${lots.unpriced}`)).appraisal).toMatchObject({
      estimated_value_cents: 30_000,
      likely_low_cents: 15_000,
      range_high_cents: 120_000,

      projected_close_cents: 30_000,
      max_bid_cents: 19_200,
      neighbors_percent: 50,
    })
    await api.sql`update appraisals set neighbor_factor = 1 where lot_id = ${lots.unpriced}`
    await api.sql`update lots set no_bid_chance = 0.42 where id = ${lots.unpriced}`
    expect((await read(`listing_id=${lots.unpriced}`)).appraisal!.no_bid_chance).toBeNull()
    await api.sql`update lots set bids_known = true where id = ${lots.unpriced}`
    expect((await read(`listing_id=${lots.unpriced}`)).appraisal!.no_bid_chance).toBe(0.42)
    await api.sql`update lots set bid_conditions = '{sealed_bid}' where id = ${lots.unpriced}`
    expect((await read(`listing_id=${lots.unpriced}`)).appraisal).toMatchObject({
      projected_close_cents: null,
      projection_basis: null,
      max_bid_cents: 38_400,
    })
    await api.sql`update lots set value_grade = 'words' where id = ${lots.unpriced}`
    expect((await read(`listing_id=${lots.unpriced}`)).appraisal).toMatchObject({
      estimated_value_cents: 60_000,
      grade: 'words',
      projected_close_cents: null,

      projection_basis: null,
      target_margin_percent: null,
      max_bid_cents: null,
    })
    const priced = (await read(`listing_id=${lots.priced}`)).appraisal
    expect(priced).toMatchObject(appraisal)
    expect(priced!.projected_close_cents).toBeGreaterThan(50_000)
  })

  it('200 with a projected close that moves to the bid as the end nears', async () => {
    const closes: number[] = []
    for (const moment of [NOW, fromNow(5 * HOUR), fromNow(6 * HOUR)]) {
      api.clock.now = moment
      closes.push((await read(`listing_id=${lots.closing}`)).appraisal!.projected_close_cents!)
    }
    expect(closes).toEqual(closes.toSorted((a, b) => b - a))
    expect(closes[0]).toBeGreaterThan(50_000)
    expect(closes[2]).toBe(40_000)
  })

  it('200 with a projected close at the middle of the hours in which a day closes, and a bid that its source takes', async () => {
    const [{ ends_at: was }] = await api.sql<
      [{ ends_at: Date }]
    >`select ends_at from lots where id = ${lots.closing}`
    const until = async (ends_at: string | Date) => {
      await api.sql`update lots set ends_at = ${ends_at} where id = ${lots.closing}`
      return (await read(`listing_id=${lots.closing}`)).appraisal!
    }
    api.clock.now = new Date('2026-11-24T18:00:00Z')
    // November 24 in Chicago, from 10 AM to 8 PM.
    const byDay = (await until('2026-11-25T05:59:59Z')).projected_close_cents
    expect(byDay).toBe((await until('2026-11-24T21:00:00Z')).projected_close_cents)
    expect(byDay).toBeLessThan((await until('2026-11-25T05:59:58Z')).projected_close_cents!)
    // A quarter less than 601 less 12%, without the premium of 10%, is 384.64.
    await api.sql`update appraisals set estimated_value_cents = 60100 where lot_id = ${lots.closing}`
    expect((await until('2026-11-25T05:59:59Z')).max_bid_cents).toBe(38_400)
    await api.sql`update lots set buyers_premium_percent = 0 where id = ${lots.closing}`
    expect((await until('2026-11-25T05:59:59Z')).max_bid_cents).toBe(42_300)
    await api.sql`update lots set buyers_premium_percent = null where id = ${lots.closing}`
    await api.sql`update appraisals set estimated_value_cents = 60000 where lot_id = ${lots.closing}`
    await until(was)
    api.clock.now = NOW
  })

  it('200 with the statistics of its category for a listing that nothing is like', async () => {
    const data = await read(`listing_id=${lots.incomparable}`)
    expect(data).toMatchObject({
      ...statisticsOf(vehicles),
      percentiles: percentilesOf(vehicles),
      comparables: [],
      stats_of: 'category',
      listing_id: lots.incomparable,
    })
    expect(data.appraisal?.estimated_value_cents).toBe(100_000)
  })

  it('200 with the statistics of all sales where its category has none', async () => {
    const data = await read(`listing_id=${lots.alone}`)
    expect(data).toMatchObject({ comparables: [], stats_of: 'all' })
    expect(data.sold_count).toBe(vehicles.length + SALES.chairs.length + comparables.length)
  })

  it('200 for a listing id in upper case', async () => {
    const upper = await read(`listing_id=${lots.priced.toUpperCase()}`)
    expect(upper).toEqual(await read(`listing_id=${lots.priced}`))
  })

  it.each([
    ...['', 'item=ford-f-150&category=vehicles', 'item=ford-f-150&category=vehicles&state=TX'],
    ...[
      'q=truck&listing_id=LOT',
      'q=truck&item=ford-f-150',
      'q=truck&category=vehicles',
      'q=truck&state=TX',
    ],
    ...['titles=truck&q=truck', 'titles=truck&titles=van&item=ford-f-150', 'titles=truck&state=TX'],
    ...[
      'listing_id=LOT&item=ford-f-150',
      'listing_id=LOT&category=vehicles',
      'listing_id=LOT&state=IL',
    ],
    'listing_id=LOT&item=ford-f-150&category=vehicles&state=TX',
  ])('400 unless exactly one kind is asked for: "%s"', async query => {
    const { status, body } = await api.get(`${PATH}?${query.replace('LOT', lots.priced)}`)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toBe(
      'Send exactly one of: `listing_id`; `q`; `titles`; `item` (optional `state`); `category`, `state` or both.',
    )
    expect(body.upgrade).toBeUndefined()
  })

  itRefusesParameters(api, PATH, {
    category: ['category=cars', 'category=Vehicles', 'category='],
    state: ['state=ILL', 'state=I', 'state=1L', 'state=IL&state=TX'],
    listing_id: ['priced', "'", '00000000-0000-3000-8000-00000000000g'].map(
      id => `listing_id=${id}`,
    ),
    item: ['item=', `item=${'x'.repeat(101)}`],
    q: ['q=', `q=${'x'.repeat(201)}`, 'q=a%00b', 'q=a&q=b'],
    titles: [
      ...['titles=', 'titles=van&titles=', `titles=${'x'.repeat(201)}`, 'titles=a%00b'],
      Array(11).fill('titles=van').join('&'),
    ],
    listingid: ['listingid=1'],
    page: ['category=vehicles&page=1'],
    buyer_zip: ['6060', 'chicago', '606011'].map(zip => `category=vehicles&buyer_zip=${zip}`),
    tax_percent: ['-1', '101', 'x', ''].map(percent => `category=vehicles&tax_percent=${percent}`),
    margin_percent: ['-1', '1001'].map(percent => `category=vehicles&margin_percent=${percent}`),
    fixed_cost_cents: ['-1', '12.5', '1e10'].map(
      cents => `category=vehicles&fixed_cost_cents=${cents}`,
    ),
  })

  it.each(['item=ford-f-150', 'category=vehicles', 'q=truck', 'titles=truck', 'state=TX', ''])(
    '400 for the costs of a buyer without a listing: ?%s',
    async query => {
      for (const sent of ['buyer_zip=60601', 'tax_percent=0', 'fixed_cost_cents=1']) {
        const { status, body } = await api.get(`${PATH}?${query}&${sent}`)
        expect([status, body.code, body.error]).toEqual([
          400,
          'invalid_request',
          expect.stringMatching(/listing_id/),
        ])
      }
    },
  )

  it('400 for a ZIP code that does not exist, without naming it', async () => {
    const { status, body } = await api.get(`${PATH}?listing_id=${lots.priced}&buyer_zip=00000`)
    expect([status, body.error]).toEqual([400, '"buyer_zip": there is no such ZIP code.'])
  })

  it('200 with what a listing costs a buyer, line by line, and null without a buyer', async () => {
    const asked = `listing_id=${lots.priced}`
    await api.sql`update lots set latitude = 34.73, longitude = -86.59 where id = ${lots.priced}`
    const { appraisal, your_costs } = await read(asked)
    expect(your_costs).toBeNull()
    const usual = (await read(`${asked}&tax_percent=0`)).your_costs!
    expect(usual.limit_cents).toBe(appraisal!.max_bid_cents)
    expect(usual.at_likely!.bid_cents).toBe(appraisal!.projected_close_cents)
    const near = (
      await read(`${asked}&buyer_zip=35801&cost_per_mile=0.5&tax_percent=10&surcharge_percent=3`)
    ).your_costs!
    const far = (
      await read(`${asked}&buyer_zip=60601&cost_per_mile=0.5&tax_percent=10&surcharge_percent=3`)
    ).your_costs!
    expect(far.distance_miles).toBeGreaterThan(480)
    expect(near.limit_cents!).toBeGreaterThan(far.limit_cents!)
    expect(far.at_next).toMatchObject({
      bid_cents: 40_000,
      premium_cents: 4_000,
      tax_cents: 4_000,
      surcharge_cents: 1_440,
      transport_cents: Math.round(far.distance_miles! * 50),
    })
    await api.sql`update sources set premium_percent = null where source = 'gsa'`
    const unknown = (await read(`${asked}&buyer_zip=35801&cost_per_mile=1`)).your_costs!
    await api.sql`update sources set premium_percent = 10 where source = 'gsa'`
    expect(unknown.at_next).toMatchObject({
      premium_cents: null,
      total_cents: 40_000 + unknown.at_next!.transport_cents!,
    })
    await api.sql`update lots set latitude = null, longitude = null where id = ${lots.priced}`
    const nowhere = (await read(`${asked}&buyer_zip=35801&cost_per_mile=1`)).your_costs!
    expect([nowhere.distance_miles, nowhere.at_next!.transport_cents]).toEqual([null, null])
    await api.sql`update lots set value_grade = 'words' where id = ${lots.priced}`
    const guess = (await read(`${asked}&tax_percent=5`)).your_costs!
    await api.sql`update lots set value_grade = 'comparables' where id = ${lots.priced}`
    expect([guess.limit_cents, guess.at_next!.left_cents, guess.at_next!.tax_cents]).toEqual([
      null,
      null,
      2_000,
    ])
  })

  it.each([
    ["one listing's comps", 'listing_id', 'listing_id=LOT'],
    ["an item's comps", 'item', 'item=ford-f-150'],
    ['comps of a title', 'q', 'q=truck'],
    ['comps of several titles', 'titles', 'titles=truck&titles=van'],
    ['a title that is no text', 'q', 'q=%ff'],
    ['a listing by a malformed id', 'listing_id', 'listing_id=0'],
    ['a mix with an item', 'item', 'item=&category=cars'],
    ['the costs of a buyer', 'buyer_zip', 'category=vehicles&buyer_zip=60601'],
  ])('403 when a free key asks for %s', async (_what, parameter, query) => {
    const key = await api.makeKey('free', { monthly: 5 })
    const { status, body, headers } = await api.get(
      `${PATH}?${query.replace('LOT', lots.priced)}`,
      { key },
    )
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.error).toBe(
      `The parameter "${parameter}" needs a Pro key; this key is on the Free plan.`,
    )
    expect(body.upgrade).toBe('http://surplus.test/pricing')
    expect(headers['ratelimit-remaining']).toBe('4')
  })

  it.each(['pro', 'pro_plus', 'enterprise'] as const)(
    '200 when a key of plan %s asks by listing or item',
    async plan => {
      const key = await api.makeKey(plan)
      for (const query of [`listing_id=${lots.priced}`, 'item=ford-f-150']) {
        expect((await api.get(`${PATH}?${query}`, { key })).status).toBe(200)
      }
    },
  )

  const noneOf = (what: string) => `No sale of ${what} known from the last 365 days`
  const untracked = (nearest: string) =>
    `This item is not tracked. Did you mean "${nearest}"? See the list of tracked items.`

  it.each([
    ['category=real-estate', `${noneOf('real-estate is')}.`],
    ['state=zz', `${noneOf('ZZ is')}.`],
    ['category=vehicles&state=PR', `${noneOf('vehicles in PR is')}.`],
    [
      'item=chair',
      'Only 4 sales of "chair" are known from the last 365 days; statistics need at least 5.',
    ],
    ['item=toyota-tacoma', `${noneOf('"toyota-tacoma" is')}; statistics need at least 5.`],
    ['item=chair&state=zz', `${noneOf('"chair" in ZZ is')}; statistics need at least 5.`],
    ['item=F150', untracked('ford-f-150')],
    ['item=chiar', untracked('chair')],
    [
      'listing_id=00000000-0000-3000-8000-000000000000',
      'No listing has the id "00000000-0000-3000-8000-000000000000".',
    ],
    [
      'listing_id=UNKNOWN',
      'No value is known for this listing. Nothing like it was sold. Use its category instead.',
    ],
  ])('404 with a sentence that says why for ?%s', async (query, error) => {
    const asked = `${PATH}?${query.replace('UNKNOWN', lots.unknown)}`
    expect(refusalOf(await api.get(asked))).toBe(`404 not_found: ${error}`)
  })

  it('404 for an item that is not tracked, without a slug where none is spelled almost like it', async () => {
    for (const item of ["'", '😀', '%25', 'no-such-item', 'x'.repeat(100), 'fork-f-999']) {
      const { status, body } = await api.get(`${PATH}?item=${encodeURIComponent(item)}`)
      expect([item, status]).toEqual([item, 404])
      expect(body.error).toBe('This item is not tracked. See the list of tracked items.')
    }
  })
})

describe('getComps by title', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let lot: string
  const TITLE = '2016 Ford F-150 XL crew cab pickup truck'
  const prices = Array.from({ length: 12 }, (_, n) => 900_000 + n * 10_000)
  const truckSales = (cents: number[]): SaleDraft[] =>
    cents.map((final_bid_cents, n) => ({
      ...truck,
      title: TITLE,
      final_bid_cents,
      sold_at: fromNow(-(n + 1) * DAY),
    }))

  /**
   * The process that estimates is started by the first title; until it has read the sales, calls
   * may be refused.
   */
  async function ask(title: string) {
    for (;;) {
      const response = await api.get(`${PATH}?q=${encodeURIComponent(title)}`)
      if (response.status !== 503) return response
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    }
  }

  it('404 while no sale is known', async () => {
    expect(refusalOf(await api.get(`${PATH}?q=truck`))).toBe(
      '404 not_found: No sale of the last 365 days is known yet, so no title can be valued.',
    )
  })

  it('200 with the same comparables, statistics and appraisal as for a listing of this title', async () => {
    // The category of titles that say nothing has sales too.
    const other = { category: 'other', title: 'Assorted brackets', sold_at: fromNow(-DAY) }
    await insertSales(api.sql, [...truckSales(prices), { ...other, final_bid_cents: 5_000 }])
    const lots = await insertLots(api.sql, [
      { slug: 'truck', source: 'hud', title: TITLE, category: 'vehicles', item: 'ford-f-150' },
    ])
    lot = lots[0]!
    await api.sql`update sources set premium_percent = 0 where source = 'hud'`
    await rescore(api.sql, { now: NOW })
    const { status, body } = await ask(TITLE)
    const ofListing = (await api.get(`${PATH}?listing_id=${lot}`)).body.data as Schemas['Comps']
    expect([status, body.data]).toEqual([200, { ...ofListing, listing_id: null }])
    expect(body.data).toMatchObject({
      stats_of: 'comparables',
      sold_count: 12,
      resale_margin: null,
    })
    expect(body.data.comparables[0].similarity).toBe(1)
    expect(body.data.appraisal.projected_close_cents).toBe(
      body.data.appraisal.estimated_value_cents,
    )
  })

  it('200 however it is written', async () => {
    const { body } = await ask('  2016 FORD F150 xl "Crew Cab" pickup; truck!  ')
    expect(body.data.sold_count).toBe(12)
  })

  it('200 for several titles with an entry each, in order, as one call; one without a value fails nothing', async () => {
    const key = await api.makeKey('pro', { monthly: 50 })
    const left = async () => {
      const { headers } = await api.get(`${PATH}?q=${TITLE}`, { key })
      return Number(headers['ratelimit-remaining'])
    }
    const one = (await ask(TITLE)).body.data as Schemas['Comps']
    const before = await left()
    const query = ['zzyzx qwvx', TITLE, 'zzyzx qwvx'].map(
      title => `titles=${encodeURIComponent(title)}`,
    )
    const { status, body } = await api.get(`${PATH}?${query.join('&')}`, { key })
    expect(before - (await left()), 'this call and the next one').toBe(2)
    const { sold_count, median_cents, min_cents, max_cents, price_basis, confidence } = one
    const { comparables, stats_of, appraisal } = one
    const numbers = {
      sold_count,
      median_cents,
      min_cents,
      max_cents,
      price_basis,
      real: one.real,
      confidence,
    }
    const valued = { title: TITLE, ...numbers, comparables, stats_of, appraisal, reason: null }
    const none = {
      ...Object.fromEntries(Object.keys(valued).map(name => [name, null])),
      title: 'zzyzx qwvx',
      sold_count: 0,
      real: { count: 0, median_cents: null },
      comparables: [],
      reason: expect.stringContaining('No value is known for this title'),
    }
    expect([status, body]).toEqual([200, { data: one, titles: [none, valued, none] }])
    expect((await api.read(`${PATH}?q=${TITLE}`)).titles).toBeNull()
  })

  it('200 with the statistics of all sales where no title has a value', async () => {
    const { body } = await api.get(`${PATH}?titles=zzyzx&titles=qwvx`)
    const sold_count = body.data.sold_count
    expect(body.data).toMatchObject({ comparables: null, appraisal: null })
    expect(sold_count).toBe(prices.length + 1)
    expect(body.titles.map(({ appraisal }: { appraisal: null }) => appraisal)).toEqual([null, null])
  })

  it.each([
    "'",
    '   ',
    '😀',
    '%',
    '\\',
    'zzyzx qwvx',
    'x'.repeat(200),
    "'; drop table lots --",
    '\u202e',
  ])('404 for words that nothing sold has: %s', async title => {
    const { status, body } = await ask(title)
    expect([status, body.code]).toEqual([404, 'not_found'])
    expect(body.error).toContain('No value is known for this title')
  })

  itUsesItsParameters(
    'getComps',
    async () => {
      const ofBuyer = (one: string, other: string): [string, string] => [
        `listing_id=${lot}&${one}`,
        `listing_id=${lot}&${other}`,
      ]
      await api.sql`update lots set latitude = 34.73, longitude = -86.59 where id = ${lot}`
      const laptop = { category: 'electronics', item: 'laptop', title: 'Dell Latitude laptop' }
      const sale = { ...laptop, final_bid_cents: 20_000, sold_at: fromNow(-DAY) }
      await insertSales(api.sql, [
        ...Array(6).fill(sale),
        ...Array(6).fill({ ...sale, state: 'TX' }),
      ])
      const [other] = await insertLots(api.sql, [{ slug: 'laptop', ...laptop }])
      await rescore(api.sql, { now: NOW })
      return {
        listing_id: [`listing_id=${lot}`, `listing_id=${other}`],
        q: [`q=${TITLE}`, `q=${laptop.title}`],
        titles: [`titles=${TITLE}`, `titles=${laptop.title}`],
        item: ['item=ford-f-150', 'item=laptop'],
        category: ['category=vehicles', 'category=electronics'],
        state: ['category=electronics', 'category=electronics&state=TX'],
        buyer_zip: ofBuyer('cost_per_mile=1&buyer_zip=60601', 'cost_per_mile=1&buyer_zip=35801'),
        cost_per_mile: ofBuyer(
          'buyer_zip=60601&cost_per_mile=1',
          'buyer_zip=60601&cost_per_mile=2',
        ),
        tax_percent: ofBuyer('tax_percent=5', 'tax_percent=8.25'),
        surcharge_percent: ofBuyer('surcharge_percent=0', 'surcharge_percent=3'),
        resale_cost_percent: ofBuyer('resale_cost_percent=12', 'resale_cost_percent=15'),
        margin_percent: ofBuyer('margin_percent=25', 'margin_percent=40'),
        fixed_cost_cents: ofBuyer('fixed_cost_cents=0', 'fixed_cost_cents=15000'),
      }
    },
    async query => {
      await expect.poll(async () => (await api.get(`${PATH}?${query}`)).status).toBe(200)
      const { data }: { data: Schemas['Comps'] } = await api.read(`${PATH}?${query}`)
      return [data.sold_count, data.median_cents, data.comparables, data.your_costs]
    },
  )

  it('200 with the new prices after another estimate of all lots', async () => {
    const before = (await ask(TITLE)).body.data.appraisal.estimated_value_cents
    await insertSales(api.sql, truckSales(prices.map(cents => cents * 3)))
    await rescore(api.sql, { now: NOW })
    const { appraisal, sold_count } = (await ask(TITLE)).body.data
    expect(sold_count).toBe(24)
    expect(appraisal.estimated_value_cents).toBeGreaterThan(before * 1.3)
  })

  it('200 from the sales before while new ones are being stored', async () => {
    await api.sql`
      insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy) values (${NOW}, '3', 24, '{}', '{}')`
    expect((await ask(TITLE)).body.data.sold_count).toBe(24)
  })
})
