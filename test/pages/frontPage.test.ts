import { beforeAll, describe, expect, it } from 'vitest'
import { STATES } from '../../src/domain/feeds/states.ts'
import { CATEGORIES } from '../../src/pages/kit/format.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  type LotDraft,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { type ReadPage, readPage } from '../support/site/readPage.ts'

const DEAL = {
  current_bid_cents: 10_000,
  num_bids: 2,
  flip_score: 90,
  value_grade: 'comparables' as const,
  verdict: 'room',
  limit_cents: 50_000,
  room_rank: 20_000,
  ends_at: fromNow(2 * HOUR),
}
const LOTS: LotDraft[] = [
  { slug: 'van', ...DEAL, category: 'vehicles', state: 'TX' },
  { slug: 'bus', ...DEAL, category: 'vehicles', state: 'TX', room_rank: 19_000 },
  { slug: 'third-vehicle', ...DEAL, category: 'vehicles', room_rank: 18_000 },
  {
    slug: 'saw',
    ...DEAL,
    category: 'tools-industrial',
    state: 'PR',
    room_rank: 17_000,
    source: 'municibid',
  },
  {
    slug: 'house',
    ...DEAL,
    category: 'real-estate',
    room_rank: 90_000,
  },
  {
    slug: 'rough',
    ...DEAL,
    category: 'medical-scientific',
    value_grade: 'few',
  },
  { slug: 'little', ...DEAL, category: 'electronics', room_rank: 4_999 },
  {
    slug: 'early',
    ...DEAL,
    category: 'military-surplus',
    room_rank: 99_000,
    ends_at: fromNow(30 * HOUR),
  },
  { slug: 'next-to-end', category: 'other', ends_at: fromNow(MINUTE) },
  { slug: 'over', ...DEAL, category: 'seized-property', ends_at: fromNow(-MINUTE) },
]
const FACTORS = {
  price_points: 49,
  time_points: 0,
  bidder_points: -2,
  condition_points: 0,
  sell_through_points: 0,

  price_score: 99,
  confidence: 0.5,
  comparables_count: 5,
  estimated_value_cents: 40_000,

  all_in_cost_cents: 10_000,
  likely_low_cents: 20_000,
  likely_high_cents: 80_000,

  range_low_cents: 10_000,
  range_high_cents: 160_000,
}

describe('the front page', () => {
  const api = serviceFor({ now: NOW })
  let page: ReadPage

  beforeAll(async () => {
    const ids = await insertLots(api.sql, LOTS)
    const sale_ids = await insertSales(
      api.sql,
      [10_000, 20_000, 26_300, 40_000, 50_000].map(final_bid_cents => ({
        final_bid_cents,
        sold_at: fromNow(-DAY),
      })),
    )
    for (const [n, { value_grade: grade }] of LOTS.entries())
      if (grade)
        await insertAppraisal(api.sql, {
          lot_id: ids[n]!,
          sale_ids,
          similarities: sale_ids.map(() => 0.5),
          grade,
          factors: FACTORS,
          estimated_value_cents: 40_000,
        })
    await api.sql`update sources set last_success_at = ${fromNow(-4 * MINUTE)} where source = 'gsa'`
    page = await readPage(`${api.address}/`)
  })

  const section = (id: string) =>
    new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(page.html)?.[1] ?? ''
  const slugsIn = (id: string) =>
    [...section(id).matchAll(/<h3 dir="auto"><a href="\/listings\/([\w-]+)"/g)].map(
      ([, slug]) => slug,
    )

  it('says how many lots are live, from how many sources, and how old the data are', () => {
    expect(page.words).toContain('9 live lots from 2 sources , read 4 min ago .')
  })

  it('shows lots whose room of $50 or more is decided, the most first and houses last, at most two of a category, and what each score rests on', () => {
    expect(slugsIn('deals')).toEqual(['van', 'bus', 'saw', 'house'])
    expect(section('deals').match(/<span class="badge good">Room up to \$500</g)).toHaveLength(4)
    expect(
      section('deals').match(/<p class="reason">Now below similar sales<span>\.</g),
    ).toHaveLength(4)
  })

  it('shows the lots that end next', () => {
    expect(slugsIn('ending')).toEqual([
      'next-to-end',
      expect.anything(),
      expect.anything(),
      expect.anything(),
    ])
  })

  it('counts the lots of every category', () => {
    for (const name of Object.values(CATEGORIES)) expect(section('categories')).toContain(name)
    expect(section('categories')).toMatch(/Vehicles <span class="quiet">3<\/span>/)
    expect(section('categories')).toMatch(/Seized property <span class="quiet">0<\/span>/)
  })

  it('shows every state and territory once on a map of tiles; those with live lots count them and lead to them', async () => {
    const codes = [...section('states').matchAll(/<abbr title="[^"]+">([A-Z]{2})</g)].map(
      ([, code]) => code,
    )
    expect([codes.length, new Set(codes).size]).toEqual([STATES.size, STATES.size])
    const links = [
      ...section('states').matchAll(/<a class="(shade-\d)" href="([^"]*)">(.*?)<\/a>/g),
    ]
    const wordsOf = (markup: string) => markup.replaceAll(/<[^>]*>/g, '')
    expect(links.map(([, shade, href, name = '']) => [shade, href, wordsOf(name)])).toEqual([
      ['shade-4', '/lots/texas', 'TX, Texas: 2'],
      ['shade-1', '/lots/puerto-rico', 'PR, Puerto Rico: 1'],
    ])
    for (const [, , href] of links) expect((await readPage(api.address + href)).status).toBe(200)
  })

  it('is where /map leads', async () => {
    const { status, headers } = await readPage(`${api.address}/map?utm_source=x`)
    expect([status, headers.get('location')]).toEqual([301, `${PUBLIC_URL}/#states`])
    expect(page.html).toContain('<h2 id="states">')
  })

  it('does not show a lot that has ended since the lots were chosen', async () => {
    api.clock.now = fromNow(2 * MINUTE)
    page = await readPage(`${api.address}/`)
    expect(slugsIn('ending')).not.toContain('next-to-end')
  })

  it('shows the lots with the most room where none is decided, and says so', async () => {
    api.clock.now = fromNow(2 * HOUR)
    page = await readPage(`${api.address}/`)
    expect(slugsIn('deals')).toEqual(['early'])
    expect(section('deals')).toContain('None is decided yet')
    expect(section('deals')).toContain('href="/search?sort=room"')
  })
})

describe('the front page without lots', () => {
  const empty = serviceFor()

  it('has the search and the categories', async () => {
    const { status, html } = await readPage(`${empty.address}/`)
    expect(status).toBe(200)
    expect(html).toContain('href="/lots/vehicles"')
    expect(html).not.toMatch(/id="(deals|ending|states)"/)
  })
})
