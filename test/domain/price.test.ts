import { beforeAll, describe, expect, it } from 'vitest'
import type { Listing } from '../../src/contract/types.ts'
import { type Prices, priceOf, resaleMargin, withPremium } from '../../src/domain/price.ts'
import { alertMail } from '../../src/words/alertMail.ts'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const NONE: Prices = { current_bid_cents: null, starting_bid_cents: null, buy_now_cents: null }

describe('the price of a lot', () => {
  it('is the bid, else the starting bid, else the buy-now price', () => {
    const [buyNow, starting] = [{ ...NONE, buy_now_cents: 9_000 }, { starting_bid_cents: 5_000 }]
    expect(priceOf(NONE)).toBeNull()
    expect(priceOf(buyNow)).toEqual({ cents: 9_000, kind: 'buy_now', label: 'Buy now' })
    const asked = { ...buyNow, ...starting }
    expect(priceOf(asked)).toEqual({ cents: 5_000, kind: 'starting_bid', label: 'Starting bid' })
    const bid = { cents: 100, kind: 'current_bid', label: 'Current bid' }
    expect(priceOf({ ...asked, current_bid_cents: 100 })).toEqual(bid)
  })

  it('costs a buyer the premium too, in whole cents', () =>
    expect(withPremium(100_050, 12.5)).toBe(112_556))
})

describe('the resale margin', () => {
  it('is the value less the cost and less 12 % for reselling', () => {
    expect(resaleMargin(602_000, 412_500)).toEqual({
      estimated_value_cents: 602_000,
      all_in_cost_cents: 412_500,
      margin_cents: 117_260,
      margin_percent: 28.4,
    })
  })

  it('is negative for an expected loss', () => {
    expect(resaleMargin(10_000, 20_000)).toMatchObject({
      margin_cents: -11_200,
      margin_percent: -56,
    })
  })

  it('is unknown without a value or a cost', () => {
    expect(resaleMargin(null, 100)).toBeNull()
    expect(resaleMargin(100, null)).toBeNull()
    expect(resaleMargin(100, 0)).toBeNull()
  })
})

describe('a lot with a starting bid and no bids', () => {
  const api = serviceFor({ now: NOW })
  let lot: Listing

  beforeAll(async () => {
    await insertLots(api.sql, [{ slug: 'no-bid', starting_bid_cents: 50_000 }])
    lot = (await api.get('/api/v1/listings')).body.data[0]
  })

  it('shows its starting bid on its page, in a search, to agents and in a mail, and no bid in the export', async () => {
    const page = await api.get(new URL(lot.bidprowl_url).pathname)
    const search = await api.get('/search?no_bids=true')
    const { text: agent } = await callTool(api, 'search_listings', { no_bids: true })
    const { text: csv } = await api.get('/api/v1/export?no_bids=true')
    const mail = alertMail(
      [{ kind: 'new', listing: lot, value: null, former_price_cents: null }],
      1,
      {
        publicUrl: 'https://surplus.example',
        search: { id: 1, query: {}, name: 'desks', unsubscribeToken: 'x' },
        now: NOW,
      },
    )
    expect(page.text).toContain('<dt>Starting bid</dt><dd>$500 ')
    expect(search.text).toContain('<strong>$500</strong> <span class="quiet">starting bid')
    expect(mail.text).toContain('Starting bid $500,')
    for (const { text } of [page, search, mail]) expect(text).not.toContain('$0.00')
    expect(agent).toContain('starting bid $500')
    const [head, row] = csv.split('\r\n').map(line => line.split(','))
    expect(row![head!.indexOf('current_bid_cents')]).toBe('')
  })
})
