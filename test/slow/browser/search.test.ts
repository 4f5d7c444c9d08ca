import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertLots, NOW } from '../../support/lots/fixtures.ts'
import { serviceFor } from '../../support/service/start.ts'
import { browserFor, IN_BROWSER, watch } from '../../support/site/chromium.ts'
import { furnish } from '../../support/site/site.ts'

let page: Page
let faults: string[]

describe('a visitor', IN_BROWSER, () => {
  const site = serviceFor({ now: NOW, linksToItself: true })
  const browser = browserFor()
  beforeAll(() => furnish(site.sql))
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 360, height: 780 } })
    faults = watch(page, site.address)
  })

  it('narrows a search by the form; the address has only what was filled in', async () => {
    await page.goto(`${site.address}/search`)
    await page.getByText('Filters', { exact: true }).click()
    await page.getByRole('link', { name: 'Vehicles', exact: true }).click()
    expect(page.url()).toBe(`${site.address}/search?category=vehicles`)
    await page.getByText('Filters (1 set)').click()
    await page.getByLabel('City or ZIP').fill('60601')
    await page.getByLabel('Miles').fill('1')
    await page.getByRole('button', { name: 'Apply filters' }).click()
    expect(page.url()).toBe(`${site.address}/search?category=vehicles&zip=60601&radius_miles=1`)
    expect(
      await page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading') })
        .count(),
    ).toBe(1)
    await page.getByText('Filters (2 set)').click()
    expect(await page.getByLabel('City or ZIP').inputValue()).toBe('Chicago, IL 60601')

    // Where there is a script, the order applies itself.
    await page.getByLabel('Sort by').selectOption('nearest')
    await page.waitForURL('**sort=nearest**')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('nearest')
    await page.getByText('Filters (2 set)').click()
    await page.getByRole('link', { name: 'Remove within 1 mile of Chicago, IL 60601' }).click()
    expect(page.url()).toBe(`${site.address}/search?category=vehicles`)
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
    for (const key of ['Tab', 'Tab', 'Enter', 'Tab']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.closest("section").className')).toBe('found')
    expect(faults).toEqual([])
  })

  it.each([320, 360, 1280])(
    'scans rows of 48 px at %i px, and a strip of 96 px where a lot has no photo',
    async width => {
      await page.setViewportSize({ width, height: 780 })
      await page.goto(`${site.address}/search?view=compact`)
      const rows = page.locator('.lots.compact > li')
      expect(await rows.count()).toBeGreaterThan(3)
      for (const row of await rows.all()) expect((await row.boundingBox())!.height).toBe(48)
      await rows.locator('a').first().click()
      const strip = page.locator('.detail > .strip')
      if ((await strip.count()) > 0) expect((await strip.boundingBox())!.height).toBe(96)
      expect(faults).toEqual([])
    },
  )

  it('sees results on the first screen of a phone, the filters folded, and all of them beside the results on a desktop', async () => {
    await page.goto(`${site.address}/search?category=vehicles`)
    const lot = await page.locator('.lots > li').first().boundingBox()
    expect(lot!.y + 100).toBeLessThan(780)
    expect(await page.getByLabel('City or ZIP').isVisible()).toBe(false)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await page.getByLabel('City or ZIP').isVisible()).toBe(true)
    const filters = await page.locator('.filters').boundingBox()
    const results = await page.locator('ul.lots').boundingBox()
    expect(filters!.x + filters!.width).toBeLessThan(results!.x)
    expect(faults).toEqual([])
  })

  it('picks a state on the map by keyboard', async () => {
    await page.goto(site.address)
    await page.getByRole('link', { name: /Illinois: \d/ }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.address}/lots/illinois`)
    expect(faults).toEqual([])
  })

  it.each([
    ['cards', '', 'Acme'],
    ['a compact list on a phone', '&view=compact', 'Zenith'],
  ])('presses on to the lots that are alike in a sale, from %s', async (_what, view, maker) => {
    const title = `${maker} 24" Monitor`
    await insertLots(
      site.sql,
      [1, 2, 3].map(n => ({
        slug: `${maker.toLowerCase()}-${n}`,
        title,
        state: 'IL',
        zip: '60601',
      })),
    )
    await page.goto(`${site.address}/search?q=${maker}${view}`)
    await page.getByRole('link', { name: 'and 2 more like it in this sale' }).click()
    await page.waitForURL('**group=none**')
    expect(await page.locator('.lots > li').count()).toBe(3)
  })

  function focused(): Promise<unknown> {
    return page.evaluate('document.activeElement.textContent')
  }
})
