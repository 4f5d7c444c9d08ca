import { beforeAll, describe, expect, it } from 'vitest'
import { SCORE_VERSION } from '../../src/domain/appraisal/flipScore.ts'
import { outdateAnswers } from '../support/database/database.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const EVIL = `2014 FORD F-150 <script>alert("1")</script> & 'more' \u0007</title>`

describe('the page of a listing', () => {
  const api = serviceFor({ now: NOW })
  let truckId: string

  beforeAll(async () => {
    const [truck, , upcoming, , disputed, moved, , , , , , , unbid, wanted] = await insertLots(
      api.sql,
      [
        {
          slug: 'truck',
          title: EVIL,
          description: 'Runs <b>and</b> drives.\n\nInspection by appointment only.',
          quantity: 2,
          vehicle_year: 2014,
          vehicle_make: 'Ford',
          vehicle_model: 'F-150',
          category: 'vehicles',
          state: 'IL',
          city: 'CHICAGO',
          zip: '60601',
          current_bid_cents: 412_500,
          num_bids: 11,
          flip_score: 64,
          limit_cents: 420_000,
          verdict: 'room',
          approximate_close_cents: 510_000,
          condition_grade: 'usable',
          image_url: 'https://auctions.example/truck.jpg',
          source_url: 'https://auctions.example/lots/1?a=1&b=2',
          ends_at: fromNow(2 * DAY + 4 * HOUR),
          observed_at: fromNow(-12 * MINUTE),
        },
        { slug: 'bare', starts_at: '-infinity', ends_at: 'infinity' },
        {
          slug: 'upcoming',
          starts_at: fromNow(3 * HOUR),
          ends_at: fromNow(DAY),
          starting_bid_cents: 5_000,
          verdict: null,
        },
        { slug: 'brass', title: 'Scrap brass, sold by the pound' },
        { slug: 'disputed', current_bid_cents: 2_000_000, num_bids: 3, reserve_met: false },
        { slug: 'moved', title: 'Bench grinder', category: 'tools-industrial' },
        { slug: 'over', ends_at: fromNow(-1), current_bid_cents: 100 },
        { slug: 'unsold', is_open: false, outcome: 'unsold', ends_at: fromNow(-HOUR) },
        { slug: 'withdrawn', is_open: false, outcome: 'withdrawn' },
        { slug: 'stale', observed_at: fromNow(-2 * DAY) },
        {
          slug: 'sold',
          is_open: false,
          outcome: 'sold',
          ends_at: fromNow(-2 * DAY),
          final_bid_cents: 123_400,
          price_basis: 'last_observed',
          sold_at: fromNow(-2 * DAY),
        },
        {
          slug: 'stated',
          odometer_miles: 104_211,
          engine_hours: 1234.5,
          runs: false,
          road_title: false,
          open_recall: true,
        },
        { slug: 'unbid', title: 'Wood lathe', starting_bid_cents: 5_000, bids_known: true },
        { slug: 'wanted', title: 'Wood planer', starting_bid_cents: 5_000, bids_known: true },
      ],
    )
    truckId = truck!
    const prices = [300_000, 512_345, 598_765, 640_000, 761_234]
    const saleIds = await insertSales(
      api.sql,
      prices.map((final_bid_cents, index) => ({
        title: `Sold truck ${index}`,
        sold_at: fromNow(-(index + 1) * DAY),
        final_bid_cents,
        source_url: `https://auctions.example/sold/${index}`,
      })),
    )
    await insertAppraisal(api.sql, {
      lot_id: truckId,
      sale_ids: saleIds,
      similarities: saleIds.map((_, index) => 0.9 - index / 10),
      resale_margin_cents: 117_260,
      estimated_value_cents: 602_077,
    })
    await insertAppraisal(api.sql, {
      lot_id: upcoming!,
      sale_ids: saleIds.slice(0, 1),
      similarities: [0.1],
      grade: 'words',
    })
    await api.sql`
      update appraisals
      set projected_close_cents = 512_345, close_low_cents = 481_000, close_high_cents = 544_000, score_version = ${SCORE_VERSION}
      where lot_id = ${truckId}`
    for (const lot_id of [unbid!, wanted!]) await insertAppraisal(api.sql, { lot_id })
    await api.sql`
      update lots
      set no_bid_chance = case id when ${unbid!} then 0.42 else 0.12 end
      where id in ${api.sql([unbid!, wanted!])}`
    await insertAppraisal(api.sql, { lot_id: disputed! })
    await insertAppraisal(api.sql, { lot_id: moved! })
    await api.sql`update appraisals set neighbor_factor = 0.6 where lot_id = ${moved!}`
    await api.sql`update lots set value_grade = null where id = ${disputed!}`
  })

  const open = (slug: string) => readPage(`${api.address}/listings/${slug}`)

  it.each<[what: string, slug: string, words: string[], others?: RegExp]>([
    [
      'the estimated value in round numbers',
      'truck',
      [
        'Typical price about $6,000 , from 5 similar sales; half of such lots close at $3,000 to $12,000.',
      ],
    ],
    [
      'how often lots like one without a bid end so',
      'unbid',
      [
        'half of such lots close at $500 to $2,000. 4 of 10 such lots end without a bid: the opening price may win.',
      ],
    ],
    [
      'nothing of that where bids are likely',
      'wanted',
      ['half of such lots close at'],
      /such lots end without/,
    ],
    [
      'how the other lots of the sale go today, which moves the value',
      'moved',
      [
        'Typical price about $600 , from 0 similar sales; half of such lots close at $300 to $1,200. Lots of this sale go for about 60% of their values today.',
      ],
    ],
    [
      'a guess where nothing similar was sold, without a highest bid or a score',
      'upcoming',
      [
        'Can’t price this one: too few similar sales',
        'Typical price about $1,000 , rough guess, can be off 3×.',
        'The closest sales; none is similar enough Lot Price What it is On Sold truck 0',
      ],
      /Bid at most|of 100|median/,
    ],
    [
      'what is stated of a vehicle, in one line',
      'stated',
      ['Stated 104,211 miles, 1,234.5 engine hours, does not run, no road title, open recall'],
    ],
    ['that the reserve is not met', 'disputed', ['Reserve Not met']],
    ['why goods by weight have no value', 'brass', ['Goods sold by weight are not valued.']],
    [
      'that bids contradict the value',
      'disputed',
      ['Typical price Not known The bids contradict our estimate.'],
      /Typical price about/,
    ],
    [
      'the end by the clocks of its state, once',
      'truck',
      ['Closes 2 days 4 h left Mon, Nov 23, 2026, 7:30 AM CST'],
      /Ends/,
    ],
    [
      'the price of a sold lot, when, and how that is known',
      'sold',
      [
        'Sold Place unknown Last bid seen $1,234 last bid seen; the final price may be higher Sold Nov 19, 2026',
      ],
    ],
    [
      'a warning when a live lot was not seen for a day',
      'stale',
      ['The bid and the end may have changed since; check the official page.'],
    ],
    [
      'quantity and vehicle',
      'truck',
      ['Quantity 2 Vehicle 2014 Ford F-150'],
      /may have changed|Opens/,
    ],
    [
      'no price, end, market or value where none is known',
      'bare',
      [
        'Price None yet 0 bids Typical price Not known Nothing like it was sold. Closes No end date yet',
      ],
      /What it sells for|Typical price about|Quantity|Vehicle|Total now|Will close|Add to calendar/,
    ],
  ])('200 with %s: %s', async (_what, slug, said, others) => {
    const { words } = await open(slug)
    for (const text of said) expect(words).toContain(text)
    if (others) expect(words).not.toMatch(others)
  })

  it('200 with place, bid, time left, Flip Score, freshness, the official auction and the description', async () => {
    const { status, words, html, headers } = await open('truck')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(words).toContain('Open for bids CHICAGO, IL 60601')
    expect(words).toContain('Current bid $4,125 11 bids')
    expect(words).toContain('Flip Score 64 of 100')
    expect(words).toContain('Last seen at the source 12 min ago, Nov 21, 2026, 9:18 AM UTC .')
    expect(html).toContain(
      '<a class="action" href="https://auctions.example/lots/1?a=1&amp;b=2" rel="noopener">Bid at GSA Auctions</a>',
    )
    expect(html).toContain(
      '<p dir="auto">Runs &lt;b&gt;and&lt;/b&gt; drives.</p><p dir="auto">Inspection by appointment only.</p>',
    )
  })

  it('200 with bid, limit and typical price on one ruler, the median in round numbers, and three comparable sales', async () => {
    const { words, html } = await open('truck')
    expect(words).toContain('The most similar of 5 sales in 365 days; their median is about $6,000')
    expect(html.match(/<svg role="img"/g)).toHaveLength(1)
    expect(html).toContain(
      '<svg role="img" aria-label="Current bid $4,125, limit $4,200, typical price about $6,000"',
    )
    expect(html).toMatch(/<circle class="price" cx="\d\d(\.\d)?%"/)
    expect(html).toMatch(/<path class="limit"[\s\S]*<circle class="price"/)
    expect(html).toContain('<path class="typical"')
    // Each stands once in the box, under its sign.
    for (const figure of ['● Current bid $4,125', '▲ Limit $4,200', '◆ Typical price about $6,000'])
      expect(words.split(figure)).toHaveLength(2)
    expect(words.match(/half of/gi)).toHaveLength(1)
    for (const index of [0, 1, 2])
      expect(html).toContain(`href="https://auctions.example/sold/${index}"`)
    expect(words).toContain('Sold truck 0 $3,000 the awarded price Nov 20, 2026')
  })

  it('200 with the observed bids as a line with its axis, in words too; no drawing of fewer than two', async () => {
    await observeAt(api.sql, fromNow(-DAY))
    await insertLots(api.sql, [{ slug: 'drawn', observed_at: NOW }])
    const see = async (hoursAgo: number, current_bid_cents: number) => {
      await observeAt(api.sql, fromNow(-hoursAgo * HOUR))
      await api.sql`update lots set current_bid_cents = ${current_bid_cents}, num_bids = num_bids + 1 where slug = 'drawn'`
    }
    await see(20, 35_500)
    expect((await open('drawn')).html, 'one bid').not.toContain('bid-line')
    await see(15, 45_500)
    await see(10, 41_000)
    const { words, html } = await open('drawn')
    expect(words).toContain(
      'From $355 on Nov 20, 2026, 1:30 PM UTC to $410 on Nov 20, 2026, 11:30 PM UTC , in 3 observations.',
    )
    expect(words).toMatch(/\$455 \$355 Nov 20 Nov 21 From/)
    expect(html).toContain('<path class="bids" d="M0 92.0H0.0V92.0H25.0V8.0H50.0V45.8H100"/>')
    expect(html).toContain('<svg role="img" aria-labelledby="bids bid-words"')
    await observeAt(api.sql, null)
  })

  it('200 with the line of 5,000 bids in less than 60 kB', async () => {
    const [id] = await insertLots(api.sql, [{ slug: 'busy' }])
    await api.sql`
      insert into lot_changes
      select 1000000 + n, ${id!}, ${NOW}::timestamptz - (5000 - n) * interval '1 minute', 'bid', n, n, ${NOW}, false
      from generate_series(1, 5000) as n`
    const { html } = await open('busy')
    expect(html).toContain('bid-line')
    expect(html.length).toBeLessThan(60_000)
  })

  it('200 with each similar sale as a dot over an axis with amounts, and the likely range', async () => {
    const { html, words } = await open('truck')
    expect(html.match(/<circle class="sale"/g)).toHaveLength(5)
    expect(words).toMatch(/\$0 \$\d,000 .*Dots: 5 similar sales. Shaded: the likely range./)
    expect(html).toMatch(/<rect class="half" x="\d\d(\.\d)?%" width="\d\d\.\d%"/)
  })

  it('200 with the far sales counted instead of drawn, and a far bid at the end of the axis', async () => {
    const [id] = await insertLots(api.sql, [
      { slug: 'far', title: 'Snow blower', current_bid_cents: 400_000_000 },
    ])
    const sale_ids = await insertSales(
      api.sql,
      [...Array(10).fill(10_000), 9_000_000].map(final_bid_cents => ({
        title: 'Snow blower, sold',
        sold_at: fromNow(-DAY),
        final_bid_cents,
      })),
    )
    await insertAppraisal(api.sql, { lot_id: id!, sale_ids, similarities: sale_ids.map(() => 0.9) })
    const { html, words } = await open('far')
    expect(html.match(/<circle class="sale"/g)).toHaveLength(10)
    expect(words).toContain('Dots: 11 similar sales, 1 beyond.')
    expect(html).toMatch(/<circle class="price" cx="100%"/)
  })

  it('200 with the price with the premium, the likely close, and the limit for each margin, rounded down and against the next bid', async () => {
    const withPremium = async (percent: number | null) => {
      await api.sql`update sources set premium_percent = ${percent} where source = 'gsa'`
      return open('truck')
    }
    expect((await withPremium(null)).words).toContain(
      'Total now At least $4,125 premium not published, plus tax and pickup',
    )
    const { words } = await withPremium(10)
    const { body } = await api.get(`/api/v1/comps?listing_id=${truckId}`)
    expect(body.data.appraisal.max_bid_cents).toBe(260_700)
    expect((await withPremium(0)).words).toContain('Total now $4,125 plus tax and pickup')
    expect(words).toContain('Total now $4,538 with 10% premium, plus tax and pickup')
    expect(words).toMatch(
      /Limit \$4,200 for a margin of 25% after all costs above ◆ Typical price about \$6,000 from 5 similar sales/,
    )
    // The limit; for other margins from what it leaves: 4,200 × 1.25 / 1.3 = 4,038.
    expect(words).toMatch(
      /Margin Limit With the premium 10% .* 25% \$4,200 \$4,620 30% \$4,000: already above it \$4,400 .* 50% \$3,500: already above it \$3,850 /,
    )
    expect((await open('sold')).words).not.toMatch(/Limit|Room up to/)
  })

  it('200 with what the few sales brought that a rough value stands beside', async () => {
    const [id] = await insertLots(api.sql, [{ slug: 'few', current_bid_cents: 5_000, num_bids: 1 }])
    const sales = [20_000, 30_000, 90_000].map(final_bid_cents => ({
      final_bid_cents,
      sold_at: fromNow(-DAY),
    }))
    const sale_ids = await insertSales(api.sql, sales)
    await insertAppraisal(api.sql, {
      lot_id: id!,
      sale_ids,
      similarities: [0.4, 0.4, 0.4],
      grade: 'few',
    })
    expect((await open('few')).words).toContain(
      'about $1,000 rough: from the words of the title, beside 3 similar sales that brought about $300',
    )
  })

  it('200 with a likely close that rounding takes neither below the next bid nor out of its band', async () => {
    const near = {
      current_bid_cents: 480_000,
      bid_increment_cents: 4_500,
      approximate_close_cents: 490_000,
    }
    const [id] = await insertLots(api.sql, [{ slug: 'near', num_bids: 1, ...near }])
    await insertAppraisal(api.sql, { lot_id: id!, estimated_value_cents: 602_077 })
    await api.sql`update appraisals set close_low_cents = 484500, close_high_cents = 484900 where lot_id = ${id!}`
    expect((await open('near')).words).not.toContain('Will close at about')
    const moments = [{ hours: 24, share: 0, rise: 0.1, quartiles: [0.05, 0.2] }]
    await api.sql`
      insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy, bid_paths, finished_at)
      values (${NOW}, '6', 0, '{}', '{}', ${api.sql.json({ moments })}, ${NOW})`
    await outdateAnswers(api.sql)
    expect((await open('near')).words).toContain(
      'Will close at about $4,900 likely $4,845 to $4,900',
    )
  })

  it('200 with what was listed before and how that ended, in the days of its place', async () => {
    const saw = { title: 'Delta table saw', state: 'IL', zip: '60601', starting_bid_cents: 40_000 }
    const ended = (end: string) => ({ ...saw, is_open: false, ends_at: new Date(end) })
    const [id, , before] = await insertLots(api.sql, [
      { ...saw, slug: 'saw' },
      {
        ...ended('2025-12-04T05:59:59Z'),
        slug: 'saw-1',
        outcome: 'sold',
        num_bids: 4,
        current_bid_cents: 61_500,
      },
      { ...ended('2026-05-04T04:59:59Z'), slug: 'saw-2', outcome: 'unsold' },
      {
        ...ended('2026-06-01T15:00:00Z'),
        slug: 'saw-3',
        outcome: 'unsold',
        num_bids: 1,
        current_bid_cents: 30_050,
      },
      { ...ended('2026-07-01T15:00:00Z'), slug: 'saw-4', outcome: 'withdrawn' },
      { ...ended('2026-08-01T15:00:00Z'), slug: 'saw-5', starting_bid_cents: null },
    ])
    const { words, html } = await open(id!)
    expect(words).toContain(
      [
        'Ended Aug 1, 2026 without a bid at no price',
        'Withdrawn before Jul 1, 2026, last price seen $400',
        'Not sold Jun 1, 2026, last price seen $300.50',
        'Ended May 3, 2026 without a bid at $400',
        'Sold Dec 3, 2025, last price seen $615',
      ].join(' '),
    )
    expect(html).toContain(`href="/listings/${before}"`)
    expect((await open(before!)).words).not.toContain('Listed before Ended')
  })

  it('200 with a way to share the lot, by its address without the search', async () => {
    const { html } = await open('truck')
    const address = `${PUBLIC_URL}/listings/truck`
    expect(html).toContain(`data-copy="${address}" hidden>Copy link</button>`)
    const [, mail = ''] = /href="(mailto:[^"]*)"/.exec(html) ?? []
    const fields = new URLSearchParams(
      new URL(mail.replaceAll('&amp;', '&').replaceAll('&#39;', '%27')).search,
    )
    expect([fields.get('subject'), fields.get('body')]).toEqual([EVIL, `${EVIL}\n${address}`])
  })

  it('200 with live lots of the same item, nearest first; without an item, those with words of its title', async () => {
    const chicago = { latitude: 41.885, longitude: -87.622, zip: '60601', state: 'IL' }
    const car = { title: 'Ford Focus', category: 'vehicles', item: 'ford-focus' }
    await insertLots(api.sql, [
      { slug: 'focus', ...car, ...chicago },
      {
        slug: 'focus-far',
        ...car,
        title: 'Focus far',
        state: 'WI',
        latitude: 43.05,
        longitude: -87.89,
      },
      { slug: 'focus-near', ...car, title: 'Focus near', ...chicago },
      { slug: 'focus-over', ...car, ...chicago, title: 'Focus over', ends_at: fromNow(-1) },
      { slug: 'lathe', title: 'Engine lathe', category: 'tools-industrial', ...chicago },
      { slug: 'lathe-2', title: 'Wood lathe', category: 'tools-industrial' },
      { slug: 'drill', title: 'Drill press', category: 'tools-industrial' },
    ])
    const similar = async (slug: string) => (await open(slug)).words.split('Similar live lots')[1]
    const cars = await similar('focus')
    expect(cars).toMatch(/Focus near 0 mi · .* Focus far 82 mi · .*More in Vehicles/)
    expect(cars).not.toMatch(/over|FORD F-150/)
    const machines = await similar('lathe')
    expect(machines).toContain('Wood lathe')
    expect(machines).not.toMatch(/Drill|Engine/)
    expect((await open('drill')).words).not.toContain('Similar live lots')
  })

  it('leads back to the search that it was opened from, and to the lots before and after it, on other pages too', async () => {
    const lots = ['a', 'b', 'c', 'd'].map((slug, n) => ({
      slug: `walk-${slug}`,
      category: 'real-estate',
      ends_at: fromNow((n + 1) * HOUR),
    }))
    await insertLots(api.sql, lots)
    const linksOf = async (path: string) => {
      const { html } = await readPage(api.address + path)
      return [...html.matchAll(/href="(\/(?:listings\/walk|search\?)[^"]*)"[^>]*>([^<]*)/g)].map(
        ([, address = '', words]) => [words, address.replaceAll('&amp;', '&')] as const,
      )
    }
    const search = await linksOf('/search?category=real-estate&per_page=2&page=2')
    const third = search.find(([, address]) => address.startsWith('/listings/walk-c'))![1]
    expect(third).toBe('/listings/walk-c?from=category%3Dreal-estate%26per_page%3D2%26page%3D2')
    const trail = new Map(await linksOf(third))
    expect(trail.get('Previous')).toBe(
      '/listings/walk-b?from=category%3Dreal-estate%26per_page%3D2%26page%3D1',
    )
    expect(trail.get('Next')).toBe(third.replace('walk-c', 'walk-d'))
    expect(trail.get('Results')).toBe('/search?category=real-estate&per_page=2&page=2')
    const first = new Map(await linksOf('/listings/walk-a?from=category%3Dreal-estate%26page%3D1'))
    expect([first.has('Previous'), first.has('Next')]).toEqual([false, true])
    expect(first.get('Results')).toBe('/search?category=real-estate')
  })

  it.each([
    'page=0',
    'zzz=1',
    '%00=1',
    'zip=00000',
    '%2522%253E%253Cscript%253E=1',
    'q=nothing-finds-this',
  ])('200 with the same lot and canonical address, whatever from is: %s', async from => {
    const { status, html, words } = await readPage(`${api.address}/listings/truck?from=${from}`)
    expect(status).toBe(200)
    expect(words).not.toMatch(/Previous|Next/)
    expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/listings/truck">`)
    expect(html.match(/<script/g)).toHaveLength(2)
  })

  it('gives none of what is Pro away: no exact percentile, margin, value, similarity or further sale', async () => {
    const { html } = await open('truck')
    const exact = ['7,612', '761234', '5,987.65 ', '1,172', '117260', '6,020', '602077', '0.9']
    for (const secret of [...exact, 'Sold truck 3']) expect(html).not.toContain(secret)
  })

  it('shows any title as text, in the page, its head and its structured data', async () => {
    const { html, words } = await open('truck')
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('\u0007')
    expect(words).toContain(`2014 FORD F-150 <script>alert("1")</script> & 'more' </title>`)
    expect(html.match(/<\/title>/g)).toHaveLength(1)
    // The script of the site, and the structured data.
    expect(html.match(/<script/g)).toHaveLength(2)
  })

  it('carries a Product, with an Offer where a price is known, and its canonical address', async () => {
    const { html } = await open('truck')
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? []
    expect(JSON.parse(json)).toMatchObject({
      '@type': 'Product',
      name: EVIL,
      url: `${PUBLIC_URL}/listings/truck`,
      image: 'https://auctions.example/truck.jpg',
      offers: {
        '@type': 'Offer',
        price: '4125.00',
        priceCurrency: 'USD',
        availability: 'https://schema.org/InStock',
        url: 'https://auctions.example/lots/1?a=1&b=2',
      },
    })
    expect((await open('bare')).html).not.toContain('"offers"')
    expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/listings/truck">`)
    expect((await open(truckId)).html).toContain(
      `<link rel="canonical" href="${PUBLIC_URL}/listings/truck">`,
    )
  })

  it.each([
    ['upcoming', 'Opens in 3 h', 'PreOrder'],
    ['over', 'Ended. Result pending', 'OutOfStock'],
    ['unsold', 'Ended without a sale', null],
    ['withdrawn', 'Withdrawn by the source', null],
    ['sold', 'Sold', 'SoldOut'],
  ])('says that a lot is %s, at the moment of reading', async (slug, said, availability) => {
    const { words, html } = await open(slug)
    expect(words).toContain(said)
    expect(words).not.toContain('Open for bids')
    expect(words).not.toContain('Bid at GSA')
    if (slug !== 'upcoming') expect(words).toContain('Live lots in Other')
    expect(words).toContain('See at GSA Auctions')
    if (availability) expect(html).toContain(`https://schema.org/${availability}`)
    expect(html.includes('priceValidUntil')).toBe(availability === 'PreOrder')
  })

  it('turns from open to ended with the clock alone', async () => {
    api.clock.now = fromNow(2 * DAY + 4 * HOUR)
    const { words } = await open('truck')
    expect(words).toContain('Ended. Result pending')
    expect(words).not.toContain('left')
  })

  it('304 while nothing changed', async () => {
    const { headers } = await open('truck')
    const again = await readPage(`${api.address}/listings/truck`, {
      'If-None-Match': headers.get('etag')!,
    })
    expect([again.status, again.html]).toEqual([304, ''])
    expect(headers.get('cache-control')).toBe('no-cache')
  })
})

