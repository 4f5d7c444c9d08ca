import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import type { Sql } from '../../src/infra/postgres/database.ts'
import { linksOf } from '../support/contract/links.ts'
import { outdateAnswers } from '../support/database/database.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  type LotDraft,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { around, milesBetween } from '../support/lots/places.ts'
import {
  CHICAGO,
  FILTER_PAIRS,
  FINDINGS,
  GARY,
  insertSearchWorld,
  WORDS,
} from '../support/lots/searchWorld.ts'
import { insertSortable, orderedIds, SORTS } from '../support/lots/sortable.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { callsOf } from '../support/service/usage.ts'

const PATH = '/api/v1/listings'
const BARROW = { zip: '99723', latitude: 71.2346, longitude: -156.8174 }

type Page = Schemas['ListingPage']

describe('searchListings', () => {
  /** Six live lots. */
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  /** Crowds of lots, each in a source of its own. */
  const crowds = serviceFor({ now: NOW })

  beforeAll(() => insertSearchWorld(api.sql))

  const search = (query: string, of = api): Promise<Page> => of.read(`${PATH}?${query}`)

  /** Adds live lots of a new source. */
  async function insertCrowd(source: string, lots: LotDraft[]): Promise<string[]> {
    await crowds.sql`insert into sources (source, name, access) values (${source}, ${source}, 'test')`
    return insertLots(
      crowds.sql,
      lots.map(lot => ({ source, ...lot })),
    )
  }

  it.each(FINDINGS)('200 with the live lots of ?%s: %j', async (query, found) => {
    const page = await search(query)
    expect(slugsOf(page)).toEqual(found)
    expect(page).toMatchObject({ page: 1, per_page: 20, total: found.length })
    expect(page.total_pages).toBe(found.length === 0 ? 0 : 1)
  })

  it.each(WORDS)('200 with the live lots of the words %j: %j', async (words, found) => {
    expect(slugsOf(await search(`q=${encodeURIComponent(words)}`))).toEqual(found)
    if (!/[+&]/.test(words)) {
      expect(
        slugsOf(await search(`q=${words.replaceAll(' ', '+').replaceAll('%', '%25')}`)),
      ).toEqual(found)
    }
  })

  it('200 with the best match first: the words together in the title, then all in title or what was read, then elsewhere; by end', async () => {
    const lots: [title: string, more?: object][] = [
      ['Pallet of hoses', { description: 'For a fire pump.' }],
      ['Pump for a fire engine', {}],
      ['Engine, diesel', { description: 'Of the old fire house', item: 'pump' }],
      ['Hose reel', { item: 'fire-pump' }],
      ['Fire pumps, portable', {}],
      ['Waterous fire pump', {}],
      ['Crane of a fire tug', { city: 'Pump' }],
      ['Fire extinguisher', { category: 'vehicles' }],
    ]
    await insertCrowd(
      'best',
      lots.map(([title, more], n) => ({
        slug: `best-${n}`,
        title,
        ends_at: fromNow((n + 1) * HOUR),
        ...more,
      })),
    )
    const found = async (query: string) =>
      slugsOf(await search(`source=best&${query}`, crowds)).map(slug => slug.slice(5))
    expect(await found('q=fire+pump')).toEqual(['4', '5', '1', '3', '0', '2', '6'])
    expect(await found('q=fire+pump&sort=ending_soon')).toEqual(['1', '4', '5', '3', '0', '2', '6'])
    expect(await found('q=fire+pump&per_page=2&page=2')).toEqual(['1', '3'])
    expect(await found('q=fire+-pump')).toEqual(['7'])
    expect(await found('q=extinguisher+or+waterous')).toEqual(['5', '7'])
    expect(await found('q=%22pump+for+a+fire%22')).toEqual(['1'])
    expect(await found('q=vehicle')).toEqual(['7'])
  })

  it('200 with lots by what means the same, and by the number of the source', async () => {
    await insertCrowd(
      'same',
      [
        { slug: 'f150', title: '2014 Ford F-150 XL', item: 'ford-f-150' },
        { slug: 'f150-tires', title: 'Tires for Ford F-150', item: 'tires-wheels' },
        { slug: 'number', title: 'Desk', source_id: '3-1-QSC-I-27-150-005' },
      ].map((lot, n) => ({ ends_at: fromNow((n + 1) * HOUR), ...lot })),
    )
    const found = async (words: string) =>
      slugsOf(await search(`source=same&q=${encodeURIComponent(words)}`, crowds))
    expect(await found('ford trucks')).toEqual(['f150'])
    expect(await found('ford -pickup')).toEqual(['f150-tires'])
    expect(await found('f150')).toEqual(['f150', 'f150-tires'])
    expect(await found('3-1-QSC-I-27-150-005')).toEqual(['number'])
    expect(await found('150')).toEqual(['f150', 'f150-tires'])
  })

  it('200 without lots, and with the nearest spelling that finds some as suggestion and related link', async () => {
    const related = async (query: string) => {
      const answer = await api.get(`${PATH}?${query}`)
      expect(answer.body.total).toBe(0)
      const { related } = linksOf(answer)
      const { suggestion } = answer.body
      if (related === undefined) expect(suggestion).toBeNull()
      else {
        expect(suggestion.q).toBe(new URL(related).searchParams.get('q'))
        expect(suggestion.total).toBe((await api.get(related.replace(PUBLIC_URL, ''))).body.total)
        expect(suggestion.total).toBeGreaterThan(0)
      }
      return related
    }
    expect(await related('q=forklfit')).toBe(`${PUBLIC_URL}${PATH}?q=forklift&page=1`)
    expect(await related('q=toyota+frklift&page=3')).toBe(
      `${PUBLIC_URL}${PATH}?q=toyota+forklift&page=1`,
    )
    expect(await related('q=Chevrolett+-truck')).toBe(
      `${PUBLIC_URL}${PATH}?q=chevrolet+-truck&page=1`,
    )
    expect(await related('q=forklfit&state=TX')).toBeUndefined()
    expect(await related('q=zzzzzzzz')).toBeUndefined()
    expect(await related('state=ZZ')).toBeUndefined()
    const found = await api.get(`${PATH}?q=forklift`)
    expect([found.body.total, linksOf(found).related, found.body.suggestion]).toEqual([
      1,
      undefined,
      null,
    ])
  })

  it('200 with the lots that end within the hours asked for, at any moment', async () => {
    const within = async (hours: number) => slugsOf(await search(`closing_within_hours=${hours}`))
    expect(await within(1)).toEqual(['truck'])
    expect(await within(3)).toEqual(['truck', 'van', 'forklift'])
    expect(await within(8760)).toEqual(['truck', 'van', 'forklift', 'laptops', 'screen'])
    api.clock.now = fromNow(HOUR - 1)
    expect(await within(1)).toEqual(['truck', 'opens-in-a-second'])
    api.clock.now = fromNow(HOUR)
    expect(await within(1)).toEqual(['van'])
    expect((await search('closing_within_hours=1&q=van')).total).toBe(1)
  })

  it('200 with a lot by its own title, however that is written', async () => {
    const titles = [
      ...['A/C unit, 12V-24V 50/60Hz', 'NSN 5820-01-451-8250', '3.5" floppy', 'R&D', 'a1b2c3d4'],
      ...[
        'under_score',
        '½-ton pickup',
        'naïve café',
        'cafe\u0301 chair',
        '中文发电机 5KW',
        'm² of carpet',
      ],
      ...['75% cotton', 'E=mc²', 'http://example.com/foo?bar=1', 'user@example.com', '1,500 kg'],
      ...['F-150-XL-4x4', 'O’Neil', '𝔘nicode', '#12-34'],
    ]
    await insertCrowd(
      'titles',
      titles.map((title, n) => ({ slug: `title-${n}`, title })),
    )
    for (const title of titles) {
      const { data } = await search(`source=titles&q=${encodeURIComponent(title)}`, crowds)
      expect([title, data.map(lot => lot.title)]).toEqual([title, [title]])
    }
  })

  it('200 with the same Listing as /listings/{id}, but for its description, auction and publisher, and null for distance_miles without zip', async () => {
    for (const listing of (await search('')).data) {
      expect(listing.distance_miles).toBeNull()
      const {
        description,
        auction,
        publisher_changed_at,
        earlier_listings: _,
        ...detail
      } = (await api.get(`${PATH}/${listing.id}`)).body.data
      expect(detail).toEqual(listing)
      expect(description, 'of a single lot only').toBeDefined()
      expect(auction, 'of a single lot only').toBeDefined()
      expect(publisher_changed_at, 'of a single lot only').toBeDefined()
    }
  })

  it('200 with lots that are live by the clock, not by the last load', async () => {
    const found = async (now: Date) => {
      api.clock.now = now
      return slugsOf(await search('category=vehicles'))
    }
    expect(await found(fromNow(-1))).toEqual(['ends-now', 'truck', 'van'])
    expect(await found(fromNow(999))).toEqual(['truck', 'van'])
    expect(new Set(await found(fromNow(1000)))).toEqual(
      new Set(['truck', 'opens-in-a-second', 'van']),
    )
    expect(await found(fromNow(HOUR))).toEqual(['van'])
    expect(await found(fromNow(2 * HOUR))).toEqual([])
    const statuses = (await search('')).data.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(['live']))
  })

  it('200 with the miles from the ZIP code in distance_miles, to one decimal', async () => {
    const { data } = await search('zip=60601')
    const miles = data.map(({ distance_miles }) => distance_miles)
    expect(miles[0]).toBe(0)
    expect(Math.abs(miles[1]! - milesBetween(CHICAGO, GARY))).toBeLessThanOrEqual(0.05)
  })

  it.each([
    ['60601', CHICAGO, '', 50],
    ['60601', CHICAGO, '&radius_miles=1', 1],
    ['60601', CHICAGO, '&radius_miles=200', 200],
    [BARROW.zip, BARROW, '&radius_miles=200', 200],
  ])(
    '200 with the lots inside the radius and none outside: %s %o%s',
    async (zip, center, radius, miles) => {
      const source = `radius-${zip}-${miles}`
      await insertCrowd(source, [
        ...around(center, miles - 0.1).map((place, n) => ({ slug: `inside-${n}`, ...place })),
        ...around(center, miles + 0.1).map((place, n) => ({ slug: `outside-${n}`, ...place })),
      ])
      const page = await search(`source=${source}&zip=${zip}${radius}`, crowds)
      expect(slugsOf(page).sort()).toEqual(['inside-0', 'inside-1', 'inside-2', 'inside-3'])
      for (const { distance_miles } of page.data) expect(distance_miles).toBeCloseTo(miles - 0.1, 5)
    },
  )

  it.each(SORTS)(
    '200 sorted by %s, nulls last and ties by id, over pages that neither overlap nor skip',
    async sort => {
      const source = `sorted-${sort.replace('_', '-')}`
      const lots = await insertSortable(crowds.sql, source)
      const ids: string[] = []
      for (let page = 1; page <= 6; page++) {
        const query = `source=${source}&sort=${sort}&per_page=5&page=${page}`
        const { data, total, total_pages } = await search(query, crowds)
        expect([total, total_pages]).toEqual([lots.length, 6])
        ids.push(...data.map(({ id }) => id))
      }
      expect(ids).toEqual(orderedIds(lots, sort))
    },
  )

  it.each(SORTS)(
    '200 sorted by %s with group=sale: the first of each group, once, with the number of its others, over all pages',
    async sort => {
      const source = `grouped-${sort.replace('_', '-')}`
      const lots = await insertSortable(crowds.sql, source)
      // All end in one auction day, so that lots 0, 5, 10 … are alike, as are 1, 6, 11 …
      for (const [n, { id }] of lots.entries())
        await crowds.sql`
          update lots
          set title = ${`Dell monitor ${n % 5}`}, state = 'OH', city = 'Dayton',
            ends_at = ${fromNow(DAY + (n % 3) * MINUTE)}
          where id = ${id}`
      const groupOf = new Map(lots.map(({ id }, n) => [id, n % 5]))
      const order = orderedIds(
        lots.map((lot, n) => ({ ...lot, ends_at: fromNow(DAY + (n % 3) * MINUTE) })),
        sort,
      )
      const firsts = order.filter(
        (id, at) => order.findIndex(other => groupOf.get(other) === groupOf.get(id)) === at,
      )
      for (const words of ['', '&q=monitor']) {
        const found: [string, number][] = []
        for (let page = 1; page <= 3; page++) {
          const query = `source=${source}&sort=${sort}&group=sale&per_page=2&page=${page}${words}`
          const { body, headers } = await crowds.get(`${PATH}?${query}`)
          expect([body.total, body.total_pages]).toEqual([5, 3])
          expect(headers.link).toMatch(/page=3[^>]*>; rel="last"/)
          found.push(...body.data.map(({ id }: { id: string }, n: number) => [id, body.twins[n]]))
        }
        expect(found).toEqual(firsts.map(id => [id, groupOf.get(id)! < 2 ? 5 : 4]))
      }
      const all = await search(`source=${source}&sort=${sort}&group=none`, crowds)
      expect([all.total, all.twins]).toEqual([27, null])
      const past = await search(`source=${source}&sort=${sort}&group=sale&page=9`, crowds)
      expect([past.total, past.data, past.twins]).toEqual([5, [], []])
    },
  )

  it('200 with group=sale: alike are the letters of the title, the source, the day of the end, and the auction or place', async () => {
    const saw = { title: 'Band-saw, 14 in', state: 'NV', zip: '89101', ends_at: fromNow(7 * DAY) }
    const of = (auction: string) => ({ auction_id: auction, auction_name: auction })
    await insertLots(crowds.sql, [
      { ...saw, slug: 'saw-1' },
      {
        ...saw,
        slug: 'saw-2',
        title: 'BAND SAW 14 IN.',
        zip: '89101-2345',
        current_bid_cents: 500,
      },
      { ...saw, slug: 'saw-of-another-title', title: 'Band saw, 15 in' },
      { ...saw, slug: 'saw-of-another-source', source: 'govdeals' },
      { ...saw, slug: 'saw-elsewhere', zip: '89501' },
      { ...saw, slug: 'saw-of-another-day', ends_at: fromNow(8 * DAY) },
      { ...saw, ...of('A'), slug: 'saw-of-a-1' },
      { ...saw, ...of('A'), slug: 'saw-of-a-2', zip: '89501' },
      { ...saw, ...of('B'), slug: 'saw-of-b' },
      { ...saw, slug: 'saw-without-state', state: null },
      { ...saw, slug: 'saw-without-state-2', state: null },
    ])
    const groups = await search('q=saw&group=sale&sort=price_low&per_page=50', crowds)
    const twins = Object.fromEntries(slugsOf(groups).map((slug, n) => [slug, groups.twins![n]]))
    expect(groups.total).toBe(9)
    expect(twins['saw-2'], 'the first in the order stands for the others').toBe(1)
    expect(Object.values(twins).sort().join('')).toBe('000000011')
    expect(
      (await search('q=saw&group=sale&price_max=5', crowds)).twins,
      'only those that match',
    ).toEqual([0])
  })

  it('400 for an export by groups: it has every lot', async () => {
    const key = await api.makeKey('enterprise')
    const { status, body } = await api.get('/api/v1/export?group=sale', { key })
    expect([status, body.error]).toEqual([400, expect.stringContaining('"group"')])
  })

  it('200 by default with page 1, 20 a page, those that end soonest first', async () => {
    await insertSortable(crowds.sql, 'defaults')
    const page = await search('source=defaults', crowds)
    expect(page).toEqual(
      await search('source=defaults&page=1&per_page=20&sort=ending_soon', crowds),
    )
    expect(page.data).toHaveLength(20)
  })

  it('200 with an empty page and the true total past the end', async () => {
    for (const query of ['page=2', 'page=200', 'page=200&per_page=50']) {
      expect(await search(query)).toMatchObject({ data: [], total: 6, total_pages: 1 })
    }
    const second = await search('page=2&per_page=5')
    expect(second).toMatchObject({ page: 2, per_page: 5, total: 6, total_pages: 2 })
    expect((await search('page=6&per_page=1')).data).toHaveLength(1)
  })

  it('200 with addresses in Link that lead through all pages, with the filters kept', async () => {
    const q = 'ford? or van or chair or laptops or "écran & plat"'
    const asked = `${PATH}?${new URLSearchParams({ q, per_page: '2' })}`
    const first = await api.get(asked)
    const links = linksOf(first)
    expect(Object.keys(links)).toEqual(['terms-of-service', 'first', 'next', 'last'])

    const visited: string[] = []
    let next: string | undefined = asked
    while (next) {
      const answer = await api.get(next.replace(PUBLIC_URL, ''))
      expect(answer.status).toBe(200)
      visited.push(...slugsOf(answer.body))
      next = linksOf(answer).next
    }
    expect(visited).toEqual(['truck', 'van', 'laptops', 'screen', 'chair'])
    const last = await api.get(links.last!.replace(PUBLIC_URL, ''))
    expect(last.body.page).toBe(3)
    expect(Object.keys(linksOf(last))).toEqual(['terms-of-service', 'first', 'prev', 'last'])
    const before = await api.get(linksOf(last).prev!.replace(PUBLIC_URL, ''))
    expect(before.body.page).toBe(2)
    const back = await api.get(linksOf(before).first!.replace(PUBLIC_URL, ''))
    expect(back.body).toEqual(first.body)
  })

  it('200 with a way back from a page past the end, and none past page 200', async () => {
    expect(linksOf(await api.get(`${PATH}?page=150`)).prev).toBe(`${PUBLIC_URL}${PATH}?page=1`)
    expect(linksOf(await api.get(`${PATH}?q=nothing&page=3`)).last).toBe(
      `${PUBLIC_URL}${PATH}?q=nothing&page=1`,
    )
    await crowds.sql`
      insert into lots (source, source_id, slug, title, category, source_url, is_open, observed_at)
      select 'hud', n, 'many-' || n, 'One of many', 'other', 'https://auctions.example', true, now()
      from generate_series(1, 201) as n`
    const many = await crowds.get(`${PATH}?source=hud&per_page=1&page=200`)
    expect(many.body).toMatchObject({ total: 201, total_pages: 201, page: 200 })
    expect(linksOf(many)).toMatchObject({
      last: `${PUBLIC_URL}${PATH}?source=hud&per_page=1&page=200`,
    })
    expect(linksOf(many).next, 'page 201 cannot be asked for').toBeUndefined()
    expect((await search('source=hud&per_page=50', crowds)).data).toHaveLength(50)
  })

  it.each([
    ['q', ['x'.repeat(201), '%00', 'ford%00', '%ff', '%', '%zz', '%c3%28', '%ed%a0%80']],
    ['category', ['cars', 'Vehicles', 'vehicles,other', 'vehicles%20']],
    ['state', ['I', 'ILL', '1L', '--', '%C3%84%C3%96', 'IL%0A']],
    ['source', ['x'.repeat(65)]],
    ['zip', ['6060', '606011', 'ABCDE', '60601-', '60601-12', '60601-12345', '606 01', '٦٠٦٠١']],
    ['zip', ['99999', '00000', '60601%0A']],
    [
      'radius_miles',
      ['0', '201', '-1', '1.5', '1e2', '0x10', '%201', '%2B1', '01', '1.0', 'far', '9999999999'],
    ],
    [
      'price_min',
      ['-1', '-0.01', '1e3', '1e309', '0x10', 'NaN', 'Infinity', '.5', '5.', '1,000', '$5'],
    ],
    ['price_min', ['1000000000.01']],
    ['price_max', ['-1', '1e-7', 'ten', '%201', '1%20', '00', '9'.repeat(400)]],
    ['sort', ['cheapest', 'PRICE_LOW', 'price_low,price_high', 'id;drop table lots']],
    ['closing_within_hours', ['0', '-1', '8761', '1.5', '24h', 'soon', '1e2']],
    ['min_flip_score', ['-1', '101', '50.5', 'high', '0x10']],
    ['ends_before', ['today', '2026-02-30', '2026-1-1', '2026-11-24T00:00:00Z']],
    ['vehicle_year_min', ['1899', '2101', '2015.5', 'new']],
    ['vehicle_year_max', ['1899', '2101', '15']],
    ['odometer_max', ['-1', '2000001', '1.5', '100k']],
    ['hours_max', ['-1', '200001', '4500.5']],
    ['runs', ['1', '0', 'yes', 'null']],
    ['no_bids', ['1', '0', 'TRUE', 'yes', 'null', '%20true']],
    ['buy_now', ['1', '0', 'False', 'on', 'undefined']],
    ['page', ['0', '-1', '201', '1.5', 'one', '1e1', '99999999999999999999']],
    ['per_page', ['0', '-1', '51', '20.0', 'all', 'Infinity']],
  ])('400 naming %s when it is empty, given twice or one of %j', async (name, values) => {
    const others = [name, `${name}=1&${name}=1`, `${name}=&${name}=`]
    for (const query of [...others, ...['', ...values].map(value => `${name}=${value}`)]) {
      const { status, body } = await api.get(`${PATH}?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'invalid_request'])
      expect(body.error).toContain(`"${name}"`)
    }
  })

  it.each([
    ['q', ['x', 'x'.repeat(200), '😀'.repeat(200).slice(0, 400)]],
    ['state', ['DC', 'PR', 'GU', 'VI', 'AS', 'MP', 'dc']],
    ['radius_miles', ['1', '200']],
    ['price_min', ['0', '0.5', '1000000000', '999999999.999999999']],
    ['closing_within_hours', ['1', '8760']],
    ['min_flip_score', ['0', '100']],
    ['value_min', ['0', '0.5', '1000000000']],
    ['vehicle_year_min', ['1900', '2100']],
    ['vehicle_make', ['F', 'Mercedes-Benz']],
    ['auction', ['x', 'x'.repeat(200)]],
    ['ends_before', ['2026-12-01']],
    ['page', ['1', '200']],
    ['per_page', ['1', '50']],
    ['sort', [...SORTS]],
  ])('200 at the bounds of %s: %j', async (name, values) => {
    for (const value of values) await search(`${name}=${encodeURIComponent(value)}`)
  })

  it.each([
    ['catgory=vehicles', 'Unknown parameter "catgory". Did you mean "category"?'],
    ['Category=vehicles', 'Unknown parameter "Category". Did you mean "category"?'],
    ['perpage=5', 'Unknown parameter "perpage". Did you mean "per_page"?'],
    ['radius=5', 'Unknown parameter "radius".'],
    ['q[]=ford', 'Unknown parameter "q[]". Did you mean "q"?'],
    ['__proto__=1', 'Unknown parameter "__proto__".'],
    ['constructor=1', 'Unknown parameter "constructor".'],
    ['=1', 'Unknown parameter "".'],
    [`${'x'.repeat(1000)}=1`, `Unknown parameter "${'x'.repeat(40)}…".`],
    ['page=1&q=ford&limit=5', 'Unknown parameter "limit".'],
  ])(
    '400 for the unknown parameter in ?%.60s, naming the nearest known one',
    async (query, error) => {
      const { status, body } = await api.get(`${PATH}?${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
      expect(body.error).toContain(error)
    },
  )

  it.each([
    [
      'vehicle_year_min=2016&vehicle_year_max=2015',
      '"vehicle_year_min" (2016) must not be above "vehicle_year_max" (2015).',
    ],
    [
      'price_min=10.02&price_max=10.01',
      '"price_min" (10.02) must not be above "price_max" (10.01).',
    ],
    ['sort=nearest&state=IL', '"sort" can be nearest only with a "zip" to measure from.'],
  ])('400 for parameters that contradict each other: ?%s', async (query, error) => {
    expect(refusalOf(await api.get(`${PATH}?${query}`))).toBe(`400 invalid_request: ${error}`)
  })

  it('200 nearest first, and those of one place by id', async () => {
    const source = 'nearest'
    const miles = [90, 7, 33, 7, 150, 0, 33, 7]
    const ids = await insertCrowd(
      source,
      miles.map((far, n) => ({ slug: `near-${n}`, ...around(CHICAGO, far)[0] })),
    )
    const expected = ids.toSorted((a, b) => {
      const farther = miles[ids.indexOf(a)]! - miles[ids.indexOf(b)]!
      return farther === 0 ? (a < b ? -1 : 1) : farther
    })
    const found: string[] = []
    for (let page = 1; page <= 3; page++) {
      const query = `source=${source}&zip=60601&radius_miles=200&sort=nearest&per_page=3&page=${page}`
      found.push(...(await search(query, crowds)).data.map(({ id }) => id))
    }
    expect(found).toEqual(expected)
  })

  it('200 with the lots of ?ids= in that order, past ones too, each once, and the names of none; one call', async () => {
    const key = await api.makeKey('free', { owner: 'ids' })
    const id = (await api.read(`${PATH}/van`)).data.id as string
    const { body } = await api.get(`${PATH}?ids=sold,${id.toUpperCase()},no-lot,truck,van,%3F`, {
      key,
    })
    expect(slugsOf(body)).toEqual(['sold', 'van', 'truck'])
    const { data, ...page } = body
    expect(page).toEqual({
      page: 1,
      per_page: 3,
      total: 3,
      total_pages: 1,
      suggestion: null,
      twins: null,
      missing: ['no-lot', '?'],
    })
    expect(data[1]).toEqual((await search('q=van')).data[0])
    expect(data[0].status).toBe('sold')
    await expect.poll(() => callsOf(api.sql, 'ids')).toBe(1)
    const none = {
      data: [],
      page: 1,
      per_page: 0,
      total: 0,
      total_pages: 0,
      suggestion: null,
      twins: null,
      missing: ['no-lot'],
    }
    expect(await search('ids=no-lot')).toEqual(none)
    expect((await search('q=van')).missing).toBeNull()
    expect((await search(`ids=${Array(50).fill(id)}`)).total).toBe(1)
  })

  it.each([
    ['ids=a&page=1', '"ids" goes with no other parameter: leave out "page".'],
    ['category=vehicles&ids=a', '"ids" goes with no other parameter: leave out "category".'],
    [`ids=${Array(51).fill('a')}`, '"ids" must be 1 to 50 ids or slugs, separated by commas.'],
    ['ids=a,', '"ids" must be 1 to 50 ids or slugs, separated by commas.'],
    ['ids=', '"ids" must be 1 to 50 ids or slugs, separated by commas.'],
  ])('400 for ?%.40s', async (query, error) => {
    expect(refusalOf(await api.get(`${PATH}?${query}`))).toBe(`400 invalid_request: ${error}`)
  })

  it('503 internal_error when the database takes too long, and the month gets the call back', async () => {
    const key = await api.makeKey('free', { owner: 'slow' })
    await outdateAnswers(api.sql)
    await api.sql.begin(async transaction => {
      await transaction`lock table lots in access exclusive mode`
      const { status, body, headers } = await api.get(PATH, { key })
      expect([status, body.code]).toEqual([503, 'internal_error'])
      expect(body.error).toBe(
        'The database took too long to answer. Try again shortly, or request less.',
      )
      expect(headers['retry-after']).toBe('1')
    })
    await expect.poll(() => callsOf(api.sql, 'slow')).toBe(0)
  })

  itUsesItsParameters(
    'searchListings',
    async () => ({
      ...FILTER_PAIRS,
      group: await twoGuitars(api.sql),
      page: ['per_page=2', 'per_page=2&page=2'],
      per_page: ['', 'per_page=2'],
      ids: ['', 'ids=van,truck'],
    }),
    async query => slugsOf(await search(query)),
  )
})

/** Two lots that are alike in one sale, and queries that find both, and one. */
async function twoGuitars(sql: Sql): Promise<[string, string]> {
  const guitar = { title: 'Guitar', state: 'TN' }
  await insertLots(sql, [
    { ...guitar, slug: 'guitar-1' },
    { ...guitar, slug: 'guitar-2' },
  ])
  return ['q=guitar', 'q=guitar&group=sale']
}

function slugsOf({ data }: Page): string[] {
  return data.map(({ bidprowl_url }) => bidprowl_url.split('/').at(-1)!)
}
