import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { serviceFor } from '../../support/service/start.ts'
import { browserFor, findingsOf, IN_BROWSER, watch } from '../../support/site/chromium.ts'

describe('the owner of an account', IN_BROWSER, () => {
  const site = serviceFor({ linksToItself: true })
  const browser = browserFor()

  it.each([
    [320, 'light'],
    [1280, 'dark'],
  ] as const)(
    'makes a webhook endpoint and reads its log at %d px, %s',
    async (width, colorScheme) => {
      const timezoneId = 'America/Anchorage'
      const page = await browser.newPage({
        viewport: { width, height: 800 },
        colorScheme,
        timezoneId,
      })
      const faults = watch(page, site.address)
      const owner = `hooks.${width}@example.com`
      await signIn(page, owner)
      const [account] = await site.sql`
        update accounts set plan = 'pro_plus' where owner = ${owner} returning time_zone`
      expect(account).toEqual({ time_zone: timezoneId })
      await page.goto(`${site.address}/account/alerts/endpoints`)
      await page.getByLabel('URL (https)').fill(`https://hooks.example.com/${'long'.repeat(40)}`)
      faults.push(...(await faultsOf(page, width)))
      await page.getByRole('button', { name: 'Create the endpoint' }).click()
      await page.getByText('The endpoint was created.').waitFor()
      await site.sql`
        with failed as (
          insert into alert_deliveries (id, account_id, endpoint_id, kind, created_at)
          select gen_random_uuid(), e.account_id, e.id, 'test', now()
          from alert_endpoints e
          join accounts a on a.id = e.account_id
          where a.owner = ${owner}
          returning id
        )
        insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
        select id, now(), 500, 15000, repeat('no', 500) from failed`
      await page.reload()
      for (const summary of await page.locator('summary').all()) await summary.click()
      await page.getByText('nonono').waitFor()
      faults.push(...(await faultsOf(page, width)))
      await page.getByRole('button', { name: 'Send what failed' }).click()
      await page.getByText('The messages that failed are being sent again').waitFor()
      await page.getByText('Delete', { exact: true }).click()
      await page.getByRole('button', { name: 'Delete this endpoint' }).click()
      await page.getByText('The endpoint is deleted.').waitFor()
      faults.push(...(await faultsOf(page, width)))
      expect(faults).toEqual([])
      await page.close()
    },
    60_000,
  )

  it('leaves the frame of a mail in the mailbox of a demo by its link', async () => {
    await site.sql`update data_version set kind = 'demo'`
    site.deps.data.kind = 'demo'
    const card = `<!DOCTYPE html><html><head></head><body style="color: red"><a href="${site.address}/prices">See</a></body></html>`
    await site.sql`
      insert into demo_mails (recipient, subject, content, html, sent_at)
      values ('a@example.com', 'Lots', 'Lots', ${card}, now())`
    const page = await browser.newPage()
    const faults = watch(page, site.address)
    await page.goto(`${site.address}/demo/mailbox`)
    await page.frameLocator('iframe').getByRole('link', { name: 'See' }).click()
    await page.waitForURL(`${site.address}/prices`)
    expect(faults).toEqual([])
  })

  async function signIn(page: Page, address: string): Promise<void> {
    await page.goto(`${site.address}/account`)
    await page.getByLabel('Email address').fill(address)
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(site.address + site.loggedLink())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  }

  async function faultsOf(page: Page, width: number): Promise<string[]> {
    const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
    return [
      ...(await findingsOf(page)),
      ...(wide > width ? [`${page.url()} is ${wide} px wide`] : []),
    ]
  }
})
