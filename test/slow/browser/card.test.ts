import { source as axe } from 'axe-core'
import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { rounded } from '../../../src/domain/price.ts'
import { rescore } from '../../../src/usecases/valuation/rescore.ts'
import { DAY, fromNow, HOUR, insertLots, insertSales, NOW } from '../../support/lots/fixtures.ts'
import { callTool, legacyRequest, post } from '../../support/mcp/mcp.ts'
import { serviceFor } from '../../support/service/start.ts'
import { browserFor, IN_BROWSER } from '../../support/site/chromium.ts'

/**
 * The host: the official library in a page of its own, with the policy that hosts must set where a
 * card names no hosts.
 */
const HOST = 'http://host.test/'
const POLICY = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; frame-src 'self'`
const PROGRAM = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
window.seen = { links: [], sizes: [], faults: [] }
window.showCard = async (text, result, hostContext) => {
  const frame = document.querySelector('iframe')
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, { openLinks: {} }, { hostContext })
  window.bridge = bridge
  bridge.onerror = error => seen.faults.push(String(error))
  bridge.onopenlink = async ({ url }) => (seen.links.push(url), {})
  bridge.onsizechange = size => seen.sizes.push(size)
  const ready = new Promise(resolve => (bridge.oninitialized = resolve))
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = text
  await ready
  await bridge.sendToolInput({ arguments: {} })
  await bridge.sendToolResult(result)
}`

interface Shown {
  page: Page
  frame: Frame
  /** The names and amounts of a lot's facts. */
  facts: (lot?: number) => Promise<Record<string, string>>
  faults: string[]
}

