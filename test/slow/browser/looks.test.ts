import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GUIDES } from '../../../src/pages/docs/guides.ts'
import { NOW } from '../../support/lots/fixtures.ts'
import { start, type TestService } from '../../support/service/start.ts'
import { findingsOf, HAS_BROWSER, openBrowser, watch } from '../../support/site/chromium.ts'
import { furnish } from '../../support/site/site.ts'

/** The API reference has a test of its own. */
const PAGES: [path: string, status: number][] = [
  ['/', 200],
  ['/search', 200],
  ['/search?q=ford&zip=60601&radius_miles=100', 200],
  ['/search?q=ford&category=electronics', 200],
  ['/search?page=0', 400],
  ['/listings/truck', 200],
  ['/listings/chair', 200],
  ['/listings/nothing', 404],
  ['/sources', 200],
  ['/status', 200],
  ['/map', 200],
  ['/prices', 200],
  ['/prices/ford-f-150', 200],
  ['/lots/illinois/vehicles', 200],
  ['/docs', 200],
  ['/pricing', 200],
  ...GUIDES.filter(({ path }) => path !== '/docs/reference').map(({ path }): [string, number] => [path, 200]),
]

let site: TestService
let browser: Browser

describe.skipIf(!HAS_BROWSER)('every page in a browser', () => {
  beforeAll(async () => {
    site = await start({ now: NOW, linksToItself: true })
    await furnish(site.sql)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  describe.each(['light', 'dark'] as const)('%s', colorScheme => {
    it.each([360, 1280])(
      'at %d px: axe finds nothing serious, nothing scrolls sideways, no other host is asked, no policy is breached',
      async width => {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
        const page = await context.newPage()
        const watched = watch(page, site.address)
        const faults: string[] = []
        for (const [path, status] of [...PAGES, [await soldLot(), 200] as const]) {
          const answer = await page.goto(site.address + path)
          expect([path, answer?.status()]).toEqual([path, status])
          faults.push(...(await findingsOf(page)).map(finding => `${path}: ${finding}`))
          const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
          if (wide > width) faults.push(`${path} is ${wide} px wide`)
        }
        // A refused page is an error of its own in the console; it is meant to be.
        faults.push(...watched.filter(fault => !/status of 40[04]/.test(fault)))
        expect(faults).toEqual([])
        await context.close()
      },
      120_000,
    )
  })
})

/** The page of a sale; how it is called depends on the files that ran before. */
async function soldLot(): Promise<string> {
  const [sale] = await site.sql<
    { slug: string }[]
  >`select slug from lots where slug like 'sale-%' order by slug limit 1`
  return `/listings/${sale?.slug}`
}
