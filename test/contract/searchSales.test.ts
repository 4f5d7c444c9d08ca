import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { linksOf } from '../support/contract/links.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertSales,
  NOW,
  type SaleDraft,
} from '../support/lots/fixtures.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/sales'

/** By name, so that tests can say what they expect. Two of them share price, bids and moment. */
const SALES = {
  truck: {
    title: '2013 FORD F-150 XL',
    category: 'vehicles',
    item: 'ford-f-150',
    state: 'OH',
    city: 'DAYTON',
    final_bid_cents: 585_000,
    num_bids: 17,
    price_basis: 'last_observed',
    sold_at: new Date('2026-10-02T04:59:59Z'),
  },
  pickup: {
    title: 'Ford F150 pickup',
    category: 'vehicles',
    item: 'ford-f-150',
    state: 'TX',
    source: 'mibid',
    final_bid_cents: 210_001,
    num_bids: 4,
    sold_at: new Date('2024-03-01T00:00:00Z'),
  },
  forklift: {
    title: 'Hyster forklifts, two',
    category: 'heavy-equipment',
    item: 'forklift',
    state: 'TX',
    final_bid_cents: 90_000,
    num_bids: 9,
    sold_at: fromNow(-30 * DAY),
  },
  chairs: {
    title: 'Lot of chairs',
    category: 'office-furniture',
    final_bid_cents: 1,
    sold_at: fromNow(-DAY),
  },
  desks: {
    title: 'Lot of desks',
    category: 'office-furniture',
    final_bid_cents: 1,
    sold_at: fromNow(-DAY),
  },
} satisfies Record<string, SaleDraft>
type Name = keyof typeof SALES
const NAMES = Object.keys(SALES) as Name[]