describe('the card of lots in a host of MCP Apps', IN_BROWSER, () => {
  const api = serviceFor({ now: NOW })
  const browser = browserFor()
  let card: string
  let program: string
  let ids: string[]

  beforeAll(async () => {
    const truck = {
      title: '2016 Ford F-150 XL crew cab pickup',
      category: 'vehicles',
      item: 'ford-f-150',
    }
    const sales = Array.from({ length: 12 }, (_, n) => ({
      ...truck,
      final_bid_cents: 900_000 + n * 10_000,
      sold_at: fromNow(-(n + 1) * DAY),
    }))
    await insertSales(api.sql, sales)
    ids = await insertLots(api.sql, [
      {
        slug: 'truck',
        ...truck,
        state: 'IL',
        city: 'Chicago',
        current_bid_cents: 123_456,
        num_bids: 3,
      },
      {
        slug: 'long',
        title: `Lot of ${'unbreakable'.repeat(12)} <b>& "quoted"</b>`,
        ends_at: fromNow(HOUR),
      },
      {
        slug: 'past',
        title: 'A past lot',
        is_open: false,
        outcome: 'unsold',
        ends_at: fromNow(-HOUR),
      },
    ])
    await rescore(api.sql, { now: NOW })
    const read = await post(api, legacyRequest('resources/read', { uri: 'ui://surplus/card' }))
    card = read.body.result.contents[0].text
    const built = await build({
      stdin: { contents: PROGRAM, resolveDir: projectFile('test') },
      bundle: true,
      format: 'iife',
      write: false,
    })
    program = built.outputFiles[0]!.text.replaceAll('</script', '<\\/script')
  })

  async function show(result: unknown, width: number, theme: 'light' | 'dark'): Promise<Shown> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      timezoneId: 'America/Chicago',
    })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('request', request => {
      if (request.url() !== HOST) faults.push(`asked ${request.url()}`)
    })
    page.on('console', message => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('pageerror', error => faults.push(error.message))
    const html = `<!doctype html><title>Host</title><body style="margin:0"><iframe title="Card" sandbox="allow-scripts" style="border:0;width:100%;height:880px"></iframe><script>${program}</script>`
    await page.route('**/*', route =>
      route.fulfill({
        body: html,
        contentType: 'text/html',
        headers: { 'content-security-policy': POLICY },
      }),
    )
    await page.goto(HOST)
    const sent = [card, result, { theme, locale: 'en-US', timeZone: 'America/Chicago' }]
    await page.evaluate(`showCard(...${JSON.stringify(sent)})`)
    const frame = page.frames()[1]!
    const facts = async (lot = 0) => {
      const rows = await frame.locator('article').nth(lot).locator('dl > div').all()
      const pairs = rows.map(async row => [
        await row.locator('dt').textContent(),
        await row.locator('dd').textContent(),
      ])
      return Object.fromEntries(await Promise.all(pairs))
    }
    return { page, frame, facts, faults }
  }

  const resultOf = async (name: string, sent: object) =>
    (await callTool(api, name, sent)).response.body.result

  const money = (cents: number) =>
    `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: cents % 100 ? 2 : 0 })}`

  it.each(
    [320, 480, 800].flatMap(width =>
      (['light', 'dark'] as const).map(theme => [width, theme] as const),
    ),
  )('is without a fault at %i px, %s', async (width, theme) => {
    const result = await resultOf('search_listings', { ids: ids.join(',') })
    const { page, frame, faults } = await show(result, width, theme)
    await expect.poll(() => frame.locator('article').count()).toBe(3)
    await frame.evaluate(axe)
    const { violations } = (await frame.evaluate('axe.run(document)')) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    const wide = await frame.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wide).toBeLessThanOrEqual(0)
    expect(await frame.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      theme === 'light' ? 'rgb(251, 250, 247)' : 'rgb(22, 23, 22)',
    )
    const { faults: ofBridge, sizes } = (await page.evaluate('seen')) as {
      faults: string[]
      sizes: { height: number }[]
    }
    expect([faults, ofBridge]).toEqual([[], []])
    expect(sizes.at(-1)!.height).toBeGreaterThan(200)
    await page.context().close()
  })

  it.each(['search_listings', 'get_listing', 'flip_score'])(
    'shows title, place, price, value and end of a lot of %s, with the numbers of structuredContent',
    async name => {
      const result = await resultOf(
        name,
        name === 'search_listings' ? { ids: ids[0] } : { id: ids[0] },
      )
      const [data] = [result.structuredContent.data].flat()
      const { frame, facts, faults, page } = await show(result, 480, 'light')
      await expect
        .poll(() => frame.locator('h2').textContent())
        .toBe('2016 Ford F-150 XL crew cab pickup')
      const shown = await facts()
      expect(shown).toMatchObject({
        'Current bid': '$1,234.56',
        'Typical price': money(rounded(data.estimated_value_cents)),
        Limit: money((data.lot ?? data).limit_cents),
        'Flip Score': String(data.flip_score),
        Bids: '3',
      })
      expect(shown.Closes).toMatch(/^[A-Z][a-z]{2} \d+, \d+:\d\d [AP]M C[SD]T$/)
      expect(await frame.locator('article p.quiet').textContent()).toBe('Chicago, IL')
      expect(await frame.locator('.drawing use').getAttribute('href')).toBe('#vehicles')
      if (name !== 'search_listings')
        expect(await frame.locator('figcaption').textContent()).toBe(
          `We expect a close between ${money(rounded(data.likely_low_cents))} and ${money(rounded(data.likely_high_cents))}.`,
        )
      for (const link of ['Open', 'Watch']) await frame.getByText(link, { exact: true }).click()
      await expect
        .poll(() => page.evaluate('seen.links'))
        .toEqual([
          expect.stringMatching(/\/listings\/truck$/),
          expect.stringMatching(new RegExp(`/account/alerts/new\\?listing_id=${ids[0]}$`)),
        ])
      expect(faults).toEqual([])
      await page.context().close()
    },
  )

  it('survives what is absent, follows the theme, and says why where there is no lot', async () => {
    const bare = { content: [], structuredContent: { data: [{ id: 'x', title: 'Bare' }] } }
    const { frame, facts, page, faults } = await show(bare, 320, 'light')
    await expect.poll(() => frame.locator('h2').textContent()).toBe('Bare')
    expect(await facts()).toEqual({})
    await page.evaluate(`bridge.setHostContext({ theme: 'dark' })`)
    await expect
      .poll(() => frame.evaluate('getComputedStyle(document.body).backgroundColor'))
      .toBe('rgb(22, 23, 22)')
    const none = await resultOf('get_listing', { id: 'no-such-lot' })
    await page.evaluate(`bridge.sendToolResult(${JSON.stringify(none)})`)
    await expect
      .poll(() => frame.locator('#lots').textContent())
      .toMatch(/^not_found: No listing has/)
    expect(faults).toEqual([])
    await page.context().close()
  })
})
