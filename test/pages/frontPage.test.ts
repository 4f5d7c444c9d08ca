import { beforeAll, describe, expect, it } from 'vitest'
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
import { type ReadPage, readPage } from '../support/site/readPage.ts'

/** Each costs $100 where the middle of five sales is $263: 62 % below. */
const DEAL = {
  current_bid_cents: 10_000,
  num_bids: 2,
  flip_score: 90,
  value_grade: 'comparables' as const,
  ends_at: fromNow(3 * DAY),
}
const LOTS: LotDraft[] = [
  { slug: 'van', ...DEAL, category: 'vehicles', state: 'TX' },
  { slug: 'bus', ...DEAL, category: 'vehicles', state: 'TX', flip_score: 89 },
  { slug: 'third-vehicle', ...DEAL, category: 'vehicles', flip_score: 88 },
  { slug: 'saw', ...DEAL, category: 'tools-industrial', state: 'PR', flip_score: 70, source: 'municibid' },
  { slug: 'without-bid-for-days', ...DEAL, category: 'electronics', num_bids: 0 },
  { slug: 'last-day', ...DEAL, category: 'office-furniture', num_bids: 0, ends_at: fromNow(23 * HOUR) },
  { slug: 'dearer', ...DEAL, category: 'real-estate', current_bid_cents: 26_300 },
  { slug: 'fair', ...DEAL, category: 'other', flip_score: 59 },
  { slug: 'next-to-end', category: 'other', ends_at: fromNow(MINUTE) },
  { slug: 'over', ...DEAL, category: 'seized-property', ends_at: fromNow(-MINUTE) },
]

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
    for (const [n, { value_grade }] of LOTS.entries())
      if (value_grade)
        await insertAppraisal(api.sql, { lot_id: ids[n]!, sale_ids, estimated_value_cents: 26_300 })
    await api.sql`update sources set last_success_at = ${fromNow(-4 * MINUTE)} where source = 'gsa'`
    page = await readPage(`${api.address}/`)
  })

  const section = (id: string) =>
    new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(page.html)?.[1] ?? ''
  const slugsIn = (id: string) =>
    [...section(id).matchAll(/<h3><a href="\/listings\/([\w-]+)"/g)].map(([, slug]) => slug)

  it('says how many lots are live, from how many sources, and how old the data are', () => {
    expect(page.words).toContain('9 live lots from 2 sources , updated 4 min ago .')
  })

  it('shows at most two deals of a category, with a bid or in their last day, the best of each category first', () => {
    expect(slugsIn('deals')).toEqual(expect.arrayContaining(['van', 'last-day', 'saw', 'bus']))
    expect(slugsIn('deals')).toHaveLength(4)
    expect(slugsIn('deals').at(-1)).toBe('bus')
  })

  it('says of each deal why it is one', () => {
    expect(section('deals').match(/<p class="reason">62% below the median of 5 sales<\/p>/g)).toHaveLength(4)
  })

  it('shows the lots that end next', () => {
    expect(slugsIn('ending')).toEqual(['next-to-end', 'last-day', expect.anything(), expect.anything()])
  })

  it('counts the lots of every category and state', () => {
    for (const name of Object.values(CATEGORIES)) expect(section('categories')).toContain(name)
    expect(section('categories')).toMatch(/Vehicles <span class="quiet">3<\/span>/)
    expect(section('categories')).toMatch(/Seized property <span class="quiet">0<\/span>/)
    expect(section('states')).toMatch(/<a href="\/lots\/texas">Texas<\/a> <span class="quiet">2<\/span>/)
    expect(section('states').match(/>Puerto Rico</g)).toHaveLength(1)
    expect(section('states')).not.toMatch(/Alaska|Commonwealth/)
    expect(section('states')).toContain('href="/map"')
  })

  it('does not show a lot that has ended since the lots were chosen', async () => {
    api.clock.now = fromNow(2 * MINUTE)
    page = await readPage(`${api.address}/`)
    expect(slugsIn('ending')[0]).toBe('last-day')
  })
})

describe('the front page without lots', () => {
  const empty = serviceFor()

  it('has the search and the categories', async () => {
    const { status, html } = await readPage(`${empty.address}/`)
    expect(status).toBe(200)
    expect(html).toContain('href="/search?category=vehicles"')
    expect(html).not.toMatch(/id="(deals|ending|states)"/)
  })
})
