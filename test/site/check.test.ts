import { createRequire } from 'node:module'
import type { Browser, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { findingsOf, HAS_BROWSER, LOOKS, openBrowser } from '../support/site/chromium.ts'
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

describe('every page', () => {
  it('is found: the public ones, the guides, and those of an account', () => {
    for (const path of ['/', '/search', '/docs/quickstart', '/account', '/account/alerts', '/sources'])
      expect(every.paths).toContain(path)
    expect(every.paths.length).toBeGreaterThan(30)
  })

  it('is valid for html-validate, and its ids begin with a letter', async () => {
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
})

describe.skipIf(!HAS_BROWSER)('every page in Chromium', () => {
  it.each([LOOKS[0], LOOKS[3]])(
    'at %d px, %s: axe finds nothing serious',
    async (width, colorScheme) => {
      // The reference has a test of its own (test/slow/browser/reference.test.ts), once its renderer is there.
      const faults = await onEveryPage({ width, colorScheme }, async ({ page, path }) =>
        path === REFERENCE ? [] : findingsOf(page),
      )
      expect(faults).toEqual([])
    },
    600_000,
  )

  it('keeps within its bytes and requests', async () => {
    const faults = await onEveryPage({ width: 1280 }, async ({ responses, path }) => {
      if (path === REFERENCE) return []
      const own = responses.filter(response => response.url().startsWith(every.site.address))
      const bytes = await Promise.all(own.map(async response => (await response.body()).length))
      const sum = bytes.reduce((a, b) => a + b, 0)
      const found: string[] = []
      if (bytes[0]! > MOST_PAGE_BYTES) found.push(`the page has ${bytes[0]} bytes`)
      if (own.length > MOST_REQUESTS) found.push(`${own.length} requests`)
      if (sum > MOST_BYTES) found.push(`${sum} bytes`)
      return found
    })
    expect(faults).toEqual([])
  }, 300_000)

  it(`does not scroll sideways at ${NARROWEST_PX} px, which is also 1280 px at 400 % zoom`, async () => {
    const faults = await onEveryPage({ width: NARROWEST_PX }, async ({ page, path }) => {
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
      return wide > NARROWEST_PX && path !== REFERENCE ? [`${wide} px wide`] : []
    })
    expect(faults).toEqual([])
  }, 300_000)
})

type Opened = { page: Awaited<ReturnType<Browser['newPage']>>; path: string; responses: Response[] }

/** What `check` finds on every page, each with its path. */
async function onEveryPage(
  { width, colorScheme = 'light' }: { width: number; colorScheme?: 'light' | 'dark' },
  check: (opened: Opened) => Promise<string[]>,
): Promise<string[]> {
  const context = await browser!.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    extraHTTPHeaders: { cookie: every.cookie },
  })
  const faults: string[] = []
  for (const path of every.paths) {
    const page = await context.newPage()
    const responses: Response[] = []
    page.on('response', response => responses.push(response))
    await page.goto(every.site.address + path, { waitUntil: 'load' })
    for (const finding of await check({ page, path, responses })) faults.push(`${path}: ${finding}`)
    await page.close()
  }
  await context.close()
  return faults
}
