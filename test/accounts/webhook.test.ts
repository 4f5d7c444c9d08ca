import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { shared } from '../support/run/shared.ts'
import { deliver, startStripeSite } from '../support/site/stripeSite.ts'
import { type StripeEvent, signatureOf, WEBHOOK_SECRET } from '../support/standIns/stripeStandIn.ts'

const world = shared(startStripeSite)

afterEach(() => {
  world.stripe.fault = null
  world.stripe.beforeList = null
})

/** A customer who has paid, and the events of that, which have not come yet. */
async function payer() {
  const customer = await world.customer()
  const events = world.stripe.pay(await customer.upgrade('pro'))
  const [subscription] = world.stripe.subscriptionsOf(await customer.id())
  return { ...customer, events, subscription: subscription!.id }
}

/** Every order of some things. */
function orders<T>(things: T[]): T[][] {
  if (things.length < 2) return [things]
  return things.flatMap((thing, index) =>
    orders(things.toSpliced(index, 1)).map(rest => [thing, ...rest]),
  )
}

const now = () => Math.floor(Date.now() / 1000)
const textOf = (event: StripeEvent) => JSON.stringify(event)
const lists = () => world.stripe.calls.filter(({ path }) => path === '/v1/subscriptions').length

describe('the webhook', () => {
  it.each<[string, (text: string) => string]>([
    ['no signature', () => ''],
    ['the signature of another secret', text => signatureOf(text, 'whsec_of_somebody')],
    ['the signature of an empty secret', text => signatureOf(text, '')],
    ['the signature of another body', text => signatureOf(`${text} `)],
    ['the signature of another time', text => signatureOf(text).replace(/t=\d+/, `t=${now() + 1}`)],
    [
      'a signature of 5 minutes ago and more',
      text => signatureOf(text, WEBHOOK_SECRET, now() - 302),
    ],
    ['a signature of another scheme alone', text => signatureOf(text).replace('v1=', 'v0=')],
    ['half a signature', text => signatureOf(text).slice(0, -1)],
    ['a time alone', () => `t=${now()}`],
    ['words', () => 'let me in'],
    ['5,000 letters', () => 'v1='.padEnd(5_000, 'a')],
  ])('400 for %s, and nothing changes', async (_what, sign) => {
    const customer = await payer()
    const before = lists()
    for (const event of customer.events) {
      const signature = { 'stripe-signature': sign(textOf(event)) }
      const answer = await deliver(world.site, textOf(event), signature)
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_request' }])
    }
    expect([await customer.plan(), lists()]).toEqual(['free', before])
  })

  it('200 for a signature of almost 5 minutes ago, and for one of two secrets while they are exchanged', async () => {
    const customer = await payer()
    const text = textOf(customer.events[3]!)
    const late = signatureOf(text, WEBHOOK_SECRET, now() - 295)
    expect((await deliver(world.site, text, { 'stripe-signature': late })).status).toBe(200)
    expect(await customer.plan()).toBe('pro')
    const both = `${signatureOf(text)},v1=${signatureOf(text, 'whsec_old').split('v1=')[1]}`
    expect((await deliver(world.site, text, { 'stripe-signature': both })).status).toBe(200)
  })

  it('takes the bytes as they came: another spelling of the same JSON has another signature', async () => {
    const { events } = await payer()
    const spelled = JSON.stringify(events[0], null, 7)
    const signature = { 'stripe-signature': signatureOf(textOf(events[0]!)) }
    expect((await deliver(world.site, spelled, signature)).status).toBe(400)
    expect((await deliver(world.site, spelled)).status).toBe(200)
  })

  it.each<[string, Record<string, string>]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('415 for %s', async (_what, headers) => {
    const { events, ...customer } = await payer()
    expect((await deliver(world.site, textOf(events[3]!), headers)).status).toBe(415)
    expect(await customer.plan()).toBe('free')
  })

  it('413 for more than any event has', async () => {
    const { events } = await payer()
    const large = JSON.stringify({ ...events[3], padding: 'a'.repeat(300_000) })
    expect((await deliver(world.site, large)).status).toBe(413)
  })

  it.each(['GET', 'PUT', 'DELETE'])('405 for %s', async method => {
    const { status, headers } = await fetch(`${world.site.address}/webhooks/stripe`, { method })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    '',
    'null',
    '{}',
    '[]',
    '"text"',
    '{"id":"evt_1","type":"invoice.paid"}',
    '{"id":1,"data":{}}',
    '{',
  ])('is not thrown by %j, were it signed', async body => {
    const { status } = await deliver(world.site, body)
    expect([200, 400]).toContain(status)
  })

  it('200 for what is not ours: other events, and customers of nobody here', async () => {
    const { events, ...customer } = await payer()
    const before = lists()
    const about = (object: StripeEvent['data']['object']) => ({
      ...events[0]!,
      id: randomUUID(),
      data: { object },
    })
    const stranger = about({ id: 'sub_x', object: 'subscription', customer: 'cus_x' })
    const none = about({ id: 'x', object: 'invoice', customer: null })
    const other = { ...events[0]!, id: 'evt_b', type: 'payout.paid' }
    expect(await world.deliver([stranger, other, none])).toEqual([200, 200, 200])
    expect([await customer.plan(), lists()]).toEqual(['free', before])
  })
})

