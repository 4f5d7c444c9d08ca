import { beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES } from '../../src/pages/kit/format.ts'
import {
  DAY,
  fromNow,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
  type SaleDraft,
} from '../support/lots/fixtures.ts'
import { percentilesOf } from '../support/lots/soldStats.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const EVIL = 'Ford F-150 <script>alert(1)</script>'

const TRUCK = { category: 'vehicles', item: 'ford-f-150' } as const

/** 40 trucks over ten months, dearer in Texas than in Ohio, and one far above all others. */
const TRUCKS: SaleDraft[] = Array.from({ length: 40 }, (_, n) => ({
  title: n === 1 ? EVIL : `2014 Ford F-150 number ${n}`,
  ...TRUCK,
  vehicle_year: n < 20 ? 2014 : 2001 + n,
  state: n % 4 === 0 ? 'OH' : 'TX',
  sold_at: fromNow(-(n + 1) * 7 * DAY),
  final_bid_cents: n === 39 ? 9_912_300 : 312_917 + (n % 10) * 50_000 + (n % 4 === 0 ? 0 : 100_000),
}))
const MEDIAN = '$6,100'

const api = serviceFor({ now: NOW })

let trucks: string[]

beforeAll(async () => {
  trucks = await insertSales(api.sql, [
    ...TRUCKS,
    {
      title: 'Ford F-150, too old',
      item: 'ford-f-150',
      sold_at: fromNow(-400 * DAY),
      final_bid_cents: 100,
    },
    { title: 'Forklift', item: 'forklift', sold_at: fromNow(-DAY), final_bid_cents: 500_000 },
  ])
  await insertLots(api.sql, [
    { ...TRUCK, slug: 'live', title: 'Ford F-150 on offer', state: 'TX', flip_score: 71 },
    { ...TRUCK, slug: 'better', title: 'Ford F-150, a deal', state: 'NY', flip_score: 90 },
    {
      slug: 'other',
      title: 'Ford F-150 tires',
      category: 'vehicles',
      item: 'tires-wheels',
      state: 'TX',
    },
    { slug: 'over', title: 'Ford F-150, over', item: 'ford-f-150', ends_at: fromNow(-1) },
  ])
})

/** Rounded to two digits, as pages write it. */
const twoDigits = (cents: number) => Number((cents / 100).toPrecision(2)).toLocaleString('en-US')
/** The slugs of the lots that a page shows, in order. */
const lotsOn = (html: string) =>
  [...html.matchAll(/<h3 dir="auto"><a href="\/listings\/([^"]*)"/g)].map(([, slug]) => slug)
const open = (path: string) => readPage(api.address + path)

function structured(html: string): Record<string, unknown>[] {
  const [, json = '{"@graph":[]}'] =
    /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)['@graph']
}

