import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { start } from '../support/service/start.ts'
import { startStripeSite } from '../support/site/stripeSite.ts'
import { startSmtpStandIn } from '../support/standIns/smtpStandIn.ts'
import { PRICES } from '../support/standIns/stripeStandIn.ts'

const world = shared(startStripeSite)

afterEach(() => {
  world.stripe.fault = null
})

const callsTo = (path: string) => world.stripe.calls.filter(call => call.path === path)

/** A customer who has paid for a plan, and whose events have come. */
async function subscriber(plan: 'pro' | 'pro_plus' = 'pro') {
  const customer = await world.customer()
  await world.deliver(world.stripe.pay(await customer.upgrade(plan)))
  const [subscription] = world.stripe.subscriptionsOf(await customer.id())
  return { ...customer, subscription: subscription!.id }
}

const statusOf = async (key: string, path: string) => (await world.site.get(path, { key })).status

describe('an upgrade', () => {
  it('leads to the checkout of Stripe, and the plan changes by its events alone', async () => {
    const customer = await world.customer()
    const key = await customer.browser.newKey('paid')
    const checkout = await customer.upgrade('pro_plus')
    expect(checkout).toMatch(new RegExp(`^${world.stripe.origin}/c/pay/cs_test_`))
    const events = world.stripe.pay(checkout)
    const thanks = await customer.browser.open('/account?checkout=done')
    expect(thanks.text).toContain('as soon as Stripe confirms')
    expect(await customer.plan(), 'paid at Stripe, and the page of thanks seen').toBe('free')
    expect(await statusOf(key, '/api/v1/export')).toBe(403)

    expect(await world.deliver(events)).toEqual([200, 200, 200, 200])
    expect(await customer.plan()).toBe('pro_plus')
    expect(await statusOf(key, '/api/v1/export'), 'from the next call on').toBe(200)
    expect((await customer.browser.open('/account')).text).toContain(
      'This account is on Pro+ ($29 a month)',
    )
  })

  it('asks Stripe for the price of the plan, for the customer of the account, by a repeatable question', async () => {
    const customer = await world.customer()
    await customer.upgrade('pro')
    const created = callsTo('/v1/customers').at(-1)!
    expect(created.fields.email).toBe(customer.address)
    const call = callsTo('/v1/checkout/sessions').at(-1)!
    expect(call.idempotencyKey).toMatch(/^checkout-[0-9a-f]{64}-pro$/)
    expect(call.fields).toMatchObject({
      mode: 'subscription',
      customer: await customer.id(),
      'line_items[0][price]': PRICES.pro,
      'line_items[0][quantity]': '1',
      success_url: 'http://surplus.test/account?checkout=done',
      cancel_url: 'http://surplus.test/account?checkout=left',
    })
  })

  it('that is asked for twice by one form leads to one checkout, and makes one customer', async () => {
    const customer = await world.customer()
    const before = callsTo('/v1/customers').length
    const form = (await customer.browser.open('/account')).forms.find(
      ({ fields }) => fields.plan === 'pro',
    )!
    const answers = await Promise.all([form.submit(), form.submit(), form.submit()])
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1)
    const calls = callsTo('/v1/customers').slice(before)
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  })

  it('leads to the portal, and never to a second subscription, once there is one', async () => {
    const { browser, ...customer } = await subscriber('pro')
    const page = await browser.open('/account')
    const buttons = page.forms.filter(({ fields }) => fields.plan)
    expect(buttons, 'no button for a second one').toEqual([])
    const asked = { form_token: browser.formToken(), plan: 'pro_plus', attempt: randomUUID() }
    const { headers } = await browser.submit('/account/plan', asked)
    expect(headers.location).toMatch(new RegExp(`^${world.stripe.origin}/p/session/`))
    expect(await customer.plan()).toBe('pro')
  })

  it('leads to the portal when it is paid, though no event has come yet', async () => {
    const customer = await world.customer()
    world.stripe.pay(await customer.upgrade('pro'))
    expect(await customer.upgrade('pro_plus')).toMatch(
      new RegExp(`^${world.stripe.origin}/p/session/`),
    )
  })

  it('400 to a plan that is not sold', async () => {
    const customer = await world.customer()
    const form_token = customer.browser.formToken()
    for (const plan of ['enterprise', 'free', '', 'price_x', '__proto__'])
      expect((await customer.browser.submit('/account/plan', { form_token, plan })).status).toBe(
        400,
      )
  })

  it.each(['hangsUp', 'fails', 'busy'] as const)(
    '503 as a page, with Retry-After, when Stripe %s',
    async fault => {
      const customer = await world.customer()
      const form = (await customer.browser.open('/account')).forms.find(
        ({ fields }) => fields.plan === 'pro',
      )!
      world.stripe.fault = fault
      const { status, headers, text } = await form.submit()
      expect([status, headers['retry-after']]).toEqual([503, '10'])
      expect(text).toContain('payment service cannot be reached')
      world.stripe.fault = null
      expect((await form.submit()).status).toBe(303)
    },
  )

  it('429 after 20 ways to Stripe in an hour', async () => {
    const customer = await subscriber()
    const form = (await customer.browser.open('/account')).form('/account/payments')
    for (let index = 0; index < 19; index++) expect((await form.submit()).status).toBe(303)
    expect((await form.submit()).status).toBe(429)
  })

  it('may lead a form to the pages of Stripe, and to no other site', async () => {
    const { headers } = await world.site.browser().open('/account/sign-in')
    expect(headers['content-security-policy']).toContain(
      `form-action 'self' ${world.stripe.origin};`,
    )
  })
})

