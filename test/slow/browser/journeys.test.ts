import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { matchChanges } from '../../../src/usecases/alerts/matchChanges.ts'
import { deliverAt, queueDueMails } from '../../support/alerts/deliverer.ts'
import { fromNow, HOUR, NOW } from '../../support/lots/fixtures.ts'
import { shared } from '../../support/run/shared.ts'
import { start } from '../../support/service/start.ts'
import { browserFor, IN_BROWSER, openWindow, watch } from '../../support/site/chromium.ts'
import { insertLotStates } from '../../support/site/lotStates.ts'
import { part, startSmtpStandIn } from '../../support/standIns/smtpStandIn.ts'

const PHONE = { width: 390, height: 844 }
const LOT = '2016 Ford F-150 without a bid'

let context: BrowserContext
let page: Page
let faults: string[]

describe('on a phone', IN_BROWSER, () => {
  const smtp = shared(startSmtpStandIn)
  const mail = () => ({ smtpUrl: smtp.url, from: 'no-reply@surplus.example' })
  const site = shared(() => start({ now: NOW, linksToItself: true, settings: { mail: mail() } }))
  const browser = browserFor()
  beforeAll(() => insertLotStates(site.sql))
  beforeEach(async () => {
    context = await openWindow(browser, PHONE)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await context.newPage()
    faults = watch(page, site.address)
  })
  afterEach(async () => {
    await context.close()
    // A photo that its source refuses is meant to be.
    expect(faults.filter(fault => !fault.includes('401'))).toEqual([])
  })

  it('a buyer searches, watches a lot, is mailed a card, opens the lot from it, and stops the mails', async () => {
    await page.goto(site.address)
    await page.getByRole('searchbox').first().fill('ford "without a bid"')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: LOT }).click()
    await page.getByRole('link', { name: 'Watch', exact: true }).click()
    await signIn('buyer@example.com')
    await site.sql`update accounts set plan = 'pro_plus' where owner = 'buyer@example.com'`
    await page.reload()
    await page.getByLabel('New bid').check()
    await page.getByRole('button', { name: 'Save the alert' }).click()
    await page.getByText('The alert is saved.').waitFor()

    await matchChanges(site.sql, { now: NOW })
    await site.sql`update lots set current_bid_cents = 212500, num_bids = 1 where slug = 'no-bid'`
    const { mailer } = site.deps
    const before = smtp.mails.length
    await matchChanges(site.sql, { now: NOW })
    // The second moment is after the quiet hours of the account.
    for (const moment of [NOW, fromNow(6 * HOUR)]) {
      await queueDueMails(site.sql, moment)
      await deliverAt(site.sql, moment, { mailer, publicUrl: site.address })
    }
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([['buyer@example.com']])
    await page.route(`${site.address}/mail`, route =>
      route.fulfill({ contentType: 'text/html', body: part(smtp.mails.at(-1)!.text, 'text/html') }),
    )
    await page.goto(`${site.address}/mail`)
    expect(await page.getByRole('main').innerText()).toContain(
      '$2,125 Current bid, was $1,500, 1 bid',
    )
    await page.getByRole('link', { name: 'See the lot' }).click()
    await page.getByRole('heading', { level: 1, name: LOT }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^Unsubscribe/ }).click()
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'The emails have stopped' }).waitFor()
  })

  it('a reader goes from the price of an item to its lots, shares one, and goes back and forth', async () => {
    await page.goto(`${site.address}/prices`)
    await page.getByRole('link', { name: 'Ford F-150' }).first().click()
    const title = await page.getByRole('heading', { level: 1 }).innerText()
    await page.locator('.lot h3 a').first().click()
    const lot = await page.getByRole('heading', { level: 1 }).innerText()
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string
    await page.goBack()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(title)
    await page.goForward()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(lot)
    const other = await (await openWindow(browser, PHONE)).newPage()
    await other.goto(link)
    expect(await other.getByRole('heading', { level: 1 }).innerText()).toBe(lot)
    await other.context().close()
  })

  it('a developer signs in, copies a key and a guide with it, and the call is counted', async () => {
    await page.goto(`${site.address}/account`)
    await signIn('developer@example.com')
    await page.getByLabel('Name of the new key').fill('first')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const box = await page.locator('#key').boundingBox()
    expect(box!.x + box!.width, 'the key is not cut off').toBeLessThanOrEqual(PHONE.width)
    await page.getByRole('button', { name: 'Copy the key' }).click()
    const key = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(key).toBe(await page.locator('#key').innerText())
    await page.getByRole('link', { name: 'guides' }).click()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`export SURPLUS_KEY=${key}`)
    await page.getByRole('button', { name: 'Copy' }).nth(1).click()
    const curl = (await page.evaluate('navigator.clipboard.readText()')) as string
    const [, address = ''] = /"(http[^"]*)"$/.exec(curl) ?? []
    const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    await page.goto(`${site.address}/account`)
    expect(await page.locator('#usage strong').first().textContent()).toBe('1')
  })

  async function signIn(address: string): Promise<void> {
    await page.getByLabel('Email address').fill(address)
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    const [link = ''] =
      /http\S+\/account\/sign-in\/link\?token=[\w-]+/.exec(smtp.mails.at(-1)!.text) ?? []
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/account(?!\/sign-in)/)
  }
})
