import { beforeAll, describe, expect, it } from 'vitest'
import { DAY, fromNow, insertSales, NOW } from '../support/lots/fixtures.ts'
import { insertSearchWorld } from '../support/lots/searchWorld.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })

beforeAll(async () => {
  await insertSearchWorld(api.sql)
  const sale = (state: string, dollars: number, days: number) => ({
    title: 'A sale',
    state,
    sold_at: fromNow(-days * DAY),
    final_bid_cents: dollars * 100,
  })
  await insertSales(api.sql, [
    ...[10, 20, 1_234, 5_000, 9_000].map(dollars => sale('IL', dollars, 10)),
    ...[7, 7, 7].map(dollars => sale('IL', dollars, 366)),
    ...[50, 60, 70, 80].map(dollars => sale('WI', dollars, 1)),
    ...[400, 500, 600, 700, 800].map(dollars => sale('OH', dollars, 2)),
  ])
})

describe('the map', () => {
  it('shows live lots and the rounded median of 365 days in each state; a click leads to its lots', async () => {
    const { status, html } = await readPage(`${api.address}/map`)
    expect(status).toBe(200)
    const tiles = [...html.matchAll(/<a class="shade-\d" href="([^"]*)"[^>]*><title>([^<]*)</g)]
    expect(tiles.map(([, href, words]) => [href, words])).toEqual([
      ['/search?state=IL', 'Illinois: 1 live lot, median sale price about $1,200'],
      ['/search?state=WI', 'Wisconsin: 1 live lot'],
      ['/search?state=IN', 'Indiana: 1 live lot'],
      ['/search?state=TX', 'Texas: 1 live lot'],
      ['/search?state=PR', 'Puerto Rico: 1 live lot'],
    ])
    expect(html).toContain('>$1.2K</text>')
    for (const [, href] of tiles) {
      expect((await readPage(api.address + href)).html).toContain('<h2 id="found">1 live lot</h2>')
    }
  })

  it('has every state and territory once, and the numbers as a table', async () => {
    const { html, words } = await readPage(`${api.address}/map`)
    const codes = [...html.matchAll(/<text class="code"[^>]*>([A-Z]{2})</g)].map(([, code]) => code)
    expect([codes.length, new Set(codes).size]).toEqual([56, 56])
    expect(words).toMatch(/Illinois 1 \$1,200 5 /)
    expect(words).toMatch(/Wisconsin 1 – 4 /)
    expect(words).toMatch(/Ohio 0 \$600 5 /)
    expect(html).toContain('<a href="/lots/ohio">$600</a>')
    expect(words).not.toContain('Nevada')
    expect(html.length).toBeLessThan(100_000)
  })
})
