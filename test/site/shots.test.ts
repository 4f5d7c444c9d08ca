import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HAS_BROWSER, openBrowser } from '../support/site/chromium.ts'
import { openEveryPage } from '../support/site/everyPage.ts'

const WIDTHS_PX = [390, 1280]
const FOLDER = process.env.SHOTS ?? 'shots'

it.skipIf(!HAS_BROWSER)(
  'writes a picture of every page, on a phone and a desktop, light and dark',
  async () => {
    const { site, cookie, paths } = await openEveryPage()
    const browser = await openBrowser()
    mkdirSync(FOLDER, { recursive: true })
    let written = 0
    for (const width of WIDTHS_PX)
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          viewport: { width, height: 900 },
          colorScheme,
          extraHTTPHeaders: { cookie },
        })
        const page = await context.newPage()
        for (const path of paths) {
          await page.goto(site.address + path)
          const name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'
          await page.screenshot({
            path: join(FOLDER, `${name.slice(0, 80)}.${width}.${colorScheme}.png`),
            fullPage: true,
          })
          written++
        }
        await context.close()
      }
    await browser.close()
    await site.close()
    console.log(`${written} pictures of ${paths.length} pages are in ${FOLDER}/`)
    expect(written).toBe(paths.length * 4)
  },
  1_800_000,
)