describe('searchSales', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let ids: Record<Name, string>
  /** The two that tie, by id. */
  let tied: Name[]

  beforeAll(async () => {
    const drafts: (SaleDraft & { slug: string })[] = NAMES.map(name => ({
      ...SALES[name],
      slug: name,
    }))
    const inserted = await insertSales(api.sql, drafts)
    ids = Object.fromEntries(NAMES.map((name, n) => [name, inserted[n]])) as Record<Name, string>
    tied = (['chairs', 'desks'] as Name[]).sort((a, b) => (ids[a] < ids[b] ? -1 : 1))
    // The same lot on another site, where an earlier bid was the last one seen.
    await insertSales(api.sql, [{ ...SALES.truck, source: 'mibid', final_bid_cents: 500_000 }])
    await insertLots(api.sql, [
      {
        slug: 'live',
        title: 'Ford F-150 that is live',
        item: 'ford-f-150',
        current_bid_cents: 100,
      },
      {
        slug: 'unsold',
        title: 'Ford F-150 unsold',
        is_open: false,
        outcome: 'unsold',
        ends_at: fromNow(-HOUR),
      },
    ])
  })

  const search = (query = ''): Promise<Schemas['SalePage']> => api.read(`${PATH}?${query}`)

  const namesOf = ({ data }: Schemas['SalePage']) =>
    data.map(({ id }) => NAMES.find(name => ids[name] === id) ?? id)

  it('200 with a sale as the source wrote it, its price and basis, and where it is', async () => {
    expect((await search('state=OH')).data).toEqual([
      {
        id: ids.truck,
        title: '2013 FORD F-150 XL',
        category: 'vehicles',
        item: 'ford-f-150',
        source: 'gsa',
        source_name: 'GSA Auctions',
        state: 'OH',
        city: 'DAYTON',
        price_cents: 585_000,
        price_basis: 'last_observed',
        num_bids: 17,
        sold_at: '2026-10-02T04:59:59Z',
        bidprowl_url: 'http://surplus.test/listings/truck',
        source_url: 'https://auctions.example/lots/truck',
      },
    ])
  })

  it('200 with every sale, of any time, and each lot once; nothing live or unsold', async () => {
    const page = await search()
    expect(namesOf(page)).toEqual([...tied, 'forklift', 'truck', 'pickup'])
    expect(page).toMatchObject({ page: 1, per_page: 20, total: 5, total_pages: 1 })
  })

  it.each<[string, Name[]]>([
    ['q=f150', ['truck', 'pickup']],
    ['q=F-150', ['truck', 'pickup']],
    ['q=forklift', ['forklift']],
    ['q=ford+-2013', ['pickup']],
    ['q=pickups', ['truck', 'pickup']],
    ['q=%22lot+of%22&state=TX', []],
    ['q=---', []],
    ['q=-ford', ['forklift', 'chairs', 'desks']],
    ['q=forklift+or+-lot', ['truck', 'pickup', 'forklift']],
    ['category=vehicles', ['truck', 'pickup']],
    ['category=vehicles&q=-2013', ['pickup']],
    ['category=office-furniture&q=lot', ['chairs', 'desks']],
    ['category=electronics&q=truck', []],
    ['category=vehicles&q=the', []],
    ['state=tx', ['forklift', 'pickup']],
    ['source=mibid', ['pickup']],
    ['source=nowhere', []],
    ['item=ford-f-150', ['truck', 'pickup']],
    ['item=ford-f-150&state=TX', ['pickup']],
    ['price_min=5850', ['truck']],
    ['price_min=5850.01', []],
    ['price_min=900&price_max=2100.01', ['forklift', 'pickup']],
    ['price_max=2100&price_min=0.02', ['forklift']],
    ['sold_after=2026-10-02', ['chairs', 'desks', 'forklift', 'truck']],
    ['sold_after=2026-10-03&q=truck', []],
    ['sold_before=2026-10-02', ['pickup']],
    ['sold_after=2024-03-01&sold_before=2024-03-02', ['pickup']],
    ['sold_before=2024-03-01', []],
    ['sold_after=0000-01-01&sold_before=9999-12-31&q=f150', ['truck', 'pickup']],
    ['sold_after=2024-02-29&category=vehicles&q=ford&price_max=6000&source=gsa', ['truck']],
  ])('200 with the sales of ?%s', async (query, names) => {
    const page = await search(query)
    expect(namesOf(page).toSorted()).toEqual(names.toSorted())
    expect(page.total).toBe(names.length)
  })

  it.each<[Schemas['SaleSort'], (tied: Name[]) => Name[]]>([
    ['newest', tied => [...tied, 'forklift', 'truck', 'pickup']],
    ['oldest', tied => ['pickup', 'truck', 'forklift', ...tied]],
    ['price_low', tied => [...tied, 'forklift', 'pickup', 'truck']],
    ['price_high', tied => ['truck', 'pickup', 'forklift', ...tied]],
    ['most_bids', tied => ['truck', 'forklift', 'pickup', ...tied]],
  ])('200 in the order %s, equal ones by id, page by page', async (sort, order) => {
    expect(namesOf(await search(`sort=${sort}`))).toEqual(order(tied))
    const pages = []
    for (const page of [1, 2, 3]) pages.push(await search(`sort=${sort}&per_page=2&page=${page}`))
    expect(pages.flatMap(namesOf)).toEqual(order(tied))
    expect(pages.map(({ total, total_pages }) => [total, total_pages])).toEqual([
      [5, 3],
      [5, 3],
      [5, 3],
    ])
  })

  it('200 with the pages around a page in Link, and an empty page after the last', async () => {
    const second = linksOf(await api.get(`${PATH}?q=ford+or+lot+or+forklift&per_page=2&page=2`))
    const page = (n: number) =>
      `http://surplus.test/api/v1/sales?q=ford+or+lot+or+forklift&per_page=2&page=${n}`
    expect(second).toMatchObject({ first: page(1), prev: page(1), next: page(3), last: page(3) })
    expect(await search('page=200')).toMatchObject({ data: [], page: 200, total: 5 })
  })

  it('200 without sales, and with the nearest words that find some under the same filters', async () => {
    const suggested = async (query: string) => {
      const { total, suggestion } = await search(query)
      expect(total).toBe(0)
      return suggestion
    }
    expect(await suggested('q=forklfit')).toEqual({ q: 'forklift', total: 1 })
    expect(await suggested('q=ford+zanzibar')).toEqual({ q: 'ford', total: 2 })
    expect(await suggested('q=ford+zanzibar&state=OH&page=3')).toEqual({ q: 'ford', total: 1 })
    expect(await suggested('q=forklfit&state=OH')).toBeNull()
    expect(await suggested('state=WY')).toBeNull()
    expect((await search('q=ford')).suggestion).toBeNull()
    expect((await search('q=ford&page=200')).suggestion).toBeNull()
  })

  it('200 with a new sale at once, in the total too: a change of the data empties the cache', async () => {
    const query = 'category=electronics'
    expect(await search(query)).toMatchObject({ total: 0 })
    const [id] = await insertSales(api.sql, [
      { category: 'electronics', final_bid_cents: 500, sold_at: fromNow(-HOUR) },
    ])
    expect((await search(query)).total).toBe(1)
    await api.sql`update lots set category = 'other', sold_at = null, price_basis = null where id = ${id!}`
    expect((await search(query)).total).toBe(0)
  })

  itRefusesParameters(api, PATH, {
    q: ['q=', `q=${'x'.repeat(201)}`],
    category: ['category=cars'],
    state: ['state=ILL'],
    price_min: ['price_min=-1', 'price_min=1e3', 'price_min=2&price_max=1'],
    price_max: ['price_max=1000000001'],
    sold_after: ['sold_after=2026-02-30', 'sold_after=2026-13-01', 'sold_after=2025-02-29'],
    sold_before: [
      ...['sold_before=2026-10-2', 'sold_before=yesterday', 'sold_before=2026-10-02T00:00:00Z'],
      ...[
        'sold_after=2026-10-02&sold_before=2026-10-02',
        'sold_after=2026-10-02&sold_before=2026-10-01',
      ],
    ],
    sort: ['sort=best_deals'],
    page: ['page=0', 'page=201'],
    per_page: ['per_page=51'],
    item: ['item=', `item=${'x'.repeat(101)}`],
    zip: ['zip=62701'],
  })

  it.each([
    ['ford-f150', 'ford-f-150'],
    ['Forklift', 'forklift'],
    ["ford-f-150'", 'ford-f-150'],
  ])('404 with the nearest item for item=%s', async (slug, nearest) => {
    expect(refusalOf(await api.get(`${PATH}?item=${encodeURIComponent(slug)}`))).toBe(
      `404 not_found: This item is not tracked. Did you mean "${nearest}"? See the list of tracked items.`,
    )
  })

  itUsesItsParameters(
    'searchSales',
    () => ({
      q: ['', 'q=f150'],
      category: ['', 'category=vehicles'],
      state: ['', 'state=TX'],
      source: ['', 'source=mibid'],
      item: ['', 'item=ford-f-150'],
      price_min: ['', 'price_min=5850'],
      price_max: ['', 'price_max=2100'],
      sold_after: ['', 'sold_after=2026-10-02'],
      sold_before: ['', 'sold_before=2026-10-02'],
      sort: ['', 'sort=oldest'],
      page: ['per_page=2', 'per_page=2&page=2'],
      per_page: ['', 'per_page=2'],
    }),
    async query => namesOf(await search(query)),
  )
})
