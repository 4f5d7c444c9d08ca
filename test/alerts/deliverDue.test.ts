import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWebhookClient } from '../../src/infra/alerts/webhookClient.ts'
import type { Mailer, MailMessage } from '../../src/infra/mail/mailer.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { deliverAt as deliver, fixedAt, testDeliverer } from '../support/alerts/deliverer.ts'
import { type Answering, OK, type Receiver, startReceiver } from '../support/alerts/receiver.ts'
import { DAY, fromNow, HOUR, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const SECOND = 1_000
/** Jitter spreads each wait by a tenth. */
const JITTERED = 1.1

const world = shared(startAlertWorld)
let receivers: Receiver[] = []
let mailed: MailMessage[] = []
let send: Mailer['send']

beforeEach(() => {
  mailed = []
  send = async mail => {
    mailed.push(mail)
    return 'sent'
  }
})
afterEach(async () => {
  await Promise.all(receivers.splice(0).map(receiver => receiver.end()))
  await world.empty()
})

async function receiving(answer?: Answering): Promise<Receiver> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  return receiver
}

/** Sends everything that is due at a moment; resolves with the answers. */
const deliverAt = (moment: Date) =>
  deliver(world.sql, moment, { mailer: { hasServer: true, send: mail => send(mail) } })

async function oneDelivery(answer?: Answering) {
  const receiver = await receiving(answer)
  const accountId = await world.makeAccount()
  const searchId = await world.makeSearch(accountId)
  const lotId = await world.makeLot({ title: '2014 FORD F-150 XL', state: 'IL', city: 'CHICAGO' })
  const endpoint = await world.makeEndpoint(accountId, receiver.url)
  const id = await world.makeDelivery(searchId, lotId, endpoint.id)
  return { receiver, accountId, searchId, lotId, endpoint, id }
}

describe('a match that is delivered', () => {
  it('arrives once, with the lot as it is when it is sent, and the reference library accepts its signature', async () => {
    // The library compares the timestamp with the true clock.
    const { receiver, id, lotId, searchId, endpoint } = await oneDelivery()
    // Gary, Indiana.
    await world.sql`update lots set num_bids = 12, latitude = 41.6, longitude = -87.3 where id = ${lotId}`
    await world.sql`update saved_searches set query = '{"zip": "60601-1234"}' where id = ${searchId}`
    await world.sql`update alert_matches set former_price_cents = 450000`
    const now = new Date()
    await deliverAt(now)
    expect(receiver.received).toHaveLength(1)
    const { headers, body } = receiver.received[0]!
    expect(new Webhook(endpoint.secret).verify(body, headers)).toMatchObject({
      type: 'lot.matched',
      timestamp: '2026-11-21T09:30:00Z',
      data: {
        search: {
          id: String(searchId),
          name: 'Trucks',
          url: `${PUBLIC_URL}/account/alerts/${searchId}`,
        },
        change: {
          kind: 'price_drop',
          current_bid_cents: 412_500,
          former_price_cents: 450_000,
          num_bids: 11,
          end_date: '2026-11-21T09:30:00Z',
        },
        listing: { id: lotId, title: '2014 FORD F-150 XL', num_bids: 12, distance_miles: 25.7 },
      },
    })
    expect(headers['webhook-id']).toBe(`msg_${id.replaceAll('-', '')}`)
    expect(await world.delivery(id)).toMatchObject({
      attempts: 1,
      due_at: null,
      delivered_at: now,
      leased_until: null,
    })
    expect(await world.attempts(id)).toMatchObject([{ status: 204, answer: '' }])
    await deliverAt(new Date())
    expect(receiver.received).toHaveLength(1)
  })

  it('of a lot that was deleted meanwhile is dropped, and with its search go its deliveries', async () => {
    const { receiver, id, lotId, searchId, endpoint } = await oneDelivery()
    await world.sql`delete from lots where id = ${lotId}`
    await deliverAt(NOW)
    expect(await world.delivery(id)).toBeUndefined()
    const second = await world.makeDelivery(searchId, await world.makeLot(), endpoint.id)
    await world.sql`delete from saved_searches where id = ${searchId}`
    expect(await world.delivery(second)).toBeUndefined()
    await deliverAt(NOW)
    expect(receiver.received).toEqual([])
    expect(await world.endpoint(endpoint.id)).toMatchObject({ failing_since: null })
  })

  it('is no longer sent where the plan was lowered, and the log says so', async () => {
    const { receiver, id, accountId, endpoint } = await oneDelivery()
    await world.sql`update accounts set plan = 'pro' where id = ${accountId}`
    await deliverAt(NOW)
    expect(await world.delivery(id)).toMatchObject({ due_at: null, delivered_at: null })
    expect(await world.attempts(id)).toMatchObject([
      { status: null, answer: 'Not sent: the plan Pro does not include it.' },
    ])
    expect(receiver.received).toEqual([])
    expect(await world.endpoint(endpoint.id), 'says nothing about the endpoint').toMatchObject({
      failing_since: null,
    })
  })

  it('goes to the first endpoints of the account where its plan has fewer', async () => {
    const { receiver, accountId, searchId, lotId } = await oneDelivery()
    await world.sql`update accounts set plan = 'pro_plus' where id = ${accountId}`
    const ids: string[] = []
    for (let place = 2; place <= 6; place++) {
      const { id } = await world.makeEndpoint(accountId, receiver.url)
      ids.push(await world.makeDelivery(searchId, lotId, id))
    }
    await deliverAt(NOW)
    expect(receiver.received).toHaveLength(5)
    expect(await world.delivery(ids.at(-1)!)).toMatchObject({ delivered_at: null, due_at: null })
  })
})

