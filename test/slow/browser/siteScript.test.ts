import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HOUR, insertLots, MINUTE } from '../../support/lots/fixtures.ts'
import { serviceFor } from '../../support/service/start.ts'
import { browserFor, IN_BROWSER } from '../../support/site/chromium.ts'

const HOST = 'https://www.gsaauctions.gov'
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let context: BrowserContext
let page: Page

describe('the script of the site', IN_BROWSER, () => {
  const site = serviceFor({ linksToItself: true })
  const browser = browserFor()
  beforeAll(async () => {
    const now = Date.now()
    const lot = { starts_at: new Date(now - HOUR), category: 'vehicles' }
    await insertLots(site.sql, [
      {
        ...lot,
        slug: 'shown',
        image_url: `${HOST}/shown.png`,
        ends_at: new Date(now + 20 * MINUTE),
      },
      {
        ...lot,
        slug: 'refused',
        image_url: `${HOST}/refused.png`,
        ends_at: new Date(now + 2 * HOUR),
      },
    ])
  })
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext()
    page = await context.newPage()
    await page.route(`${HOST}/shown.png`, route =>
      route.fulfill({ body: PIXEL, contentType: 'image/png' }),
    )
    await page.route(`${HOST}/refused.png`, route => route.fulfill({ status: 401 }))
  })

  it('leaves the drawing where the source refuses a photo, and asks for photos without saying from where', async () => {
    const referrers: (string | undefined)[] = []
    page.on('request', request => {
      if (request.url().startsWith(HOST)) referrers.push(request.headers().referer)
    })
    await page.goto(`${site.address}/search`)
    await page
      .locator('.lot', { has: page.locator('[href^="/listings/refused?"]') })
      .scrollIntoViewIfNeeded()
    await expect.poll(() => page.locator('.photo img').count()).toBe(1)
    expect(await page.locator('.photo img').getAttribute('src')).toBe(`${HOST}/shown.png`)
    expect(await page.locator('.photo .drawing').first().isVisible()).toBe(true)
    expect(referrers).toEqual([undefined, undefined])
  })

  it('counts the time down, in the words of the server until the last hour', async () => {
    await page.goto(`${site.address}/search`)
    const [soon, later] = [
      page.locator('time.countdown').nth(0),
      page.locator('time.countdown').nth(1),
    ]
    await expect.poll(() => soon.textContent()).toMatch(/^19 min \d+ s left$/)
    const before = await soon.textContent()
    await expect.poll(() => soon.textContent()).not.toBe(before)
    expect(await later.textContent()).toMatch(/^1 h 59 min left$/)
  })

  it('is not needed: without scripts, all words of a page are there', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const read = await plain.newPage()
    await read.route(`${HOST}/*`, route => route.abort())
    await read.goto(`${site.address}/search`)
    expect(await read.locator('time.countdown').first().textContent()).toMatch(/^\d+ min left$/)
    expect(await read.locator('.photo .drawing').first().isVisible()).toBe(true)
    await plain.close()
  })
})