describe('the page of a listing where PUBLIC_URL has a path', () => {
  const publicUrl = 'https://h.example/surplus'
  const api = serviceFor({ now: NOW, settings: { publicUrl } })

  it('has one canonical address, which is that of the API', async () => {
    await insertLots(api.sql, [{ slug: 'truck' }])
    const { html } = await readPage(`${api.address}/listings/truck`)
    expect(html).toContain(`<link rel="canonical" href="${publicUrl}/listings/truck">`)
    expect(html).toContain(`<meta property="og:image" content="${publicUrl}/share.png">`)
    const { status, headers } = await readPage(`${api.address}/listings/truck/share.png`)
    expect([status, headers.get('location')]).toEqual([301, `${publicUrl}/share.png`])
  })
})

describe('the image of a shared link', () => {
  const api = serviceFor({ now: NOW })
  const imageOf = async (path: string) =>
    /<meta property="og:image" content="([^"]*)">/.exec(
      (await readPage(api.address + path)).html,
    )?.[1]

  it('is the photo of the lot, where pages may show it, and else one picture', async () => {
    const photo = 'https://www.gsaauctions.gov/photos/1.jpg?size=large&n=1'
    await insertLots(api.sql, [
      { slug: 'photographed', image_url: photo },
      { slug: 'elsewhere', image_url: 'https://pictures.example/1.jpg' },
      { slug: 'plain' },
    ])
    expect(await imageOf('/listings/photographed')).toBe(photo.replace('&', '&amp;'))
    for (const path of ['/listings/elsewhere', '/listings/plain', '/pricing', '/'])
      expect(await imageOf(path)).toBe(`${PUBLIC_URL}/share.png`)
  })

  it('200 with a PNG of 1200 by 630; the addresses that mails of 1.0.0 have lead to it', async () => {
    const answer = await fetch(`${api.address}/share.png`)
    const image = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(image.subarray(1, 4).toString()).toBe('PNG')
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630])
    const { status, headers } = await readPage(`${api.address}/listings/gone/share.png`)
    expect([status, headers.get('location')]).toEqual([301, `${PUBLIC_URL}/share.png`])
  })
})