describe('a message that fails', () => {
  const failing: Answering = response => response.writeHead(503).end('no')

  it('is tried twelve times within about 75 hours, each attempt in the log, and then no more', async () => {
    const { receiver, id } = await oneDelivery(failing)
    const waits: number[] = []
    for (let at: Date | null = NOW; at; ) {
      await deliverAt(at)
      const next: Date | null = (await world.delivery(id))!.due_at
      if (next) waits.push((next.getTime() - at.getTime()) / SECOND)
      // JavaScript cuts off the microseconds of PostgreSQL.
      at = next && new Date(next.getTime() + 1)
    }
    const planned = [5, 30, 120, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(waits).toHaveLength(planned.length)
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(planned[index]! * 0.9 - 0.001)
      expect(wait).toBeLessThanOrEqual(planned[index]! * JITTERED)
    }
    expect(receiver.received).toHaveLength(12)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const attempts = await world.attempts(id)
    expect(attempts.map(({ status, answer }) => `${status} ${answer}`)).toEqual(
      new Array(12).fill('503 no'),
    )
    expect(await world.delivery(id)).toMatchObject({
      attempts: 12,
      due_at: null,
      delivered_at: null,
    })
  })

  it.each([
    ['120', 120, 120],
    ['1', 4.5, 5.5],
    ['9999999', 86_400, 86_400],
    ['soon', 4.5, 5.5],
  ])('with Retry-After: %s waits from %d to %d s', async (header, least, most) => {
    const { id } = await oneDelivery(response =>
      response.writeHead(429, { 'retry-after': header }).end(),
    )
    await deliverAt(NOW)
    const wait = ((await world.delivery(id))!.due_at!.getTime() - NOW.getTime()) / SECOND
    expect(wait).toBeGreaterThanOrEqual(least - 0.001)
    expect(wait).toBeLessThanOrEqual(most + 0.001)
  })

  it('with 410 disables its endpoint at once, and its owner gets one mail', async () => {
    const { id, searchId, lotId, endpoint, receiver } = await oneDelivery(r =>
      r.writeHead(410).end(),
    )
    const others = await Promise.all(
      [1, 2, 3].map(() => world.makeDelivery(searchId, lotId, endpoint.id)),
    )
    const later = await world.makeDelivery(searchId, lotId, endpoint.id, fromNow(HOUR))
    await deliverAt(NOW)
    expect(await world.endpoint(endpoint.id)).toMatchObject({
      disabled_at: NOW,
      disabled_reason: 'The endpoint answered 410 (gone).',
    })
    for (const each of [id, ...others])
      expect(await world.delivery(each)).toMatchObject({ due_at: null })
    expect(mailed).toMatchObject([
      { subject: 'A webhook endpoint was disabled', text: expect.stringContaining(receiver.url) },
    ])
    const before = receiver.received.length
    await deliverAt(fromNow(HOUR))
    expect(receiver.received).toHaveLength(before)
    expect(await world.attempts(later)).toMatchObject([
      { answer: 'Not sent: the endpoint is disabled.' },
    ])
  })

  it('for a day brings one mail, and after five days of nothing but failures its endpoint is disabled with another', async () => {
    const { endpoint, searchId, lotId } = await oneDelivery(failing)
    const state = async (at: Date) => {
      await Promise.all(
        [1, 2, 3, 4].map(() => world.makeDelivery(searchId, lotId, endpoint.id, at)),
      )
      await deliverAt(at)
      return { ...(await world.endpoint(endpoint.id)), mails: (await world.mails()).length }
    }
    expect(await state(NOW)).toMatchObject({ failing_since: NOW, warned_at: null, mails: 0 })
    expect(await state(fromNow(DAY - MINUTE))).toMatchObject({ warned_at: null, mails: 0 })
    expect(await state(fromNow(DAY))).toMatchObject({
      warned_at: fromNow(DAY),
      disabled_at: null,
      mails: 1,
    })
    expect(await state(fromNow(5 * DAY - MINUTE))).toMatchObject({
      warned_at: fromNow(DAY),
      disabled_at: null,
      mails: 1,
    })
    expect(await state(fromNow(5 * DAY))).toMatchObject({
      disabled_at: fromNow(5 * DAY),
      disabled_reason: 'Every message failed for 5 days.',
      mails: 2,
    })
  })

  it('and one success between them begins the days again', async () => {
    const { endpoint, searchId, lotId, receiver } = await oneDelivery(failing)
    await deliverAt(NOW)
    receiver.answer = OK
    await deliverAt(fromNow(2 * DAY))
    expect(await world.endpoint(endpoint.id)).toMatchObject({
      failing_since: null,
      warned_at: null,
    })
    receiver.answer = failing
    await world.makeDelivery(searchId, lotId, endpoint.id, fromNow(5 * DAY))
    await deliverAt(fromNow(5 * DAY))
    expect(await world.endpoint(endpoint.id)).toMatchObject({
      failing_since: fromNow(5 * DAY),
      disabled_at: null,
    })
  })
})

