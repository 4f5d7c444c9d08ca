import { beforeAll, describe, expect, it } from 'vitest'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { FINDINGS_OF_EACH, insertSearchWorld, WORDS } from '../support/lots/searchWorld.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const slugsOf = (html: string) =>
  [...html.matchAll(/<h3 dir="auto"><a href="\/listings\/([^"?]*)[^"]*"/g)].map(([, slug]) => slug)

/** The fields of the form beside the lists of values. */
const FIELDS = [
  ...[
    'closing_within_hours',
    'hours_max',
    'min_flip_score',
    'odometer_max',
    'price_max',
    'price_min',
    'q',
  ],
  ...[
    'radius_miles',
    'runs',
    'sort',
    'vehicle_make',
    'vehicle_year_max',
    'vehicle_year_min',
    'zip',
  ],
]

/** The lists of values beside a search: the words, the number and the address of each. */
const facetsOf = (html: string) =>
  [...html.matchAll(/<section class="facet"><h2>(\w+)<\/h2>(.*?)<\/section>/gs)].map(
    ([, title, list]) => [
      title,
      [
        ...list!.matchAll(/<li><a href="([^"]*)"[^>]*>([^<]*)<\/a> <span class="quiet">([\d,]+)</g),
      ].map(
        ([, href, words, lots]) => [words, Number(lots), href!.replaceAll('&amp;', '&')] as const,
      ),
    ],
  ) as [title: string, values: (readonly [words: string, lots: number, address: string])[]][]

const api = serviceFor({ now: NOW })

beforeAll(async () => {
  await insertSearchWorld(api.sql)
})

const search = (query: string) => readPage(`${api.address}/search?${query}`.replace(/\?$/, ''))

