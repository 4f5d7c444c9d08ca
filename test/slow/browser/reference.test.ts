import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { NOW } from '../../support/lots/fixtures.ts'
import { needs } from '../../support/run/needs.ts'
import { serviceFor } from '../../support/service/start.ts'
import {
  browserFor,
  findingsOf,
  HAS_BROWSER,
  IN_BROWSER,
  LOOKS,
  watch,
} from '../../support/site/chromium.ts'
import { furnish } from '../../support/site/site.ts'

const HAS_RENDERER = existsSync(projectFile('vendor', 'scalar.js'))
const OPTIONS = HAS_BROWSER ? needs(HAS_RENDERER, 'vendor/scalar.js (make reference)') : IN_BROWSER

describe('the API reference', OPTIONS, () => {
  const site = serviceFor({ now: NOW, linksToItself: true })
  const browser = browserFor()
  beforeAll(() => furnish(site.sql))

  async function open(width: number, colorScheme: 'light' | 'dark', anchor = '') {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    const faults = watch(page, site.address)
    await page.goto(`${site.address}/docs/reference${anchor}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return { page, faults }
  }

  it('tries an operation against the same host: 401 without a key, the sources with one', async () => {
    const key = await site.makeKey('free')
    const { page, faults } = await open(1280, 'light', '#tag/sources/GET/api/v1/sources')
    await page
      .getByRole('button', { name: /Test Request.*sources/i })
      .first()
      .click()

    expect((await tried(page)).status()).toBe(401)
    await page.getByRole('dialog').getByText('401 Unauthorized').waitFor()
    await page.getByRole('dialog').getByPlaceholder('Token').fill(key)
    const answer = await tried(page)
    expect(answer.status()).toBe(200)
    expect((await answer.json()).data).toContainEqual(
      expect.objectContaining({ source: 'gsa', live_count: 4 }),
    )
    await page.getByRole('dialog').getByText('200 OK').waitFor()
    // The refused call is meant to be; the browser reports it as an error.
    expect(faults.filter(fault => !fault.includes('status of 401'))).toEqual([])
    await page.close()
  })

  it('asks for one category and gets rows, of a lot that exists, and keeps the key over a reload', async () => {
    const key = await site.makeKey('free')
    const { page, faults } = await open(1280, 'light', '#tag/listings/GET/api/v1/listings')
    const test = (name: RegExp) => page.getByRole('button', { name }).first().click()
    await test(/Test Request.*get \/api\/v1\/listings\)/i)
    await page.getByRole('dialog').getByPlaceholder('Token').fill(key)
    const search = await tried(page, '/api/v1/listings?category=vehicles')
    expect((await search.json()).data.length).toBeGreaterThan(0)

    // The renderer writes what it keeps half a second after the last change.
    await page.waitForTimeout(1_500)
    await page.goto(`${site.address}/docs/reference#tag/listings/GET/api/v1/listings/{id}`)
    await page.reload()
    await test(/Test Request.*get \/api\/v1\/listings\/{id}\)/i)
    const one = await tried(page, '/api/v1/listings/')
    expect(one.status()).toBe(200)
    expect(faults).toEqual([])
    await page.close()
  })

  it('on a phone is read before the renderer is loaded, which a tap on an operation starts', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 700 } })
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${site.address}/docs/reference`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    const isLoaded = () => asked.some(address => address.endsWith('/scalar.js'))
    expect(isLoaded()).toBe(false)
    await page.getByRole('link', { name: 'GET /api/v1/comps' }).click()
    await page.getByRole('heading', { name: 'Read sold-price comparables' }).waitFor()
    expect(isLoaded()).toBe(true)
    await page.close()
  })

  function tried(page: Page, path = '/api/v1/sources') {
    const answer = page.waitForResponse(response => response.url().startsWith(site.address + path))
    const send = page.getByRole('dialog').getByRole('button', { name: /Send get request/ })
    return Promise.all([answer, send.click()]).then(([response]) => response)
  }

  it.each(LOOKS)(
    'at %d px, %s: axe finds nothing serious, nothing scrolls sideways, no other host is asked',
    async (width, scheme) => {
      const { page, faults } = await open(width, scheme, '#tag/listings/GET/api/v1/listings')
      await page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .waitFor()
      // Scalar's own banner and main stand beside those of the site.
      const findings = await findingsOf(page)
      expect(findings.filter(finding => !finding.startsWith('landmark-'))).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(faults).toEqual([])
      await page.close()
    },
    60_000,
  )
})