describe('an endpoint that is away for 6 hours', () => {
  it('gets every message after it is back, in the order of their schedule, once each', async () => {
    const { receiver, endpoint, searchId, lotId, id } = await oneDelivery(response =>
      response.writeHead(502).end(),
    )
    const ids = [id]
    for (let minutes = 10; minutes < 360; minutes += 50)
      ids.push(await world.makeDelivery(searchId, lotId, endpoint.id, fromNow(minutes * MINUTE)))
    const arrived: string[] = []
    const expected: string[] = []
    for (let minutes = 0; minutes <= 24 * 60; minutes += 10) {
      if (minutes === 360)
        receiver.answer = (response, { headers }) => {
          arrived.push(headers['webhook-id']!)
          response.writeHead(200).end()
        }
      const at = fromNow(minutes * MINUTE)
      const due = await world.sql<{ id: string }[]>`
        select id from alert_deliveries where due_at <= ${at} order by due_at`
      if (minutes >= 360) expected.push(...due.map(each => `msg_${each.id.replaceAll('-', '')}`))
      if (due.length > 0) await deliverAt(at)
    }
    expect(arrived).toHaveLength(ids.length)
    expect(new Set(arrived).size).toBe(ids.length)
    expect([...arrived].sort()).toEqual([...expected].sort())
    // Up to four are under way at once, so neighbors may change places.
    for (const [index, each] of arrived.entries())
      expect(Math.abs(expected.indexOf(each) - index)).toBeLessThan(4)
  })
})

describe('lanes', () => {
  it('a silent endpoint with a backlog delays the messages of others not at all', async () => {
    const { endpoint: silent, searchId, lotId, accountId, receiver } = await oneDelivery(() => {})
    for (let count = 0; count < 40; count++) await world.makeDelivery(searchId, lotId, silent.id)
    const quick = await receiving()
    const other = await world.makeEndpoint(accountId, quick.url)
    for (let count = 0; count < 40; count++) await world.makeDelivery(searchId, lotId, other.id)
    const deliverer = testDeliverer(world.sql, {
      ...fixedAt(NOW),
      client: createWebhookClient({ allowedHosts: ['127.0.0.1'], proxy: null }, undefined, 60_000),
    })
    await deliverer.tick()
    await vi.waitFor(() => expect(quick.received).toHaveLength(40), { timeout: 120_000 })
    // No attempt at the silent one has ended: the others did not wait for it.
    expect(await world.sql`select 1 from alert_attempts where status is null`).toHaveLength(0)
    expect(receiver.received, 'at most four at once').toHaveLength(4)
    const stopped = deliverer.stop()
    receivers = [quick]
    await receiver.end()
    await stopped
  })

  it('a mail that is not wanted any more is dropped, one that fails is tried again, and one refused for good is not', async () => {
    const { searchId, lotId, accountId } = await oneDelivery()
    const dropped = await world.makeDelivery(searchId, lotId, null)
    const [sent, fails, refused] = await Promise.all(
      [1, 2, 3].map(() => world.makeQuotaMail(accountId)),
    )
    send = async ({ id }) => {
      if (id === sent) return 'sent'
      if (id === refused) return 'refused'
      throw new Error('The mail cannot be sent.')
    }
    await deliverAt(NOW)
    expect(await world.attempts(sent!)).toMatchObject([{ status: 250 }])
    expect(await world.delivery(dropped)).toBeUndefined()
    expect(await world.delivery(fails!)).toMatchObject({
      attempts: 1,
      delivered_at: null,
      leased_until: null,
    })
    expect(await world.attempts(fails!)).toMatchObject([
      { status: null, answer: 'The mail cannot be sent.' },
    ])
    expect(await world.delivery(refused!)).toMatchObject({
      attempts: 1,
      delivered_at: null,
      due_at: null,
    })
    expect(await world.attempts(refused!)).toMatchObject([{ status: 550 }])
  })
})

it('deletes messages 30 days after they were made, with their attempts, and matches after 90 days', async () => {
  const { id } = await oneDelivery()
  const kept = async (after: number) => {
    await deliverAt(fromNow(after))
    const matches = await world.sql`select from alert_matches`
    return [
      (await world.delivery(id)) !== undefined,
      (await world.attempts(id)).length,
      matches.length,
    ]
  }
  expect(await kept(0)).toEqual([true, 1, 1])
  expect(await kept(30 * DAY)).toEqual([true, 1, 1])
  expect(await kept(30 * DAY + 1)).toEqual([false, 0, 1])
  expect(await kept(90 * DAY)).toEqual([false, 0, 1])
  expect(await kept(90 * DAY + 1)).toEqual([false, 0, 0])
})
