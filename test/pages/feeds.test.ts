import { beforeAll, describe, expect, it } from 'vitest'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })
let ids: string[]

beforeAll(async () => {
  ids = await insertLots(api.sql, [
    {
      slug: 'old',
      title: 'Old <lot> & "co" \u0001',
      category: 'vehicles',
      state: 'TX',
      current_bid_cents: 12_345,
      num_bids: 2,
      flip_score: 70,
      limit_cents: 30_000,
      verdict: 'room',
      value_grade: 'few',
      approximate_value_cents: 64_000,
      starts_at: fromNow(-9 * HOUR),
    },
    { slug: 'new', category: 'vehicles', starts_at: fromNow(-HOUR) },
    { slug: 'chair', category: 'office-furniture', starts_at: fromNow(-2 * HOUR) },
    { slug: 'over', ends_at: fromNow(-1) },
    { slug: 'gone', is_open: false, outcome: 'withdrawn' },
  ])
})

const read = (path: string) => readPage(api.address + path)

describe('the feeds of a search', () => {
  it('200 as RSS 2.0, the newest live lots first, everything escaped', async () => {
    const { status, headers, html } = await read('/feeds/listings.rss?category=vehicles')
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/rss+xml; charset=utf-8',
    ])
    expect(html).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0"/)
    expect([...html.matchAll(/<link>([^<]*)</g)].map(([, address]) => address)).toEqual([
      `${PUBLIC_URL}/search?category=vehicles`,
      `${PUBLIC_URL}/listings/new`,
      `${PUBLIC_URL}/listings/old`,
    ])
    expect(html).toContain('<title>Old &lt;lot&gt; &amp; &quot;co&quot; </title>')
    expect(html).toContain(`<guid isPermaLink="false">${ids[0]}</guid>`)
    expect(html).toContain('<pubDate>Sat, 21 Nov 2026 00:30:00 GMT</pubDate>')
    expect(html).toContain(
      'Current bid $123.45, 2 bids. Ends Nov 22, 2026, 9:30 AM UTC. Typical price about $640, rough: from the words of the title, beside similar sales. Room up to $300; Flip Score 70 of 100. TX, GSA Auctions.',
    )
    expect(html).toContain(
      '<atom:link href="http://surplus.test/feeds/listings.rss?category=vehicles" rel="self"',
    )
  })

  it('200 as JSON Feed 1.1 with the same lots', async () => {
    const { status, headers, html } = await read('/feeds/listings.json?category=vehicles')
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/feed+json; charset=utf-8',
    ])
    const feed = JSON.parse(html)
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Live surplus lots: Vehicles',
      home_page_url: `${PUBLIC_URL}/search?category=vehicles`,
      feed_url: `${PUBLIC_URL}/feeds/listings.json?category=vehicles`,
    })
    expect(feed.items.map((item: { url: string }) => item.url)).toEqual([
      `${PUBLIC_URL}/listings/new`,
      `${PUBLIC_URL}/listings/old`,
    ])
    expect(feed.items[1]).toMatchObject({
      id: ids[0],
      external_url: 'https://auctions.example/lots/old',
      date_published: '2026-11-21T00:30:00Z',
      tags: ['vehicles'],
    })
  })

  it('gives no date where the source does not say when bidding began', async () => {
    const [id] = await insertLots(api.sql, [
      { slug: 'undated', category: 'military-surplus', starts_at: '-infinity' },
    ])
    const rss = (await read('/feeds/listings.rss?category=military-surplus')).html
    expect(rss).toContain(`<guid isPermaLink="false">${id}</guid>`)
    expect(rss).not.toContain('pubDate')
    const { items } = JSON.parse(
      (await read('/feeds/listings.json?category=military-surplus')).html,
    )
    expect(items[0]).toMatchObject({ id })
    expect(items[0]).not.toHaveProperty('date_published')
    await api.sql`delete from lots where id = ${id!}`
  })

  it('has the newest lots first, and with words the best match', async () => {
    await insertLots(api.sql, [
      {
        slug: 'beside',
        title: 'Hose',
        description: 'Fits a fire pump.',
        category: 'other',
        starts_at: fromNow(-1),
      },
      { slug: 'pump', title: 'Fire pump', category: 'other' },
    ])
    const found = async (query: string) =>
      JSON.parse((await read(`/feeds/listings.json?category=other&${query}`)).html).items.map(
        (item: { title: string }) => item.title,
      )
    expect(await found('')).toEqual(['Hose', 'Fire pump'])
    expect(await found('q=pump')).toEqual(['Fire pump', 'Hose'])
    expect(await found('q=pump&sort=newest')).toEqual(['Fire pump', 'Hose'])
    await api.sql`delete from lots where category = 'other'`
  })

  it('keeps the order and the length that it is asked for', async () => {
    const { html } = await read('/feeds/listings.json?sort=price_low&per_page=1')
    expect(JSON.parse(html).items.map((item: { id: string }) => item.id)).toEqual([ids[0]])
  })

  it('200 at the address of a search that was a sentence, or shows a compact list', async () => {
    for (const query of ['q=chair&price_max=9&sentence=chair+under+9', 'view=compact'])
      expect((await read(`/feeds/listings.rss?${query}`)).status, query).toBe(200)
  })

  it('304 while its lots stay the same', async () => {
    for (const path of ['/feeds/listings.rss', '/feeds/listings.json']) {
      const { headers } = await read(path)
      api.clock.now = fromNow(60_000)
      const again = await readPage(api.address + path, { 'If-None-Match': headers.get('etag')! })
      expect([path, again.status]).toEqual([path, 304])
    }
  })
})

