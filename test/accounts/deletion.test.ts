import { describe, expect, it } from 'vitest'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { insertAlertRows } from '../support/site/accountRows.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'
import { startStripeSite } from '../support/site/stripeSite.ts'

const site = serviceFor()

const callWith = async (key: string) => (await site.get('/api/v1/sources', { key })).status

async function erase(browser: FormBrowser, confirmation: string) {
  return (await browser.open('/account/settings')).form('/account/delete').submit({ confirmation })
}

/** Every row of the database that holds a text, as `table: row`. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await site.sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await site.sql<{ row: string }[]>`
      select t::text as row from ${site.sql(name)} t where t::text like ${`%${text}%`}`
    found.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return found
}

describe('a deleted account', () => {
  it('leaves nothing that names its owner, its key is refused, its sessions have ended, and its counts stay', async () => {
    const browser = await site.signedIn('leaves@example.com')
    const elsewhere = await site.signedIn('leaves@example.com')
    const key = await browser.newKey('My private name')
    expect(await callWith(key)).toBe(200)
    const account = await insertAlertRows(site.sql, 'leaves@example.com')
    await site.sql`update accounts set digest_hour = 3, quiet_from = 21, quiet_until = 6 where id = ${account}`
    const costs = await browser.open('/account/costs')
    await costs.form('/account/costs').submit({ buyer_zip: '99950', cost_per_mile: '0.6789' })

    await (await browser.open('/account/settings'))
      .form('/account/address')
      .submit({ address: 'leaves@example.net' })

    const page = await browser.follow(erase(browser, ' Leaves@Example.com'))
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('Your account is deleted'),
    ])
    expect(browser.cookies.size).toBe(0)
    expect(await callWith(key)).toBe(401)
    expect((await elsewhere.open('/account')).status).toBe(303)
    const own = ['leaves@example.com', 'My private name', 'hooks.example.com', 'boats', '0.6789']
    for (const text of own) expect(await rowsWith(text)).toEqual([])
    // The limits of an address that was only asked for may be a stranger's: they count for at most
    // a day.
    expect(
      (await rowsWith('leaves@example.net')).filter(row => !row.startsWith('attempts: ')),
    ).toEqual([])
    const [usage] =
      await site.sql`select used from monthly_usage where meter = ${`account:${account}`}`
    expect(usage).toEqual({ used: 1 })
    const times = (id: number) =>
      site.sql`select digest_hour, quiet_from, quiet_until from accounts where id = ${id}`
    expect(await times(account)).toEqual([{ digest_hour: 8, quiet_from: 0, quiet_until: 0 }])

    const again = await (await site.signedIn('leaves@example.com')).open('/account')
    expect(again.text).toContain('You have no keys yet.')
  })

  it.each(['', 'delete', 'other@example.com'])(
    '400 for the confirmation “%s”, and nothing is deleted',
    async typed => {
      const browser = await site.signedIn('stays@example.com')
      const { status, text } = await erase(browser, typed)
      expect([status, text]).toEqual([
        400,
        expect.stringContaining('enter its address, stays@example.com'),
      ])
      expect((await browser.open('/account')).status).toBe(200)
    },
  )

  it('takes nothing from another account', async () => {
    const [kept, gone] = [
      await site.signedIn('kept@example.com'),
      await site.signedIn('gone@example.com'),
    ]
    const key = await kept.newKey('kept')
    await erase(gone, 'gone@example.com')
    expect([await callWith(key), (await kept.open('/account')).status]).toEqual([200, 200])
  })
})

describe('an account with a subscription', () => {
  const world = shared(startStripeSite)

  async function eraseAt(browser: FormBrowser) {
    const page = await browser.open('/account/settings')
    const confirmation = /To confirm, enter (\S+@\S+)/.exec(page.text)![1]!
    return page.form('/account/delete').submit({ confirmation })
  }

  it('400 while it renews, also before its event has come; deleted when it is set to end', async () => {
    const customer = await world.customer()
    const event = world.stripe.pay(await customer.upgrade('pro'))
    const early = await eraseAt(customer.browser)
    expect([early.status, early.text]).toEqual([
      400,
      expect.stringContaining('subscription that renews'),
    ])
    await world.deliver(event)
    expect((await eraseAt(customer.browser)).status).toBe(400)
    const [subscription] = world.stripe.subscriptionsOf(await customer.id())
    subscription!.cancel_at = Math.floor(Date.now() / 1000) + 86_400
    expect((await eraseAt(customer.browser)).headers.location).toBe('/account/deleted')
  })

  it('503 while Stripe cannot be reached, and nothing is deleted', async () => {
    const customer = await world.customer()
    await world.deliver(world.stripe.pay(await customer.upgrade('pro')))
    world.stripe.fault = 'fails'
    expect((await eraseAt(customer.browser)).status).toBe(503)
    world.stripe.fault = null
    expect((await customer.browser.open('/account')).status).toBe(200)
  })
})