describe('lots that are alike in one sale', () => {
  const own = serviceFor({ now: NOW })
  const monitor = {
    title: 'Dell 24" Monitor',
    state: 'IL',
    zip: '60601',
    category: 'electronics' as const,
  }

  beforeAll(async () => {
    const alike = Array.from({ length: 43 }, (_, n) => ({
      ...monitor,
      slug: `monitor-${n}`,
      ends_at: fromNow(HOUR + n),
    }))
    await insertLots(own.sql, [
      ...alike,
      { ...monitor, slug: 'of-an-auction', auction_id: 'A', auction_name: 'A' },
      { ...monitor, slug: 'of-an-auction-2', auction_id: 'A', auction_name: 'A' },
      { ...monitor, slug: 'keyboard', title: 'Keyboard' },
    ])
  })

  it('are one card with a link to all of them in a search for words', async () => {
    for (const path of [
      '/search?q=dell&state=IL&sort=ending_soon&view=compact',
      '/search?q=monitor&category=electronics',
    ]) {
      const { html } = await readPage(own.address + path)
      expect(
        slugsOf(html).filter(slug => slug?.startsWith('monitor')),
        path,
      ).toHaveLength(1)
      expect(html).toContain('and 42 more like it in this sale</a>')
      const hrefs = [...html.matchAll(/<p class="twins"><a href="([^"]*)"/g)].map(([, href]) =>
        href!.replaceAll('&amp;', '&'),
      )
      const totals = hrefs.map(
        async href => (await readPage(own.address + href)).words.match(/(\d+) live lots/)?.[1],
      )
      // The address has no place: those of the auction have the same words.
      expect((await Promise.all(totals)).toSorted(), path).toEqual(['2', '45'])
    }
  })

  it('lead back to the search that shows one of them, and on to the next lot', async () => {
    const { html } = await readPage(
      `${own.address}/listings/monitor-0?from=${encodeURIComponent('page=1&q=dell+or+keyboard&sort=ending_soon')}`,
    )
    expect(html).not.toMatch(/rel="next" href="\/listings\/monitor/)
    expect(html).toMatch(/rel="next" href="\/listings\/(keyboard|of-an-auction)/)
  })
})

describe('the page of an auction', () => {
  const own = serviceFor({ now: NOW })
  const lot = {
    auction_id: 'gsa-27-009',
    auction_name: '27-009',
    state: 'IL',
    city: 'Chicago',
    num_bids: 1,
  }

  beforeAll(async () => {
    await insertLots(own.sql, [
      {
        ...lot,
        slug: 'first',
        current_bid_cents: 400_000,
        bid_increment_cents: 5_000,
        ends_at: fromNow(HOUR),
      },
      {
        ...lot,
        slug: 'last',
        title: 'The last lot',
        current_bid_cents: 1_000,
        bid_increment_cents: 500,
        ends_at: fromNow(3 * HOUR),
        description:
          'Inspection and Removal: Available Monday through Friday, by confirmed appointment only. Closed.',
      },
      {
        ...lot,
        slug: 'unknown',
        title: 'A lot with a bid',
        current_bid_cents: 1_000,
        ends_at: fromNow(2 * HOUR),
      },
      {
        ...lot,
        slug: 'over',
        current_bid_cents: 9_000,
        bid_increment_cents: 500,
        ends_at: fromNow(-HOUR),
      },
      { slug: 'elsewhere', current_bid_cents: 1_000, bid_increment_cents: 500 },
    ])
  })

  it('is linked from its lots, and says place, live lots, the sum of their next bids and when the last closes', async () => {
    const { html: page } = await readPage(`${own.address}/listings/first`)
    expect(page).toContain('<a href="/search?auction=gsa-27-009">All 3 lots of this auction</a>')
    const { html } = await readPage(`${own.address}/search?auction=gsa-27-009`)
    expect(slugsOf(html)).toEqual(['first', 'unknown', 'last'])
    expect(html).toMatch(
      /<p class="trip">One trip: 3 lots in Chicago, IL, next bids together \$4,065\. The last closes Nov 21, 2026, [^<]+\. Removal: Monday through Friday, by confirmed appointment only\.</,
    )
    await own.sql`update lots set city = 'PEORIA' where slug = 'last'`
    const cities = await readPage(`${own.address}/search?auction=gsa-27-009`)
    expect(cities.words).toMatch(/: 3 lots in 2 Illinois cities, next bids together/)
    expect(cities.words).not.toContain('One trip')
    expect((await readPage(`${own.address}/search?auction=no-such-auction`)).html).not.toContain(
      'class="trip"',
    )
  })
})

describe('the lots of an auction', () => {
  const own = serviceFor({ now: NOW })
  const MIAMI = ['Miami', 'FL', 25.77, -80.19] as const
  const HIALEAH = ['Hialeah', 'FL', 25.86, -80.28] as const
  const TAMPA = ['Tampa', 'FL', 27.95, -82.46] as const
  const SAVANNAH = ['Savannah', 'GA', 32.08, -81.09] as const
  const UNPLACED = ['Miami', 'FL', null, null] as const
  const UNKNOWN = [null, 'FL', 25.77, -80.19] as const
  const NOWHERE = ['Doral', 'FL', null, null] as const

  it('are one trip only in one city or within 30 miles of one another, else in so many cities', async () => {
    const auctions = [
      ['one-city', [MIAMI, MIAMI], /One trip: 2 lots in Miami, FL\W/],
      ['without-points', [UNPLACED, UNPLACED], /One trip: 2 lots in Miami, FL\W/],
      ['near', [MIAMI, HIALEAH, MIAMI], /One trip: 3 lots in 2 Florida cities\W/],
      ['far', [MIAMI, TAMPA], /Auction far: 2 lots in 2 Florida cities\W/],
      [
        'near-and-far',
        [MIAMI, HIALEAH, TAMPA],
        /Auction near-and-far: 3 lots in 3 Florida cities\W/,
      ],
      ['states', [TAMPA, SAVANNAH], /Auction states: 2 lots in 2 cities\W/],
      ['no-point', [MIAMI, NOWHERE], /Auction no-point: 2 lots in 2 Florida cities\W/],
      ['no-city', [MIAMI, UNKNOWN], /Auction no-city: 2 lots in FL\W/],
      ['nowhere', [UNKNOWN, UNKNOWN], /Auction nowhere: 2 lots in FL\W/],
    ] as const
    await insertLots(
      own.sql,
      auctions.flatMap(([auction, places]) =>
        places.map(([city, state, latitude, longitude], index) => ({
          slug: `${auction}-${index}`,
          auction_id: auction,
          auction_name: auction,
          city,
          state,
          latitude,
          longitude,
          num_bids: 1,
          ends_at: fromNow(HOUR),
        })),
      ),
    )
    for (const [auction, , said] of auctions) {
      const { words } = await readPage(`${own.address}/search?auction=${auction}`)
      expect([auction, words]).toEqual([auction, expect.stringMatching(said)])
    }
  })

  it('have the title of their auction: the source, the state and the day on which the last closes there', async () => {
    await insertLots(own.sql, [
      // The last second of a day in the zone of the source is the next day in Florida.
      { slug: 'day', auction_id: 'day', state: 'FL', ends_at: new Date('2026-11-25T05:59:59Z') },
      { slug: 'hour', auction_id: 'hour', state: 'FL', ends_at: new Date('2026-11-26T04:30:00Z') },
    ])
    for (const [auction, date] of [
      ['day', 'Nov 24'],
      ['hour', 'Nov 25'],
    ] as const) {
      const { html } = await readPage(`${own.address}/search?auction=${auction}`)
      expect(html).toMatch(new RegExp(`<title>[^<,]+, Florida, closing ${date} `))
      expect(html).toMatch(new RegExp(`<h1[^>]*>[^<,]+, Florida, closing ${date}<`))
    }
  })
})

describe('the search page', () => {
  it('finds what the API finds', async () => {
    const searches = WORDS.filter((_, n) => n % 8 === 0).map(
      ([words, found]) => [`q=${encodeURIComponent(words)}`, found] as const,
    )
    for (const [query, found] of [...FINDINGS_OF_EACH, ...searches]) {
      const { html } = await search(query)
      expect([query, slugsOf(html)]).toEqual([query, found])
    }
  })

  it('shows the search again in its form, every field with its label', async () => {
    const { html } = await search(
      'q=%22f+150%22+%3Cb%3E&category=vehicles&state=il&sort=newest&source=gsa&zip=60601&radius_miles=20&price_min=1&price_max=9000.5&closing_within_hours=48&min_flip_score=61&value_min=2500&no_bids=false&buy_now=true',
    )
    expect(html).toContain('value="&quot;f 150&quot; &lt;b&gt;"')
    expect(html).toContain('<option value="newest" selected>')
    for (const kept of ['state" value="il', 'category" value="vehicles', 'source" value="gsa']) {
      expect(html).toContain(`<input type="hidden" name="${kept}">`)
    }
    expect(html).toContain('name="value_min" value="2500" checked> Typical price from, $ 2500')
    for (const value of ['Chicago, IL 60601', '20', '1', '9000.5', '61', '2500'])
      expect(html).toContain(`value="${value}"`)
    expect(html).toContain('<option value="48" selected>By tomorrow (48 hours)</option>')
    expect(html).toContain('name="buy_now" value="true" checked')
    expect(html).not.toContain('name="no_bids" value="true" checked')
    const ids = [...html.matchAll(/<(?:input|select) id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.sort()).toEqual(FIELDS)
    for (const id of ids) expect(html).toMatch(new RegExp(`<label( class="unseen")? for="${id}">`))
  })

  it('303 to the address without the fields that a form sends empty', async () => {
    const { status, headers } = await search('q=&category=vehicles&state=&zip=&sort=')
    expect([status, headers.get('location')]).toEqual([303, '/search?category=vehicles'])
    expect((await search('q=')).headers.get('location')).toBe('/search')
  })

  it.each([
    ['per_page=4&page=201', 'per_page=4&page=200'],
    ['page=0&state=il', 'state=il'],
    ['price_min=9&price_max=1.50&q=a', 'q=a&price_min=1.50&price_max=9'],
  ])('302 from %s, which cannot be meant, to %s', async (query, corrected) => {
    const { status, headers } = await search(query)
    expect([status, headers.get('location')]).toEqual([302, `/search?${corrected}`])
  })

  it('shows a compact list where its address says so, and leads there and back; other addresses do not know of it', async () => {
    const cards = await search('category=vehicles')
    expect(cards.html).toContain('<a href="/search?category=vehicles&amp;view=compact"')
    const { html } = await search('category=vehicles&view=compact')
    expect(html).toContain('<ul class="lots compact">')
    expect(html).toContain('<a href="/search?category=vehicles" rel="nofollow">Show cards</a>')
    expect(html).toContain('from=category%3Dvehicles%26view%3Dcompact%26page%3D1">')
    for (const kept of html.matchAll(
      /(?:listings\.rss|new|api\/v1\/listings|canonical" href="[^"?]*)\?[^"<]*/g,
    ))
      expect(kept[0]).not.toContain('view')
    const { html: lot } = await readPage(
      `${api.address}/listings/truck?from=category%3Dvehicles%26view%3Dcompact`,
    )
    expect(lot).toContain('<a href="/search?category=vehicles&amp;view=compact">Results</a>')
  })

  it('leads through its pages, and says so past the last one', async () => {
    const first = await search('per_page=4&sort=price_low')
    expect(first.html).toContain(
      '<a rel="next" href="/search?per_page=4&amp;sort=price_low&amp;page=2">',
    )
    expect(first.html).not.toContain('rel="prev"')
    const second = await search('per_page=4&sort=price_low&page=2')
    expect(second.html).toContain('<a rel="prev" href="/search?per_page=4&amp;sort=price_low">')
    expect(second.html).not.toContain('rel="next"')
    expect([...slugsOf(first.html), ...slugsOf(second.html)]).toHaveLength(6)
    const past = await search('per_page=4&page=9')
    expect(past.words).toContain(
      'Compact list This page is past the last one. Go to page 2, the last page',
    )
    expect(past.html).toContain('<a rel="prev" href="/search?per_page=4&amp;page=2">')
  })

  it('counts what each category, state, price and source would find, without its own filter', async () => {
    const [category, state, price, source] = facetsOf(
      (await search('category=vehicles&page=1')).html,
    )
    expect(category![1]).toHaveLength(5)
    expect(category![1].slice(0, 2)).toEqual([
      ['Vehicles', 2, '/search'],
      ['Electronics', 1, '/search?category=electronics'],
    ])
    expect(state![1][0]).toEqual(['Illinois', 1, '/search?category=vehicles&state=IL'])
    const range = '/search?category=vehicles&price_max=4999.99&price_min=1000'
    expect(price).toEqual(['Price', [['$1,000 to $5,000', 2, range]]])
    expect(source![1].map(([words, lots]) => [words, lots])).toEqual([
      ['GSA Auctions', 1],
      ['Municibid', 1],
    ])
  })

  it('counts exactly what a click finds, whatever the other filters are', async () => {
    const searches = [
      ...[
        '',
        'q=ford+or+van+or+dell',
        'zip=60601&radius_miles=100&sort=nearest',
        'no_bids=true',
        'state=il',
      ],
      ...['closing_within_hours=4&min_flip_score=20', 'price_min=99.99&price_max=1000'],
      ...['source=gsa&buy_now=false', 'q=ford&category=electronics'],
      'category=vehicles&state=WI&price_max=4999.99&price_min=1000',
    ]
    let clicked = 0
    for (const query of searches) {
      for (const [title, values] of facetsOf((await search(query)).html)) {
        for (const [words, lots, address] of values) {
          if (new URL(address, api.address).search.length < query.length) continue
          const found = await api.get(address.replace('/search', '/api/v1/listings'))
          expect([query, title, words, found.body.total]).toEqual([query, title, words, lots])
          clicked += 1
        }
      }
    }
    expect(clicked).toBeGreaterThan(60)
  })

  it('shows each filter as a chip that drops it, the distance with its ZIP code', async () => {
    const { html } = await search(
      'zip=60601&radius_miles=100&sort=nearest&category=vehicles&page=1',
    )
    const chips = [...html.matchAll(/<a class="chip" href="([^"]*)"[^>]*>([^<]*) </g)]
    expect(chips.map(([, href, words]) => [words, href!.replaceAll('&amp;', '&')])).toEqual([
      ['Vehicles', '/search?radius_miles=100&sort=nearest&zip=60601'],
      ['within 100 miles of Chicago, IL 60601', '/search?category=vehicles'],
    ])
    expect(html).toContain('<li><a href="/search">Clear all</a></li>')
    expect((await search('')).html).not.toContain('class="chip"')
  })

  it('numbers its pages: the first, the last and those around', async () => {
    const linksOf = (html: string) =>
      [
        ...html.matchAll(
          /<a href="[^"]*" aria-label="Page (\d+)"( aria-current="page")?>|<span>…<\/span>/g,
        ),
      ].map(([text, number, current]) =>
        number ? `${number}${current ? '*' : ''}` : text.slice(6, 7),
      )
    expect(linksOf((await search('per_page=1')).html)).toEqual(['1*', '2', '…', '6'])
    expect(linksOf((await search('per_page=1&page=4')).html)).toEqual([
      '1',
      '…',
      '3',
      '4*',
      '5',
      '6',
    ])
    expect(linksOf((await search('per_page=10')).html)).toEqual([])
    expect((await search('per_page=50')).html).toContain(
      '<input type="hidden" name="per_page" value="50">',
    )
  })

  it('says what to drop when nothing fits, with what that would find, most first', async () => {
    const { words, html } = await search('q=ford&category=electronics&price_max=9999')
    expect(words).toContain('No matching lots')
    expect(words).toMatch(
      /Save this search to get an email .* Try removing a filter: Remove Electronics : 1 lot/,
    )
    expect(html).toContain('href="/search?price_max=9999&amp;q=ford"')
    expect(words).not.toMatch(/Remove (?:up to|“ford”)/)
  })

  it('asks whether another spelling was meant when nothing fits and that one finds something', async () => {
    const { words, html } = await search('q=toyota+frklift&page=2')
    expect(words).toContain('Did you mean toyota forklift ?')
    expect(html).toContain('<a href="/search?q=toyota+forklift">')
  })

  it('offers to remove the word that only describes the thing', async () => {
    const { words, html } = await search('q=rusty+ford&page=2')
    expect(words).toContain('Remove “rusty” 1 lot')
    expect(html).toContain('<a href="/search?q=ford">')
  })

  it('says when no single filter stands in the way', async () => {
    const { words } = await search('q=ford&category=electronics&state=PR')
    expect(words).toContain('No single filter is the cause')
  })

  it('keeps addresses: canonical, its feeds, and the same call of the API', async () => {
    const { html } = await search('category=vehicles&page=1')
    expect(html).toContain(
      '<link rel="canonical" href="http://surplus.test/search?category=vehicles&amp;page=1">',
    )
    expect(html).toContain(
      'type="application/rss+xml" title="This search as RSS" href="/feeds/listings.rss?category=vehicles">',
    )
    expect(html).toContain('href="/feeds/listings.json?category=vehicles">')
    expect(html).toContain('GET /api/v1/listings?category=vehicles&amp;page=1')
  })
})

describe('a sentence in the search field', () => {
  const locationOf = async (query: string) => {
    const { status, headers } = await search(query)
    return [status, headers.get('location')]
  }

  it('leads to the address with its filters, which shows each as a chip, the sentence, and the way to its words', async () => {
    const sentence = 'used+van+under+5000+near+chicago'
    const [status, location] = await locationOf(`q=${sentence}&category=vehicles&state=`)
    expect([status, location]).toEqual([
      303,
      expect.stringMatching(
        `^/search\\?category=vehicles&q=van&price_max=5000&zip=606\\d\\d&sentence=${sentence.replaceAll('+', '\\+')}$`,
      ),
    ])
    const { html, words } = await readPage(`${api.address}${location}`)
    expect([...html.matchAll(/<a class="chip"[^>]*>([^<]*) </g)].map(([, chip]) => chip)).toEqual([
      '“van”',
      'Vehicles',
      expect.stringMatching(/^within 50 miles of Chicago, IL 606\d\d$/),
      'up to $5,000',
    ])
    expect(words).toContain(
      'Showing results for “used van under 5000 near chicago” · Search these exact words instead',
    )
    expect(words).toContain('Not filtered: used')
    const asWords = `q=${sentence}&sentence=${sentence}`
    expect(html).toContain(`<a href="/search?${asWords.replace('&', '&amp;')}"`)
    const literal = await search(asWords)
    expect([literal.status, literal.words]).toEqual([
      200,
      expect.stringContaining('Read it as a sentence'),
    ])
    expect(literal.html).toContain(
      '<input type="hidden" name="sentence" value="used van under 5000 near chicago">',
    )
    for (const [, address] of html.matchAll(/(?:href="|GET )(\/(?:feeds|account|api)[^"<]*)/g))
      expect(address).not.toContain('sentence=')
  })

  it.each([
    ['zip=Chicago%2C+IL&radius_miles=20', /^\/search\?radius_miles=20&zip=606\d\d$/],
    ['zip=Chicago%2C+IL+60601', /^\/search\?zip=60601$/],
    ['zip=&q=ford+in+Illinois', /^\/search\?q=ford&state=IL&sentence=ford\+in\+Illinois$/],
    ['vehicle_year_min=2015&vehicle_year_max=2010', /min=2010&vehicle_year_max=2015$/],
  ])('and the fields %s lead to what they mean', async (query, location) => {
    expect((await locationOf(query))[1]).toMatch(location)
  })

  it('asks which city is meant where several states have it, and keeps the other filters', async () => {
    const { status, words, html } = await search('q=ford&zip=springfield')
    expect([status, words]).toEqual([
      400,
      expect.stringContaining('Several states have a Springfield.'),
    ])
    expect(html).toMatch(/<a href="\/search\?q=ford&amp;zip=627\d\d">Springfield, Illinois<\/a>/)
    expect((await search('zip=Nowhereville')).words).toContain(
      'There is no city or ZIP code "Nowhereville".',
    )
  })

  it('is for the site alone: the API finds its words', async () => {
    expect((await api.get('/api/v1/listings?q=ford+in+Illinois')).body.total).toBe(0)
  })
})

const REFUSED: [query: string, said: string][] = [
  ['page=x', '"page" must be a whole number from 1 to 200, such as 1.'],
  ['zip=00000', '"zip": there is no ZIP code 00000.'],
  ['q=a&q=b', '"q" is given more than once.'],
  ['q=%ff', '"q" must be valid Unicode text, encoded as UTF-8.'],
]

describe('a search that cannot be read', () => {
  it.each(REFUSED)(
    '400 for %s, with the form and what is wrong, and with the same words for a program',
    async (query, said) => {
      const { status, words, html } = await search(query)
      expect(status).toBe(400)
      expect(words).toContain(said)
      expect(html).toContain('role="alert"')
      expect(html).toContain('<form class="search"')
      for (const name of ['category', 'state', 'source'])
        expect(html).toContain(`<select id="${name}"`)
      for (const path of ['/search', '/feeds/listings.rss', '/feeds/listings.json']) {
        const { status, body } = await api.get(`${path}?${query}`, { key: null })
        expect([status, body.code]).toEqual([400, 'invalid_request'])
        expect(body.error).toContain(said)
      }
    },
  )
})
