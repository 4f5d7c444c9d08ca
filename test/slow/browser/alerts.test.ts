import type { Browser, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import demo from '../../../data/demo/alerts.json' with { type: 'json' }
import { loadDemo } from '../../../src/commands/demo.ts'
import type { Schemas } from '../../../src/contract/types.ts'
import { type Receiver, startReceiver } from '../../support/alerts/receiver.ts'
import { type LongCommand, runSurplus, startSurplus } from '../../support/run/commandLine.ts'
import { start, type TestService } from '../../support/service/start.ts'
import { PEPPER } from '../../support/service/testSettings.ts'
import { findingsOf, HAS_BROWSER, openBrowser, watch } from '../../support/site/chromium.ts'

const ALLOWED = { allowedHosts: ['127.0.0.1'], proxy: null }
const ARRIVES = { timeout: 20_000, interval: 500 }

let site: TestService
let browser: Browser
let receiver: Receiver
let deliverer: LongCommand

describe.skipIf(!HAS_BROWSER)('an alert', () => {
  beforeAll(async () => {
    receiver = await startReceiver()
    site = await start({
      linksToItself: true,
      settings: {
        webhooks: ALLOWED,
      },
    })
    const size = { lots: 1000, sales: 200, seed: 1 }
    await loadDemo(site.sql, { ...size, now: new Date(), withAlerts: true, onProgress: () => {} })
    site.deps.data.kind = 'demo'
    deliverer = startSurplus(['deliver'], {
      DATABASE_URL: site.databaseUrl,
      PUBLIC_URL: site.address,
      KEY_PEPPER: PEPPER,
      ALERTS_ALLOWED_HOSTS: '127.0.0.1',
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await deliverer?.end('SIGTERM')
    await receiver?.end()
    await site?.close()
  })

  it('is saved from a search, and a lot that appears arrives by mail, webhook and feed, until its mails are stopped', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
    const faults = watch(page, site.address)
    const check = async () => faults.push(...(await findingsOf(page)))
    await signIn(page)

    await page.goto(`${site.address}/account/alerts/endpoints`)
    await page.getByLabel('URL (https)').fill(receiver.url)
    await page.getByRole('button', { name: 'Create the endpoint' }).click()
    await page.getByText('Show the signing secret').click()
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? ''

    await page.goto(`${site.address}/search?category=vehicles&price_max=20000`)
    await page.getByRole('link', { name: 'Save this search' }).click()
    await check()
    await page.getByLabel('Name of the alert').fill('Vehicles & more')
    await page.getByLabel(`Webhook ${receiver.url}`).check()
    await page.getByRole('button', { name: 'Save the alert' }).click()
    const section = page.locator('section', { hasText: 'Vehicles & more' })
    const feed = await section.getByRole('link', { name: 'JSON Feed' }).getAttribute('href')

    await addLotLikeOneOfTheSearch()

    await expect.poll(() => receiver.received.length, ARRIVES).toBe(1)
    const { headers, body } = receiver.received[0]!
    const message = new Webhook(secret).verify(body, headers) as Schemas['LotMatched']
    const { search, change, listing } = message.data
    expect([message.type, search.name, change.kind]).toEqual(['lot.matched', 'Vehicles & more', 'new'])
    expect([listing.category, listing.status]).toEqual(['vehicles', 'live'])

    const mail = page.locator('article', { hasText: 'Vehicles & more' })
    const mails = async () => {
      await page.goto(`${site.address}/demo/mailbox`)
      return mail.count()
    }
    await expect.poll(mails, ARRIVES).toBe(1)
    await check()
    expect(await mail.getByRole('heading').textContent()).toBe(`New lot: ${listing.title}`)
    await mail.frameLocator('iframe').getByRole('link', { name: 'See the lot' }).click()
    await page.waitForURL(`${site.address}/listings/**`)
    await page.goBack()
    const { items } = (await (await fetch(new URL(feed!, site.address))).json()) as {
      items: { title: string }[]
    }
    expect(items.map(({ title }) => title)).toEqual([`New lot: ${listing.title}`])

    await mail.getByRole('link', { name: /\/alerts\/unsubscribe\// }).click()
    await check()
    await page.getByRole('button', { name: 'Stop the mails' }).click()
    await page.getByRole('heading', { name: 'The mails have stopped' }).waitFor()
    await page.goto(`${site.address}/account/alerts`)
    await expect.poll(() => section.textContent()).toContain('1 webhook')
    expect(await section.textContent()).not.toMatch(/mail at once/)
    expect(faults).toEqual([])
    await page.close()
  })

  /** As the demo account, by the link in the mailbox. */
  async function signIn(page: Page): Promise<void> {
    await page.goto(`${site.address}/account`)
    await page.getByLabel('E-mail address').fill(demo.owner)
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await page.goto(`${site.address}/demo/mailbox`)
    await page
      .getByRole('link', { name: /\/account\/sign-in\/link\?/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/account(?!\/sign-in)/)
  }

  /** A lot like one that the search finds. */
  async function addLotLikeOneOfTheSearch(): Promise<void> {
    const [like] = await site.sql<{ id: string }[]>`
      select id
      from lots
      where is_open and starts_at < now() and ends_at > now() + interval '1 hour' and category = 'vehicles' and price_cents < 2000000
      limit 1`
    const environment = { DATABASE_URL: site.databaseUrl }
    expect(await runSurplus(['demo', '--like', like!.id], environment)).toMatchObject({ code: 0 })
  }
})
