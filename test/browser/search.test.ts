import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW } from '../support/lots/fixtures.ts'
import { HAS_BROWSER, openBrowser, watch } from '../support/site/chromium.ts'
import { furnish, type Site, startSite } from '../support/site/site.ts'

let site: Site
let browser: Browser
let page: Page
let faults: string[]

describe.skipIf(!HAS_BROWSER)('a visitor', () => {
  beforeAll(async () => {
    site = await startSite(NOW)
    await furnish(site.sql)
    browser = await openBrowser()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 360, height: 780 } })
    faults = watch(page, site.address)
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it('searches from the front page, opens a lot, and finds the way to the official auction', async () => {
    await page.goto(site.address)
    await page.getByLabel('Search live lots').fill('ford or van')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(page.url()).toBe(`${site.address}/search?q=ford+or+van`)
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('2 live lots')

    await page.getByRole('link', { name: '2014 FORD F-150 XL pickup' }).click()
    expect(page.url()).toBe(`${site.address}/listings/truck`)
    const official = page.getByRole('link', { name: 'See and bid at GSA Auctions' })
    expect(await official.getAttribute('href')).toBe('https://auctions.example/lots/truck')
    expect(await official.isVisible()).toBe(true)
    expect(await page.getByRole('img', { name: /^Of 5 similar sales/ }).isVisible()).toBe(true)
    expect(faults).toEqual([])
  })

  it('narrows a search by the form; the address has only what was filled in', async () => {
    await page.goto(`${site.address}/search`)
    await page.getByLabel('Category').selectOption('vehicles')
    await page.getByText('More filters').click()
    await page.getByLabel('Near ZIP code').fill('60601')
    await page.getByLabel('Within miles').fill('1')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(page.url()).toBe(`${site.address}/search?category=vehicles&zip=60601&radius_miles=1`)
    expect(
      await page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading') })
        .count(),
    ).toBe(1)
    await page.getByText('More filters (2 set)').click()
    expect(await page.getByLabel('Near ZIP code').inputValue()).toBe('60601')
    expect(faults).toEqual([])
  })

  it('gets to the content and through the form by keyboard alone', async () => {
    await page.goto(`${site.address}/search`)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('toyota')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.address}/search?q=toyota`)
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('1 live lot')
    expect(faults).toEqual([])
  })

  function focused(): Promise<unknown> {
    return page.evaluate('document.activeElement.textContent')
  }
})
