import { beforeAll, describe, expect, it } from 'vitest'
import { pageText } from '../../src/mcp/texts.ts'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const OFFER = {
  title: 'Quarry lot',
  category: 'real-estate' as const,
  ends_at: 'infinity' as const,
}

describe('lots on offer, to come, at a fixed price and sold', () => {
  const api = serviceFor({ now: NOW })
  beforeAll(async () => {
    const end = { is_open: false, outcome: 'sold' as const, ends_at: fromNow(-HOUR) }
    const sold = { ...end, final_bid_cents: 90_000 }
    await insertLots(api.sql, [
      { ...OFFER, slug: 'live', current_bid_cents: 10_000, num_bids: 1 },
      { ...OFFER, slug: 'upcoming', starts_at: 'infinity' as never, current_bid_cents: null },
      { ...OFFER, slug: 'fixed', offer_kind: 'fixed_price', buy_now_cents: 150_000 },
      { ...OFFER, ...sold, slug: 'sold', price_basis: 'awarded', sold_at: fromNow(-HOUR) },
    ])
  })

  it('differ in status and offer_kind, in JSON and in the CSV', async () => {
    const kinds = await Promise.all(
      ['live', 'upcoming', 'fixed', 'sold'].map(async slug => {
        const { status, offer_kind } = (await api.read(`/api/v1/listings/${slug}`)).data
        return [status, offer_kind]
      }),
    )
    const expected = ['live,auction', 'upcoming,auction', 'live,fixed_price', 'sold,auction']
    expect(kinds.map(String)).toEqual(expected)
    const { text } = await api.get('/api/v1/export?q=quarry')
    expect(text).toMatch(/,fixed_price,/)
    expect(text).not.toContain('/listings/sold,')
  })

  it('a fixed price has no score, and pages and agents call it an asking price', async () => {
    const { status, body } = await api.get('/api/v1/flip-score/fixed')
    expect([status, body.code]).toEqual([404, 'not_found'])
    const { words } = await readPage(`${api.address}/listings/fixed`)
    expect(words).toMatch(/Asking price .*\$1,500/)
    expect(words).toContain('Offer Fixed price, no bidding')
    const search = await readPage(`${api.address}/search?q=quarry`)
    expect(search.words).toContain('$1,500 fixed price')
    const { data } = await api.read('/api/v1/listings?q=quarry')
    const page = {
      data,
      page: 1,
      per_page: 20,
      total: 3,
      total_pages: 1,
      missing: null,
      suggestion: null,
      twins: null,
    }
    const text = pageText(page, { q: 'quarry' } as never, new Map())
    expect(text).toContain('asking price $1,500; fixed price')
    expect((await api.get('/feeds/listings.rss?q=quarry')).text).toContain(
      'Asking price $1,500, fixed price.',
    )
  })
})
