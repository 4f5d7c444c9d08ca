import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { IN_BROWSER, loadPhotos, openBrowser, openWindow } from '../support/site/chromium.ts'
import { openEveryPage } from '../support/site/everyPage.ts'

const WIDTHS_PX = [390, 1280]
const FOLDER = process.env.SHOTS ?? 'shots'

it('writes a picture of every page, on a phone and a desktop, light and dark', {
  timeout: 1_800_000,
  ...IN_BROWSER,
}, async () => {
  const { pages, close } = await openEveryPage()
  const browser = await openBrowser()
  mkdirSync(FOLDER, { recursive: true })
  let written = 0
  for (const width of WIDTHS_PX)
    for (const { name, url, cookie, answer } of pages) {
      const context = await openWindow(browser, { width })
      await context.setExtraHTTPHeaders(cookie === '' ? {} : { cookie })
      const page = await context.newPage()
      if (answer)
        await page.route(url, route => route.fulfill({ contentType: 'text/html', body: answer }))
      await page.goto(url)
      await loadPhotos(page)
      const file = name.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const path = join(FOLDER, `${file.slice(0, 80)}.${width}.${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
        written++
      }
      await context.close()
    }
  await browser.close()
  await close()
  console.log(`${written} pictures of ${pages.length} pages are in ${FOLDER}/`)
  expect(written).toBe(pages.length * 4)
})
