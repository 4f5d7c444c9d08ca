import { createRequire } from 'node:module'
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { findingsOf, HAS_BROWSER, LOOKS, openBrowser, watch } from '../support/site/chromium.ts'
import { type EveryPage, openEveryPage } from '../support/site/everyPage.ts'
import { readPage } from '../support/site/readPage.ts'

/** The reference loads its renderer (4.4 MB) after its words. */
const REFERENCE = '/docs/reference'
const MOST_PAGE_BYTES = 100_000
/** Page, style sheet, script, drawings and icon. Photos come from other hosts and are not counted. */
const MOST_REQUESTS = 6
const MOST_BYTES = 200_000
const NARROWEST_PX = 320

interface Validator {
  validateString(
    html: string,
    options: object,
  ): Promise<{ results: { messages: { ruleId: string; message: string; line: number }[] }[] }>
}

let every: EveryPage
let browser: Browser | null = null

beforeAll(async () => {
  every = await openEveryPage()
  if (HAS_BROWSER) browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await every?.site.close()
})

describe.skipIf(process.env.SMOKE)('every page', () => {
  it('is found: the public ones, the guides, and those of an account', () => {
    for (const path of [
      '/',
      '/search',
      '/docs/quickstart',
      '/account',
      '/account/alerts',
      '/sources',
      '/status',
    ])
      expect(every.paths).toContain(path)
    expect(every.paths.length).toBeGreaterThan(30)
  })
})

it('every page is valid for html-validate, and its ids begin with a letter', async () => {
  const require = createRequire(projectFile('tools', 'package.json'))
  const { HtmlValidate } = require('html-validate') as { HtmlValidate: new () => Validator }
  const validator = new HtmlValidate()
  const config = { root: true, extends: ['html-validate:recommended'] }
  const faults: string[] = []
  for (const path of every.paths) {
    const { html } = await readPage(every.site.address + path, { cookie: every.cookie })
    const { results } = await validator.validateString(html, config)
    for (const { messages } of results)
      for (const { ruleId, message, line } of messages)
        faults.push(`${path}: ${ruleId}: ${message}: ${html.split('\n')[line - 1]?.slice(0, 160)}`)
    for (const [, id] of html.matchAll(/\sid="([^"]*)"/g))
      if (!/^[a-z]/i.test(id!)) faults.push(`${path}: the id ${id}`)
  }
  expect(faults).toEqual([])
}, 300_000)

describe.skipIf(!HAS_BROWSER)('every page in Chromium', () => {
  it.each(process.env.SMOKE ? [LOOKS[0], LOOKS[3]] : LOOKS)(
    'at %d px, %s: axe finds nothing serious, nothing scrolls sideways, no other host is asked, no policy is breached',
    async (width, colorScheme) => {
      const faults = await onEveryPage({ width, colorScheme }, async page => [
        ...(await findingsOf(page)),
        ...(await widthFaults(page, width)),
      ])
      expect(faults).toEqual([])
    },
    1_200_000,
  )

  it(`keeps within its bytes and requests, and does not scroll sideways at ${NARROWEST_PX} px, which is also 1280 px at 400% zoom`, async () => {
    const faults = await onEveryPage({ width: NARROWEST_PX }, async (page, responses) => {
      const own = responses.filter(response => response.url().startsWith(every.site.address))
      const bytes = await Promise.all(own.map(async response => (await response.body()).length))
      const sum = bytes.reduce((a, b) => a + b, 0)
      const found = await widthFaults(page, NARROWEST_PX)
      if (bytes[0]! > MOST_PAGE_BYTES) found.push(`the page has ${bytes[0]} bytes`)
      if (own.length > MOST_REQUESTS) found.push(`${own.length} requests`)
      if (sum > MOST_BYTES) found.push(`${sum} bytes`)
      return found
    })
    expect(faults).toEqual([])
  }, 300_000)
})

async function widthFaults(page: Page, width: number): Promise<string[]> {
  const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
  return wide > width ? [`${wide} px wide`] : []
}

/** What `check` finds on every page, and what a browser complains of, each with its path. */
async function onEveryPage(
  { width, colorScheme = 'light' }: { width: number; colorScheme?: 'light' | 'dark' },
  check: (page: Page, responses: Response[]) => Promise<string[]>,
): Promise<string[]> {
  const context = await browser!.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    extraHTTPHeaders: { cookie: every.cookie },
  })
  const faults: string[] = []
  // The reference has a test of its own (test/slow/browser/reference.test.ts), once its renderer is there.
  for (const path of every.paths.filter(path => path !== REFERENCE)) {
    const page = await context.newPage()
    const complaints = watch(page, every.site.address)
    const responses: Response[] = []
    page.on('response', response => responses.push(response))
    await page.goto(every.site.address + path, { waitUntil: 'load' })
    // A refused page is an error in the console; it is meant to be.
    const found = [
      ...(await check(page, responses)),
      ...complaints.filter(one => !/status of 40[04]/.test(one)),
    ]
    faults.push(...found.map(finding => `${path}: ${finding}`))
    await page.close()
  }
  await context.close()
  return faults
}