describe('the portal', () => {
  it('is opened for the customer of the account, and leads back to it', async () => {
    const customer = await subscriber()
    const { status, headers } = await (await customer.browser.open('/account'))
      .form('/account/payments')
      .submit()
    expect([status, headers.location]).toEqual([303, expect.stringContaining('/p/session/')])
    expect(callsTo('/v1/billing_portal/sessions').at(-1)!.fields).toEqual({
      customer: await customer.id(),
      return_url: 'http://surplus.test/account',
    })
  })

  it('404 for an account that has never paid', async () => {
    const customer = await world.customer()
    const form_token = customer.browser.formToken()
    expect((await customer.browser.submit('/account/payments', { form_token })).status).toBe(404)
  })
})

describe('a subscription', () => {
  it.each([
    ['active', 'pro', null],
    ['trialing', 'pro', null],
    ['past_due', 'pro', 'The last payment failed. Stripe will retry it'],
    ['unpaid', 'free', 'The subscription is not paid'],
    ['incomplete', 'free', 'The subscription is not paid'],
    ['paused', 'free', 'The subscription is not paid'],
    ['incomplete_expired', 'free', null],
    ['canceled', 'free', null],
    ['a status of tomorrow', 'free', null],
  ])('that is %s gives %s', async (status, plan, words) => {
    const customer = await subscriber('pro')
    await world.deliver([world.stripe.change(customer.subscription, { status })])
    expect(await customer.plan()).toBe(plan)
    const { text } = await customer.browser.open('/account')
    if (words) expect(text).toContain(words)
    else expect(text).not.toMatch(/payment failed|not paid/)
  })

  it('that is cancelled goes on to the end of its period, and the page says when', async () => {
    const customer = await subscriber('pro_plus')
    const cancelled = { cancel_at_period_end: true, cancel_at: Date.UTC(2026, 11, 20) / 1000 }
    await world.deliver([world.stripe.change(customer.subscription, cancelled)])
    expect(await customer.plan()).toBe('pro_plus')
    const { text } = await customer.browser.open('/account')
    expect(text).toContain('ends on Dec 20, 2026; then the account is on Free')
    await world.deliver([world.stripe.change(customer.subscription, { status: 'canceled' })])
    expect(await customer.plan()).toBe('free')
    const { forms } = await customer.browser.open('/account')
    expect(forms.filter(({ fields }) => fields.plan)).toHaveLength(2)
  })

  it('that changes its price changes the plan', async () => {
    const customer = await subscriber('pro')
    const items = (price: string) => ({
      items: { object: 'list', data: [{ id: 'si_1', price: { id: price } }] },
    })
    await world.deliver([world.stripe.change(customer.subscription, items(PRICES.pro_plus))])
    expect(await customer.plan()).toBe('pro_plus')
    await world.deliver([
      world.stripe.change(customer.subscription, items('price_of_something_else')),
    ])
    expect(await customer.plan()).toBe('free')
    expect(world.site.log()).toMatch(
      /"unknownPrices":\["price_of_something_else"\].*a subscription has a price that is not in the settings/,
    )
  })

  it('gives the best plan while there are two', async () => {
    const customer = await world.customer()
    const [one, other] = [await customer.upgrade('pro'), await customer.upgrade('pro_plus')]
    await world.deliver([...world.stripe.pay(other), ...world.stripe.pay(one)])
    expect(await customer.plan()).toBe('pro_plus')
    const [, cheaper] = world.stripe.subscriptionsOf(await customer.id())
    await world.deliver([world.stripe.change(cheaper!.id, { status: 'canceled' })])
    expect(await customer.plan()).toBe('pro_plus')
  })

  it('ends with its customer, who can start again', async () => {
    const customer = await subscriber('pro')
    await world.deliver(world.stripe.deleteCustomer(await customer.id()).slice(-1))
    expect([await customer.plan(), await customer.id()]).toEqual(['free', null])
    expect(await customer.upgrade('pro')).toContain('/c/pay/')
  })

  it('leaves the keys alone that an operator made for the account', async () => {
    const customer = await subscriber('pro_plus')
    await world.site.sql`
      insert into keys (account_id, plan, secret_hash, hint)
      select id, 'enterprise', decode('00', 'hex'), 'abcd' from accounts where owner = ${customer.address}`
    await world.deliver([world.stripe.change(customer.subscription, { status: 'canceled' })])
    const [key] = await world.site.sql`
      select k.plan from keys k join accounts a on a.id = k.account_id where a.owner = ${customer.address}`
    expect(key!.plan).toBe('enterprise')
  })
})