it.each(['/feeds/listings.rss?state=TX', '/feeds/listings.json?state=TX', '/listings/old/end.ics'])(
  'a reader that knows If-Modified-Since alone gets 304 since %s is as it is, and each change however soon',
  async path => {
    const since = async (moment: string) => {
      const { status, headers, html } = await readPage(api.address + path, {
        'If-Modified-Since': moment,
      })
      return { status, moment: headers.get('last-modified')!, html }
    }
    const first = await read(path)
    let moment = first.headers.get('last-modified')!
    expect(new Date(moment).toUTCString()).toBe(moment)
    const before = first.html
    for (const ends_at of [fromNow(20 * HOUR), fromNow(21 * HOUR), fromNow(24 * HOUR)]) {
      expect(await since(moment)).toMatchObject({ status: 304, moment, html: '' })
      await api.sql`update lots set ends_at = ${ends_at} where slug = 'old'`
      const changed = await since(moment)
      expect([changed.status, Date.parse(changed.moment)]).toEqual([200, expect.any(Number)])
      expect(Date.parse(changed.moment)).toBeGreaterThan(Date.parse(moment))
      moment = changed.moment
    }
    expect((await read(path)).html.length).toBe(before.length)
  },
)

describe('the sitemap', () => {
  const locations = (xml: string) =>
    [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address!)

  it('200 for the index and its parts, which hold every live lot once and no other', async () => {
    const index = await read('/sitemap.xml')
    expect([index.status, index.headers.get('content-type')]).toEqual([
      200,
      'application/xml; charset=utf-8',
    ])
    const parts = locations(index.html)
    // The pages, the prices, and the lots by the first digit of their ids.
    expect(parts).toHaveLength(18)
    const addresses: string[] = []
    for (const part of parts) {
      const { status, html } = await read(part.replace(PUBLIC_URL, ''))
      expect([part, status]).toEqual([part, 200])
      addresses.push(...locations(html))
    }
    const lots = addresses.filter(address => address.includes('/listings/'))
    expect(lots.toSorted()).toEqual(
      ['chair', 'new', 'old'].map(slug => `${PUBLIC_URL}/listings/${slug}`),
    )
    for (const address of addresses.filter(one => !lots.includes(one))) {
      expect([address, (await read(address.replace(PUBLIC_URL, '') || '/')).status]).toEqual([
        address,
        200,
      ])
    }
  })

  it('404 for a part that does not exist', async () => {
    for (const part of ['g', '00', '', 'A']) {
      expect((await read(`/sitemaps/listings-${part}.xml`)).status).toBe(404)
    }
  })

  it('robots.txt names it, and keeps robots from endless searches', async () => {
    const { html, headers } = await read('/robots.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(html).toContain(`Sitemap: ${PUBLIC_URL}/sitemap.xml`)
    expect(html).toContain('Disallow: /search?')
  })

  it('robots may read whatever the catalog of the API names', async () => {
    const { html } = await read('/robots.txt')
    const rules = [...html.matchAll(/^(Allow|Disallow): (\S+)$/gm)].map(([, kind, path]) => ({
      kind,
      path: path!,
    }))
    // The longest rule wins (RFC 9309, 2.2.2).
    const isOpen = (path: string) =>
      rules
        .filter(rule => path.startsWith(rule.path))
        .sort((a, b) => b.path.length - a.path.length)[0]?.kind !== 'Disallow'
    const catalog = (await read('/.well-known/api-catalog')).html
    const paths = [...catalog.matchAll(/"href":"([^"]+)"/g)].map(
      ([, href]) => new URL(href!).pathname,
    )
    expect(paths).toContain('/api/v1/mcp/server-card')
    expect(paths.filter(path => path !== '/api/v1/mcp' && !isOpen(path))).toEqual([])
    expect(isOpen('/api/v1/listings')).toBe(false)
  })
})
