import { beforeAll, describe, expect, it } from 'vitest'
import kinds from '../../data/drawings.json' with { type: 'json' }
import type { Listing } from '../../src/contract/types.ts'
import { CATEGORIES } from '../../src/pages/kit/format.ts'
import { DRAWINGS } from '../../src/pages/kit/staticFiles.ts'
import { drawingOfLot } from '../../src/pages/lots/drawing.ts'
import { outdateAnswers } from '../support/database/database.ts'
import {
  DAY,
  fromNow,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const PHOTO = 'https://www.gsaauctions.gov/images/1.jpg?a="&b=2'

describe('the card of a lot', () => {
  const api = serviceFor({ now: NOW })
  let cards: Map<string, string>

  beforeAll(async () => {
    const [priced] = await insertLots(api.sql, [
      {
        slug: 'priced',
        title: 'Priced truck',
        category: 'vehicles',
        state: 'IL',
        current_bid_cents: 412_500,
        num_bids: 11,
        flip_score: 64,
        value_grade: 'comparables',
        limit_cents: 420_000,
        verdict: 'room',
        image_url: PHOTO,
        ends_at: fromNow(DAY),
      },
      { slug: 'bare', title: 'Bare lot' },
      {
        slug: 'far',
        title: 'Not there',
        image_url: 'https://pictures.example/1.jpg',
        flip_score: 12,
      },
      {
        slug: 'plain',
        title: 'Not encrypted',
        image_url: 'http://www.gsaauctions.gov/images/1.jpg',
      },
      { slug: 'port', title: 'Another port', image_url: 'https://www.gsaauctions.gov:8443/1.jpg' },
      {
        slug: 'partner',
        title: 'Partner',
        source: 'govdeals',
        image_url: 'https://www.gsaauctions.gov/1.jpg',
      },
    ])
    const prices = [300_000, 512_345, 598_765, 640_000, 761_234]
    const sale_ids = await insertSales(
      api.sql,
      prices.map(final_bid_cents => ({ final_bid_cents, sold_at: fromNow(-DAY) })),
    )
    const similarities = sale_ids.map(() => 0.5)
    await insertAppraisal(api.sql, {
      lot_id: priced!,
      sale_ids,
      similarities,
      estimated_value_cents: 612_377,
    })
    const { html } = await readPage(`${api.address}/search`)
    cards = new Map(
      [...html.matchAll(/<li class="lot">.*?<\/li>/gs)].map(([card]) => [
        /\/listings\/([\w-]+)/.exec(card)![1]!,
        card,
      ]),
    )
  })

  it('shows photo, price, limit, how much of it the price takes up, time left and the verdict', () => {
    const card = cards.get('priced')!
    expect(card).toContain(
      '<img src="https://www.gsaauctions.gov/images/1.jpg?a=&quot;&amp;b=2" alt="" width="400" height="300" loading="lazy" decoding="async" referrerpolicy="no-referrer">',
    )
    expect(card).toContain('<strong>$4,125</strong> <span class="quiet">now</span>')
    expect(card).toContain('<span class="limit">· limit $4,200</span>')
    expect(card).toContain('<rect width="98" height="4"/>')
    expect(card).toMatch(
      /<time datetime="2026-11-22T09:30:00Z" class="countdown">1 day left<\/time>/,
    )
    expect(card).toContain('<span class="badge good">Room up to $4,200</span>')
  })

  it('says why it has no limit, names no photo where there is none, and has the drawing of the category behind each photo', () => {
    expect(cards.get('bare')).not.toMatch(/<img|limit \$|badge/)
    expect(cards.get('bare')).toContain('Can’t price this one: no similar sales yet')
    for (const card of cards.values()) expect(card).toContain('<svg class="drawing"')
    expect(cards.get('priced')).toContain(`${DRAWINGS.address}#vehicles`)
  })

  it('loads photos only over https from the hosts of a source that allows it', () => {
    for (const slug of ['far', 'plain', 'port', 'partner'])
      expect([slug, cards.get(slug)!.includes('<img')]).toEqual([slug, false])
  })

  it('has a drawing of each category', async () => {
    const { html, status, headers } = await readPage(api.address + DRAWINGS.address)
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    for (const category of Object.keys(CATEGORIES))
      expect(html).toContain(`<symbol id="${category}"`)
    for (const [kind] of kinds) expect(html).toContain(`<symbol id="${kind}"`)
  })

  it.each([
    ['2012 Ram 2500 Tradesman Crew Cab Cummins 4x4', 'pickup'],
    ['2017 FORD FUSION S', 'sedan'],
    ['2019 Chevrolet Tahoe LT 2WD', 'suv'],
    ['2015 FORD TRANSIT CONNECT XLT CARGO', 'van'],
    ['2004 Blue Bird school bus, 66 passengers', 'bus'],
    ['1998 Freightliner FL70 dump truck', 'truck'],
    ['Utility trailer, 16 ft', 'trailer'],
    ['CASE 580L backhoe loader', 'loader'],
    ['Hyster 3,000 LB propane forklift', 'forklift'],
    ['John Deere 5075E tractor', 'tractor'],
    ['Cummins 80KW GENERATOR', 'generator'],
    ['DELL 24" MONITORS (8 EA)', 'monitor'],
    ['Executive desk, cherry', 'desk'],
    ['22 ft patrol boat with trailer', 'boat'],
    ['UH-60L BLACK HAWK', 'aircraft'],
    ['5.2 acres, Parcel 14', 'land'],
    ['Something else', 'other'],
  ])('draws %j as %s', (title, name) => {
    const lot = { title, item: null, category: 'other' } as Listing
    expect(drawingOfLot(lot).markup).toContain(`#${name}"`)
  })

  it('keeps a page of 50 lots, the most of a page, under 100 kB', async () => {
    await insertLots(
      api.sql,
      Array.from({ length: 50 }, (_, n) => ({
        slug: `one-of-many-lots-with-a-long-address-${n}`,
        title: `2016 FORD F-150 XL SUPERCREW, 4WD, NEEDS REPAIR, number ${n}`,
        city: 'SAN FRANCISCO',
        state: 'CA',
        zip: '94103',
        current_bid_cents: 412_500,
        flip_score: 64,
        image_url: `https://www.gsaauctions.gov/images/37850${n}.jpg`,
      })),
    )
    await outdateAnswers(api.sql)
    const { html } = await readPage(`${api.address}/search?per_page=50&sort=newest`)
    expect(html.match(/<li class="lot">/g)).toHaveLength(50)
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  })
})