describe('a service without Stripe', () => {
  it('mails the operator who asks for which plan, chosen on the page of prices before signing in', async () => {
    const smtp = await forOneTest(startSmtpStandIn())
    const mail = { smtpUrl: smtp.url, from: 'no-reply@surplus.example' }
    const site = await forOneTest(
      start({ settings: { contactEmail: 'sales@surplus.example', mail } }),
    )
    const browser = site.browser()
    const pricing = await browser.open('/pricing')
    expect(pricing.body.match(/(?<=class="action" href=")[^"]*/g)).toEqual([
      '/account',
      '/account?plan=pro#plan',
      '/account?plan=pro_plus#plan',
      'mailto:sales@surplus.example',
    ])
    const signIn = await browser.follow(browser.open('/account?plan=pro_plus'))
    await signIn.form('/account/sign-in').submit({ address: 'asks@example.com' })
    const [link] = /\/account\/sign-in\/link\?token=[\w-]+/.exec(smtp.mails.at(-1)!.text)!
    const entered = await (await browser.open(link)).form('/account/sign-in/link').submit()
    expect(entered.headers.location).toBe('/account?plan=pro_plus#plan')
    const page = await browser.open('/account?plan=pro_plus')
    expect(page.body).toMatch(
      /class="secondary">Ask for Pro, \$9 a month.*<button type="submit">Ask for Pro\+/s,
    )
    const form = page.forms.find(({ fields }) => fields.plan === 'pro_plus')!
    const answer = await browser.follow(form.submit())
    expect(answer.text).toContain('has your request')
    expect(smtp.mails.at(-1)!.to).toEqual(['sales@surplus.example'])
    expect(smtp.mails.at(-1)!.headers).toMatch(/^Reply-To: asks@example.com\r?$/m)
    expect(smtp.mails.at(-1)!.text).toContain('asks for the plan Pro+, $29 a month.')
    expect((await form.submit({ plan: 'enterprise' })).status).toBe(400)
  })

  it.each([
    ['names whom to ask', 'sales@surplus.example', 'contact us at sales@surplus.example'],
    ['says so where nobody is named', null, 'ask the operator of this service'],
  ])('%s, and has no button and no webhook', async (_what, contactEmail, words) => {
    const site = await forOneTest(start({ settings: { contactEmail } }))
    const browser = await site.signedIn('asks@example.com')
    const page = await browser.open('/account')
    expect(page.text).toContain(`To change plans, ${words}`)
    const pricing = await browser.open('/pricing')
    const mailed = `To get a paid plan, email ${contactEmail}`
    expect(pricing.text).toContain(
      contactEmail ? mailed : 'No paid plan is sold here; every account is on Free.',
    )
    await insertLots(site.sql, [{ slug: 'wrong' }])
    const { body } = await browser.open('/listings/wrong')
    expect(body.includes('Something wrong with this lot?')).toBe(contactEmail !== null)
    const isNamed = `<a href="mailto:${contactEmail}">Contact</a></p>`
    expect(pricing.body.includes(isNamed)).toBe(contactEmail !== null)
    expect(pricing.body.includes('>Contact<')).toBe(contactEmail !== null)
    expect(page.forms.filter(({ action }) => /plan|payments/.test(action))).toEqual([])
    const { form_token = '' } = page.form('/account/keys').fields
    for (const path of ['/account/plan', '/account/payments'])
      expect((await browser.submit(path, { form_token, plan: 'pro' })).status).toBe(404)
    expect((await fetch(`${site.address}/webhooks/stripe`, { method: 'POST' })).status).toBe(404)
    expect(page.headers['content-security-policy']).toContain("form-action 'self';")
  })
})
