import { createRequire } from 'node:module'
import type { Page, Response } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { shared } from '../support/run/shared.ts'
import {
  browserFor,
  COUNT_SHIFTS,
  findingsOf,
  HAS_BROWSER,
  IN_BROWSER,
  loadPhotos,
  openWindow,
  watch,
} from '../support/site/chromium.ts'
import { htmlOf, openEveryPage, type SitePage } from '../support/site/everyPage.ts'

/** The reference loads its renderer (4.4 MB) after its words. */
const REFERENCE = '/docs/reference'
/** A page as it is sent, compressed. */
const MOST_PAGE_BYTES = 25_000
/**
 * Page, style sheet, script, drawings and icon. Photos come from other hosts and are not counted.
 */
const MOST_REQUESTS = 6
const MOST_BYTES = 60_000
/** How far parts of a page may move while it is read, in the unit of the Web Vitals. */
const MOST_SHIFT = 0.05
const NARROWEST_PX = 320
const PHONE = { width: 390, height: 844 }

interface Validator {
  validateString(
    html: string,
    options: object,
  ): Promise<{ results: { messages: { ruleId: string; message: string; line: number }[] }[] }>
}

const every = shared(openEveryPage)
const browser = HAS_BROWSER ? browserFor() : null

it('every route of a page is walked', () => {
  expect(every.missed, 'patterns that nothing in test/support/site/everyPage.ts leads to').toEqual(
    [],
  )
})

it('every page is valid for html-validate, and its ids begin with a letter', async () => {
  const require = createRequire(projectFile('tools', 'package.json'))
  const { HtmlValidate } = require('html-validate') as { HtmlValidate: new () => Validator }
  const validator = new HtmlValidate()
  const config = { root: true, extends: ['html-validate:recommended'] }
  const faults: string[] = []
  for (const page of every.pages) {
    const html = await htmlOf(page)
    const { results } = await validator.validateString(html, config)
    for (const { messages } of results)
      for (const { ruleId, message, line } of messages)
        faults.push(
          `${page.name}: ${ruleId}: ${message}: ${html.split('\n')[line - 1]?.slice(0, 160)}`,
        )
    for (const [, id] of html.matchAll(/\sid="([^"]*)"/g))
      if (!/^[a-z]/i.test(id!)) faults.push(`${page.name}: the id ${id}`)
  }
  expect(faults).toEqual([])
}, 300_000)

describe('every page in Chromium', IN_BROWSER, () => {
  it.each([360, 1280])(
    'at %d px, light and dark: nothing for axe, nothing moves or scrolls sideways, its bytes and requests are few, no other host is asked',
    async width => {
      const faults: string[] = []
      // The reference has a test of its own (test/slow/browser/reference.test.ts), once its
      // renderer is there.
      for (const one of every.pages.filter(({ name }) => name !== REFERENCE))
        faults.push(...(await faultsOf(one, width)).map(fault => `${one.name}: ${fault}`))
      expect(faults).toEqual([])
    },
    1_800_000,
  )

  it('the first screen of a phone shows three lots of a search', async () => {
    const context = await openWindow(browser!, PHONE)
    const page = await context.newPage()
    await page.goto(`${every.address}/search?category=vehicles`)
    const boxes = await Promise.all(
      (await page.locator('.lot').all()).slice(0, 3).map(lot => lot.boundingBox()),
    )
    expect(boxes.map(box => box!.y + box!.height < PHONE.height)).toEqual([true, true, true])
    await context.close()
  })
})

/** What a page does in a window of this width that it may not do. */
async function faultsOf({ url, cookie, answer }: SitePage, width: number): Promise<string[]> {
  const context = await openWindow(browser!, { width })
  await context.setExtraHTTPHeaders(cookie === '' ? {} : { cookie })
  await context.addInitScript(COUNT_SHIFTS)
  const page = await context.newPage()
  const complaints = watch(page, new URL(url).origin)
  const responses: Response[] = []
  page.on('response', response => responses.push(response))
  if (answer)
    await page.route(url, route => route.fulfill({ contentType: 'text/html', body: answer }))
  await page.goto(url, { waitUntil: 'load' })
  await loadPhotos(page)
  const shift = (await page.evaluate('window.shifts')) as number
  const faults = [
    ...(shift >= MOST_SHIFT ? [`its parts move by ${shift.toFixed(3)}`] : []),
    ...(await weightFaults(
      responses.filter(response => response.url().startsWith(new URL(url).origin)),
    )),
    ...(await widthFaults(page, width)),
    ...(await findingsOf(page)),
  ]
  await page.emulateMedia({ colorScheme: 'dark' })
  faults.push(...(await findingsOf(page, ['color-contrast'])).map(finding => `dark: ${finding}`))
  // Also 1280 px at 400% zoom.
  await page.setViewportSize({ width: Math.min(width, NARROWEST_PX), height: 900 })
  faults.push(...(await widthFaults(page, NARROWEST_PX)))
  await context.close()
  // A refused page or photo is an error in the console; it is meant to be.
  return [...faults, ...complaints.filter(one => !/status of 4\d\d/.test(one))]
}

/** @param responses those of the service, the page first. */
async function weightFaults(responses: Response[]): Promise<string[]> {
  const sizes = await Promise.all(responses.map(response => response.request().sizes()))
  const bytes = sizes.map(({ responseBodySize }) => responseBodySize)
  const sum = bytes.reduce((a, b) => a + b, 0)
  return [
    ...(bytes[0]! > MOST_PAGE_BYTES ? [`the page has ${bytes[0]} bytes`] : []),
    ...(responses.length > MOST_REQUESTS ? [`${responses.length} requests`] : []),
    ...(sum > MOST_BYTES ? [`${sum} bytes`] : []),
  ]
}

async function widthFaults(page: Page, width: number): Promise<string[]> {
  const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
  return wide > width ? [`${wide} px wide, not ${width}`] : []
}
