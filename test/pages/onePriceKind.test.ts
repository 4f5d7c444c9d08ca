import { describe, expect, it } from 'vitest'
import { mailAbout } from '../support/alerts/mailAbout.ts'
import {
  DAY,
  fromNow,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { forOneTest } from '../support/run/shared.ts'
import { start, type TestService } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

/** Five is enough: below it, at it and above it, of each kind. */
const COUNTS = [0, 1, 4, 5, 9]
const MIXES = COUNTS.flatMap(real => COUNTS.map(seen => ({ real, seen })))
const YEAR = 2000
const TRUCK = { category: 'vehicles', item: 'ford-f-150', state: 'TX', city: 'Austin' } as const
const BASES = ['awarded', 'closed_high_bid']

/** What stands before or after the price of a sale whose real price nobody knows. */
const AS_PAID = /(sold for|brought|final price)( about)? \$/i

const wordsAt = async ({ address }: TestService, path: string) =>
  (await readPage(address + path)).words

/**
 * Sales of a truck, real ones at $1,000 and last bids seen at $500, so that a median of both kinds
 * is neither.
 */
function salesOf({ real, seen }: { real: number; seen: number }, vehicle_year: number) {
  return Array.from({ length: real + seen }, (_, n) => ({
    ...TRUCK,
    title: `${vehicle_year} Ford F-150 number ${n}`,
    vehicle_year,
    sold_at: fromNow(-(n + 1) * DAY),
    final_bid_cents: n < real ? 100_000 : 50_000,
    price_basis: n < real ? BASES[n % 2]! : 'last_observed',
  }))
}

/** The kind that is shown: the real prices where these are enough or all. */
const isReal = ({ real, seen }: { real: number; seen: number }) => real >= 5 || seen === 0

describe('medians of pages', () => {
  it('are those of real prices where there are five, else of last bids seen, whatever there is of each', async () => {
    const site = await forOneTest(start({ now: NOW, linksToItself: true }))
    for (const [n, mix] of MIXES.entries()) await insertSales(site.sql, salesOf(mix, YEAR + n))
    for (const [n, mix] of MIXES.entries()) {
      if (mix.real + mix.seen === 0) continue
      const words = await wordsAt(site, `/prices/ford-f-150/${YEAR + n}`)
      const shown = isReal(mix) ? mix.real : mix.seen
      const said =
        shown < 5
          ? 'too few to name a price'
          : isReal(mix)
            ? `The median of ${shown} sales in the last 365 days is about $1,000; half of them sold for $1,000 to $1,000.`
            : `The median last bid seen of ${shown} sales in the last 365 days is about $500; half of them were last seen at $500 to $500.`
      expect([mix, words]).toEqual([mix, expect.stringContaining(said)])
      expect(words).not.toMatch(/\$(750|[6-9]\d\d)\b/)
      if (!isReal(mix)) expect([mix, AS_PAID.exec(words)]).toEqual([mix, null])
      if (!isReal(mix) && shown >= 5) expect(words).toContain('Real prices can be higher')
    }
    const enough = MIXES.flatMap((mix, n) =>
      (isReal(mix) ? mix.real : mix.seen) >= 5 ? `/prices/ford-f-150/${YEAR + n}<` : [],
    )
    const { html } = await readPage(`${site.address}/sitemaps/prices.xml`)
    for (const path of enough) expect(html).toContain(path)
    expect(html.match(/ford-f-150\/2\d{3}</g)).toHaveLength(enough.length)
  }, 60_000)

  it('of the list of items count one kind, also by month', async () => {
    const site = await forOneTest(start({ now: NOW, linksToItself: true }))
    const of = (mix: { real: number; seen: number }, item: string) =>
      insertSales(
        site.sql,
        salesOf(mix, YEAR).map(sale => ({ ...sale, item })),
      )
    await of({ real: 5, seen: 20 }, 'laptop')
    await of({ real: 4, seen: 20 }, 'desk')
    await of({ real: 4, seen: 4 }, 'forklift')
    const words = await wordsAt(site, '/prices')
    expect(words).toMatch(/Laptop[^$–]*\$1,000 5 sold, 0 live/)
    expect(words).toMatch(/Desk[^$–]*\$500 20 last bids, 0 live/)
    expect(words).toMatch(/Forklift[^$–]*– 8 sold, 0 live/)
  })
})

describe('medians of tools', () => {
  it('are those of one kind too, whatever there is of each, and say which; those of the API are of all prices', async () => {
    const site = await forOneTest(start({ now: NOW }))
    const key = await site.makeKey('pro')
    const states =
      'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO'.split(' ')
    for (const [n, mix] of MIXES.entries())
      await insertSales(
        site.sql,
        salesOf(mix, YEAR).map(sale => ({ ...sale, state: states[n]! })),
      )
    for (const [n, mix] of MIXES.entries()) {
      const { real, seen } = mix
      const shown = isReal(mix) ? real : seen
      const expected = { sold_count: shown, median_cents: isReal(mix) ? 100_000 : 50_000 }
      const state = states[n]!
      for (const sent of shown === 0
        ? []
        : shown < 5
          ? [{ state }]
          : [{ state }, { state, item: TRUCK.item }]) {
        for (const detail of ['short', 'long']) {
          const { structured, text } = await callTool(
            site,
            'sold_comps',
            { ...sent, detail },
            { key },
          )
          expect([mix, sent, structured!.data]).toEqual([
            mix,
            sent,
            expect.objectContaining(expected),
          ])
          if (detail === 'short')
            expect([mix, /last bids seen/.test(text)]).toEqual([mix, !isReal(mix)])
        }
      }
      if (real + seen === 0) continue
      const { data } = (await site.get(`/api/v1/comps?state=${state}`, { key })).body
      expect([mix, data.sold_count]).toEqual([mix, real + seen])
    }
  })
})

describe('a last bid that was seen', () => {
  it('is called that on every page, in every feed, by every tool and in mails, and nowhere a price that was paid', async () => {
    const site = await forOneTest(start({ now: NOW, linksToItself: true }))
    const sales = await insertSales(site.sql, salesOf({ real: 0, seen: 8 }, 2014))
    await insertLots(site.sql, [
      {
        ...TRUCK,
        slug: 'live',
        title: '2014 Ford F-150 XL',
        vehicle_year: 2014,
        zip: '73301',
        num_bids: 2,
      },
    ])
    const id = (await site.get('/api/v1/listings/live')).body.data.id as string
    await insertAppraisal(site.sql, {
      lot_id: id,
      sale_ids: sales,
      similarities: sales.map(() => 0.9),
    })
    const places = ['/', '/prices', '/prices/ford-f-150', '/prices/ford-f-150/2014', '/accuracy']
    places.push(
      '/lots/texas',
      '/lots/vehicles',
      '/lots/texas/vehicles',
      '/search?q=ford',
      '/listings/live',
    )
    places.push('/feeds/listings.rss?q=ford', '/feeds/listings.json?q=ford')
    const [sale] = (await site.get('/api/v1/sales', { key: await site.makeKey('pro') })).body.data
    places.push(new URL(sale.bidprowl_url).pathname)
    for (const place of places) {
      const { status, html, words } = await readPage(site.address + place)
      expect([place, status, AS_PAID.exec(words) ?? AS_PAID.exec(html)]).toEqual([place, 200, null])
    }
    const lot = await wordsAt(site, '/listings/live')
    expect(lot).toContain(
      'The most similar of 8 sales in 365 days; as last seen, their median is about $500',
    )
    expect(lot).toContain('Dots: 8 similar sales, as last seen.')
    expect(lot).toContain('Their prices are the last bids seen; the real price can be higher.')
    await site.sql`update appraisals set seen_factor = 1.4`
    expect(await wordsAt(site, '/listings/live')).toContain(
      'Their prices are the last bids seen; such lots close about 40% higher.',
    )
    expect(await wordsAt(site, new URL(sale.bidprowl_url).pathname)).toContain('Last bid seen $500')
    const { text, html } = await mailAbout(site.sql, id)
    expect(text).toContain('Typical price about $')
    expect([AS_PAID.exec(text), AS_PAID.exec(html ?? '')]).toEqual([null, null])
    const key = await site.makeKey('pro')
    for (const [tool, input] of [
      ['sold_comps', { listing_id: id }],
      ['sold_comps', { item: 'ford-f-150' }],
      ['get_listing', { id: sale.id }],
      ['search_listings', { ids: [sale.id] }],
    ] as const) {
      const { text } = await callTool(site, tool, input, { key })
      expect([tool, AS_PAID.exec(text)]).toEqual([tool, null])
      if (tool !== 'get_listing')
        expect([tool, text]).toEqual([tool, expect.stringMatching(/last bids? seen/i)])
    }
  })
})