describe('the page of an item', () => {
  it('answers what it sells for: the median price, the middle half and the number of sales, rounded to two digits', async () => {
    const { p25_cents, p50_cents, p75_cents } = percentilesOf(TRUCKS)
    const [low, middle, high] = [p25_cents, p50_cents, p75_cents].map(
      cents => `$${twoDigits(cents)}`,
    )
    expect(middle).toBe(MEDIAN)
    const { status, html, words } = await open('/prices/ford-f-150')
    expect(status).toBe(200)
    expect(html).toContain(
      '<h1 dir="auto">What does a Ford F-150 sell for at government auctions?</h1>',
    )
    expect(words).toContain(
      `The median of 40 sales in the last 365 days is about ${MEDIAN}; half of them sold for ${low} to ${high}.`,
    )
    expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/prices/ford-f-150">`)
    expect(html).not.toContain('noindex')
  })

  it('shows no exact amount of a sale', async () => {
    const { html } = await open('/prices/ford-f-150')
    for (const { final_bid_cents } of TRUCKS)
      for (const amount of [final_bid_cents, final_bid_cents / 100])
        expect(html).not.toMatch(new RegExp(`\\b${amount}\\b`))
    expect(html).not.toMatch(/\$3,129\.17|\$99,123/)
  })

  it('counts every sale in one bar of the histogram, and scales the bars to the axis', async () => {
    const { html } = await open('/prices/ford-f-150')
    const [, drawing = ''] = /aria-labelledby="spread-words"([\s\S]*?)<\/figure>/.exec(html) ?? []
    const bars = [...drawing.matchAll(/height="([\d.]+)%"><title>(\d+) sales?, ([^<]*)</g)]
    expect(bars.reduce((sum, [, , sales]) => sum + Number(sales), 0)).toBe(40)
    const [, most] = /class="scale"[^>]*><span>(\d+)</.exec(html) ?? []
    for (const [, height, sales] of bars)
      expect(Number(height)).toBeCloseTo((Number(sales) / Number(most)) * 100, 1)
    expect(bars.at(-1)![3]).toMatch(/^\$[\d,]+ or more$/)
    expect(drawing).toMatch(/<text x="[\d.]+%" y="182">\$[\d,]+<\/text>/)
  })

  it('begins the histogram near the lowest prices: the first bar holds what sold for less', async () => {
    const prices = Array.from({ length: 21 }, (_, n) => (n === 0 ? 5_000 : 900_000 + n * 10_000))
    await insertSales(
      api.sql,
      prices.map(final_bid_cents => ({
        item: 'excavator',
        sold_at: fromNow(-DAY),
        final_bid_cents,
      })),
    )
    const { html } = await open('/prices/excavator')
    const bars = [...html.matchAll(/%"><title>(\d+) sales?, ([^<]*)</g)]
    expect(bars[0]!.slice(1)).toEqual(['2', 'under $9,200'])
    expect(bars.reduce((sum, [, sales]) => sum + Number(sales), 0)).toBe(21)
    expect(html).toContain('y="182">$9,200</text>')
    expect(html).toMatch(/First bar: under \$[\d,]+\. Last bar: \$[\d,]+ and up\./)
  })

  it('widens the steps of prices that differ much, and names the price of one piece', async () => {
    await insertSales(
      api.sql,
      Array.from({ length: 20 }, (_, n) => ({
        item: 'laptop',
        is_piece: n < 10,
        sold_at: fromNow(-DAY),
        final_bid_cents: 1_000 * 2 ** (n / 2),
      })).map(sale => ({ ...sale, final_bid_cents: Math.round(sale.final_bid_cents) })),
    )
    const { html, words } = await open('/prices/laptop')
    const ranges = [...html.matchAll(/%"><title>\d+ sales?, ([^<]*)</g)].map(([, range]) => range)
    expect(ranges.slice(0, 3)).toEqual(['under $20', '$20 to $30', '$30 to $50'])
    expect(ranges.at(-1)).toBe('$5,000 or more')
    expect(words).toContain('Single items: about $48 (10 sales).')
  })

  it('has the median price of each month and state with at least five sales', async () => {
    const { words } = await open('/prices/ford-f-150')
    const texas = TRUCKS.filter(({ state }) => state === 'TX')
    const middle = twoDigits(percentilesOf(texas).p50_cents)
    expect(words).toContain(`Texas 30 $${middle} Ohio 10 `)
    // Sold every seventh day: some months have four sales, some five.
    const inMonth = (month: string) =>
      TRUCKS.filter(({ sold_at }) => sold_at.toISOString().startsWith(month))
    expect(inMonth('2026-06')).toHaveLength(4)
    expect(words).toContain('Jun 2026: too few sales (4 sales)')
    const august = inMonth('2026-08')
    expect(august).toHaveLength(5)
    const price = twoDigits(percentilesOf(august).p50_cents)
    expect(words).toContain(`Aug 2026: $${price} (5 sales)`)
  })

  it('has the median price of each model year with at least five sales', async () => {
    const { words } = await open('/prices/ford-f-150')
    const middle = twoDigits(percentilesOf(TRUCKS.slice(0, 20)).p50_cents)
    expect(words).toContain(`Model year Sales Median price 2014 20 $${middle} `)
    expect(words).not.toContain('2021 1 ')
  })

  it('has a page for each model year, linked from the item and in the sitemap; 404 for a year of which nothing is known', async () => {
    const { html: item } = await open('/prices/ford-f-150')
    expect(item).toContain('<a href="/prices/ford-f-150/2014">2014</a>')
    const { html, words } = await open('/prices/ford-f-150/2014')
    expect(words).toContain('What does a 2014 Ford F-150 sell for at government auctions?')
    const middle = twoDigits(percentilesOf(TRUCKS.slice(0, 20)).p50_cents)
    expect(words).toContain(`The median of 20 sales in the last 365 days is about $${middle};`)
    expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/prices/ford-f-150/2014">`)
    expect((await open('/prices/ford-f-150/1950')).status).toBe(404)
  })

  it('lists the latest sales below the likely band of their own value, each with its page, its title as plain text', async () => {
    const worth = [2, 2.5, 1.5, 4]
    for (const [n, factor] of worth.entries())
      await insertAppraisal(api.sql, {
        lot_id: trucks[n]!,
        estimated_value_cents: Math.round(TRUCKS[n]!.final_bid_cents * factor),
        grade: n === 3 ? 'few' : 'comparables',
      })
    const { html, words } = await open('/prices/ford-f-150')
    const listed = [...html.matchAll(/<tr><td><a href="(\/listings\/[^"]*)">([^<]*)</g)]
    expect(listed.map(([, , title]) => title)).toEqual([
      EVIL.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ])
    expect(words).toMatch(/TX, Nov 7, 2026 \$\S+ 60% below its estimate/)
    expect((await open(listed[0]![1]!)).status).toBe(200)
    expect(html).not.toContain('<script>alert')
  })

  it('shows the live lots of the item and no others, the best score first, and is linked from them', async () => {
    expect((await open('/listings/live')).html).toContain('<a href="/prices/ford-f-150">')
    const { html, words } = await open('/prices/ford-f-150')
    expect(words).toContain('2 live lots now')
    expect(lotsOn(html)).toEqual(['better', 'live'])
  })

  it('describes itself to search engines as statistics, with no offer', async () => {
    const { html } = await open('/prices/ford-f-150')
    const [trail, data] = structured(html)
    expect(trail).toMatchObject({ '@type': 'BreadcrumbList' })
    expect(data).toMatchObject({ '@type': 'Dataset', url: `${PUBLIC_URL}/prices/ford-f-150` })
    expect(data!.variableMeasured).toContainEqual({
      '@type': 'PropertyValue',
      name: 'Median price',
      value: 6100,
      unitText: 'USD',
    })
    expect(html).not.toMatch(/"(Offer|AggregateOffer|Product)"/)
  })

  it('says where sales are too few, and is then not listed by search engines without a live lot', async () => {
    const { html, words } = await open('/prices/forklift')
    expect(words).toContain('Only 1 sale from the last 365 days: too few to name a price.')
    expect(html).not.toContain('<figure')
    expect(html).toContain('<meta name="robots" content="noindex">')
    expect((await open('/prices/centrifuge')).words).toContain(
      'No sale is known from the last 365 days',
    )
  })
})

describe('the index of prices', () => {
  it('lists every item of the API by category, with rounded medians, and leads to those with a sale or a lot', async () => {
    const { html, words } = await open('/prices')
    const { body } = await api.get('/api/v1/items')
    for (const { slug, name, sold_count, live_count } of body.data) {
      expect(words).toContain(name)
      // An empty page is not worth the way.
      expect([slug, html.includes(`href="/prices/${slug}"`)]).toEqual([
        slug,
        sold_count + live_count > 0,
      ])
    }
    const states = [...html.matchAll(/href="\/lots\/([^"]*)"/g)].map(([, state]) => state)
    expect(states).toEqual(['new-york', 'texas'])
    expect(words).toContain('Ford F-150 $6,100 40 sold, 2 live')
    expect(words).toContain('Forklift – 1 sold, 0 live')
    const [line = ''] = /<b>\$6,100<\/b> (<svg.*?<\/svg>)/.exec(html) ?? []
    expect(line).toMatch(/aria-label="Medians by month: \$[\d,]+ to \$[\d,]+"/)
    expect(line.match(/\d+,\d+/g)!.length).toBeGreaterThan(2)
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  })
})

describe('the page of a state and a category', () => {
  it('shows the live lots there, and what such lots sold for', async () => {
    const { html, words } = await open('/lots/texas/vehicles')
    expect(html).toContain('<h1 dir="auto">Government surplus auctions in Texas: Vehicles</h1>')
    expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/lots/texas/vehicles">`)
    expect(words).toMatch(
      /2 live lots, the best scores first .* The median of 30 sales in the last 365 days is/,
    )
    expect(lotsOn(html)).toEqual(['live', 'other'])
    expect((await open('/lots/texas')).words).toContain('Vehicles 2')
    expect((await open('/lots/new-york/vehicles')).words).toContain('1 live lot, the best')
  })

  it('is there for each category too, with its states, and the front page leads to it', async () => {
    for (const category of Object.keys(CATEGORIES)) {
      const { status, html } = await open(`/lots/${category}`)
      expect([
        status,
        html.includes(`rel="canonical" href="${PUBLIC_URL}/lots/${category}"`),
      ]).toEqual([200, true])
    }
    const { html, words } = await open('/lots/vehicles')
    expect(html).toContain(
      '<title>Government surplus auctions: Vehicles · Surplus Auction Data</title>',
    )
    expect(html).toContain(
      'name="description" content="Government surplus auctions: Vehicles. 3 live lots now.',
    )
    expect(words).toContain('New York 1 Texas 2')
    expect(html).toContain('<a href="/lots/texas/vehicles">')
  })

  it('says so where nothing is live and nothing was sold, and is then not listed by search engines', async () => {
    const { status, html, words } = await open('/lots/wyoming/real-estate')
    expect([
      status,
      words.includes('No live lots now They appear once a source offers some.'),
    ]).toEqual([200, true])
    expect(words).toContain('No sale is known from the last 365 days')
    expect(html).toContain('<meta name="robots" content="noindex">')
  })
})

it.each([
  ['/prices/nothing', 'No prices are collected for this item.'],
  ...['atlantis', 'texas/cars', 'vehicles/texas', 'constructor', 'texas/constructor'].map(place => [
    `/lots/${place}`,
    '',
  ]),
])('404 for %s', async (path, said = '') => {
  const { status, words } = await open(path)
  expect([status, words]).toEqual([404, expect.stringContaining(said)])
})

describe('search engines', () => {
  it('find the items with a price or a live lot, and the markets with live lots, in the sitemap', async () => {
    expect((await open('/sitemap.xml')).html).toContain(`${PUBLIC_URL}/sitemaps/prices.xml`)
    const { html: listed } = await open('/sitemaps/prices.xml')
    const paths = [...listed.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) =>
      loc!.slice(PUBLIC_URL.length),
    )
    expect(paths).toEqual([
      '/prices/ford-f-150',
      '/prices/excavator',
      '/prices/laptop',
      '/prices/tires-wheels',
      '/prices/ford-f-150/2014',
      ...Object.keys(CATEGORIES).map(category => `/lots/${category}`),
      '/lots/new-york',
      '/lots/texas',
      '/lots/new-york/vehicles',
      '/lots/texas/vehicles',
    ])
    for (const path of paths) expect((await open(path)).html).not.toContain('noindex')
  })

  it('may read the pages of prices and markets', async () => {
    const { html: robots } = await open('/robots.txt')
    const closed = [...robots.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path!)
    for (const path of ['/prices', '/prices/ford-f-150', '/lots/texas/vehicles'])
      expect(closed.filter(prefix => path.startsWith(prefix))).toEqual([])
  })

  it('are kept away from prices of demo data', async () => {
    const site = await forOneTest(start({ now: NOW, linksToItself: true }))
    await insertSales(site.sql, TRUCKS)
    expect((await readPage(`${site.address}/prices/ford-f-150`)).html).not.toContain('noindex')
    site.deps.data.kind = 'demo'
    for (const path of ['/prices', '/prices/ford-f-150', '/lots/texas']) {
      const { html } = await readPage(site.address + path)
      expect([path, html.includes('noindex'), html.includes('ld+json')]).toEqual([
        path,
        true,
        false,
      ])
    }
  })
})