describe('events', () => {
  it('come to the same in every order', async () => {
    for (const events of orders(['created', 'paid', 'past_due', 'canceled']).filter(
      (_, index) => index % 3 === 0,
    )) {
      const customer = await payer()
      const all: Record<string, StripeEvent> = {
        created: customer.events[0]!,
        paid: customer.events[3]!,
        past_due: world.stripe.change(customer.subscription, { status: 'past_due' }),
        canceled: world.stripe.change(customer.subscription, { status: 'canceled' }),
      }
      expect(await world.deliver(events.map(name => all[name]!))).toEqual([200, 200, 200, 200])
      expect(await customer.plan(), events.join(', ')).toBe('free')
    }
  })

  it('of the beginning, replayed after the end under a new signature, bring no plan back', async () => {
    const customer = await payer()
    await world.deliver(customer.events)
    expect(await customer.plan()).toBe('pro')
    await world.deliver([world.stripe.change(customer.subscription, { status: 'canceled' })])
    expect(await customer.plan()).toBe('free')
    const before = lists()
    expect(await world.deliver(customer.events)).toEqual([200, 200, 200, 200])
    expect(lists(), 'of a replay Stripe is not even asked').toBe(before)
    const renamed = customer.events.map(event => ({ ...event, id: `${event.id}_again` }))
    expect(await world.deliver(renamed)).toEqual([200, 200, 200, 200])
    expect(await customer.plan()).toBe('free')
  })

  it('at once leave the plan that Stripe has', async () => {
    const customer = await payer()
    await Promise.all(
      [...customer.events, ...customer.events].map(event => deliver(world.site, event)),
    )
    expect(await customer.plan()).toBe('pro')
  })

  it('whose look at Stripe was overtaken by a later one do not undo it', async () => {
    const customer = await payer()
    let goOn = () => {}
    const asked = new Promise<void>(isAsked => {
      world.stripe.beforeList = () => {
        world.stripe.beforeList = null
        isAsked()
        return new Promise<void>(resolve => {
          goOn = resolve
        })
      }
    })
    const slow = deliver(world.site, customer.events[3])
    await asked
    const end = world.stripe.change(customer.subscription, { status: 'canceled' })
    expect((await deliver(world.site, end)).status).toBe(200)
    expect(await customer.plan()).toBe('free')
    goOn()
    expect((await slow).status).toBe(200)
    expect(await customer.plan(), 'what the slow look saw is older').toBe('free')
  })

  it.each(['hangsUp', 'fails', 'busy'] as const)(
    '503 when Stripe %s, and dealt with when they come again',
    async fault => {
      const customer = await payer()
      world.stripe.fault = fault
      const answer = await deliver(world.site, customer.events[3])
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10'])
      expect(await customer.plan()).toBe('free')
      world.stripe.fault = null
      expect(await world.deliver([customer.events[3]!])).toEqual([200])
      expect(await customer.plan()).toBe('pro')
    },
  )

  it('are logged by name and outcome, and never with what they hold or are signed with', async () => {
    const customer = await payer()
    const before = world.site.log().length
    await world.deliver(customer.events)
    const written = world.site.log().slice(before)
    expect(written).toContain(customer.events[3]!.id)
    expect(written).toContain('"outcome":"applied","plan":"pro"')
    expect(written).not.toContain('v1=')
    expect(world.site.log()).not.toMatch(/sk_test|whsec_/)
  })
})
