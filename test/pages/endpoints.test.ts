import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PLANS, type Plan } from '../../src/contract/plans.ts'
import { claimDue } from '../../src/infra/alerts/deliveries.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { type Receiver, startReceiver } from '../support/alerts/receiver.ts'
import { DAY, fromNow, HOUR, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser, Page } from '../support/site/formBrowser.ts'

const HOME = '/account/alerts/endpoints'
const WEBHOOKS = { allowedHosts: ['127.0.0.1'], proxy: null }
const SECRET = /whsec_[A-Za-z0-9+/=]+/

/** A name without an address, such as that of the other tests, is saved: it may get one later. */
async function resolveName(name: string): Promise<string[]> {
  if (name === 'inside.example.com') return ['8.8.8.8', '10.1.2.3']
  throw new Error(`The name ${name} has no address (ENOTFOUND).`)
}

const site = serviceFor({ now: NOW, settings: { webhooks: WEBHOOKS, resolveName } })
const receiver = shared(startReceiver)
let lotId: string
let browser: FormBrowser
let owner = ''
let people = 0

beforeAll(async () => {
  lotId = (
    await insertLots(site.sql, [{ slug: 'press-brake', title: 'Press brake <i>12 ft</i>' }])
  )[0]!
})

beforeEach(async () => {
  receiver.received = []
  receiver.answer = response => response.writeHead(204).end()
  await site.sql`delete from alert_deliveries`
  owner = `holder${++people}@example.com`
  browser = await site.signedIn(owner)
  await setPlan('pro_plus')
})

const setPlan = (plan: Plan) => site.sql`update accounts set plan = ${plan} where owner = ${owner}`

async function make(url = receiver.url): Promise<Page> {
  return (await browser.open(HOME)).form(HOME).submit({ url })
}

/** Makes an endpoint by the form. @returns the path of its page. */
async function made(url?: string): Promise<string> {
  const page = await make(url)
  expect(page.status, page.text).toBe(303)
  return page.headers.location!.replace('?done=made', '')
}

const idOf = (path: string) => Number(path.split('/').at(-1))

async function press(
  path: string,
  action: string,
  typed: Record<string, string> = {},
): Promise<Page> {
  const done = await (await browser.open(path)).form(`${path}/${action}`).submit(typed)
  expect(done.status, done.text).toBe(303)
  return browser.open(done.headers.location!)
}

/** Sends what is due at a moment. */
async function deliver(moment: Date): Promise<void> {
  site.clock.now = moment
  await deliverAt(site.sql, moment)
}

/** What the library of Standard Webhooks reads at a moment, and it throws for a wrong signature. */
function verified(
  { body, headers }: Receiver['received'][number],
  secret: string,
  moment: Date,
): unknown {
  vi.useFakeTimers({ now: moment, toFake: ['Date'] })
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}

interface Stored {
  created_at?: Date
  attempts?: number
  due_at?: Date | null
  delivered_at?: Date | null
  leased_until?: Date | null
}

/**
 * A message about the match of a search, as the matcher and the deliverer leave it: failed unless
 * the draft says otherwise.
 */
async function message(path: string, stored: Stored = {}): Promise<string> {
  const {
    created_at = NOW,
    attempts = 10,
    due_at = null,
    delivered_at = null,
    leased_until = null,
  } = stored
  const id = randomUUID()
  await site.sql`
    with search as (
      insert into saved_searches (account_id, name, query, kinds, cadence, created_at)
      select id, 'Presses & brakes', '{}', '{new}', 'instant', ${NOW} from accounts where owner = ${owner}
      returning id, account_id
    ), match as (
      insert into alert_matches (search_id, lot_id, kind, value, num_bids, ends_at, observed_at, matched_at)
      select id, ${lotId}, 'price_drop', ${id}, 3, ${NOW}, ${NOW}, ${NOW} from search
      returning id
    )
    insert into alert_deliveries (
      id, account_id, search_id, match_id, endpoint_id, kind, created_at, attempts, due_at, delivered_at, leased_until
    )
    select
      ${id}, search.account_id, search.id, match.id, ${idOf(path)}, 'match', ${created_at}, ${attempts}, ${due_at}, ${delivered_at},
      ${leased_until}
    from search, match`
  return id
}

const attempt = (delivery: string, answer: string, status: number | null = 500) =>
  site.sql`
    insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
    values (${delivery}, ${NOW}, ${status}, 1234, ${answer})`

async function stateOf(delivery: string) {
  const [row] = await site.sql<Required<Stored>[]>`
    select attempts, due_at, delivered_at, leased_until from alert_deliveries where id = ${delivery}`
  return row!
}

describe('webhook endpoints', () => {
  it('are made with a secret that stays readable, and send a test that standardwebhooks accepts', async () => {
    const path = await made()
    const page = await browser.open(`${path}?done=made`)
    expect(page.text).toMatch(/endpoint was created.*Working/)
    const [secret] = page.body.match(SECRET)!
    expect((await press(path, 'test')).text).toContain('A test message is being sent')
    await deliver(NOW)
    expect(verified(receiver.received[0]!, secret!, NOW)).toMatchObject({
      type: 'test',
      data: {
        search: { id: '0', name: 'Test', url: 'http://surplus.test/account/alerts' },
        listing: { id: lotId },
      },
    })
    const { text } = await browser.open(path)
    expect(text).toMatch(
      /Test : Press brake <i>12 ft<\/i>.*Delivered.*1 attempt, the latest: status 204/,
    )
    expect(text).toContain('(an empty answer)')
  })

  it.each([
    ['http://hooks.example.com/a', 'must begin with https://'],
    ['"><script>', 'This is not a web address'],
    ['https://10.1.2.3/a', 'must be of a public host'],
    ['https://inside.example.com/a', 'must be of a public host'],
  ])('400 for the address %s, which stays in the form', async (url, reason) => {
    const page = await make(url)
    expect(page.status).toBe(400)
    expect(page.text).toContain(reason)
    expect(page.form(HOME).fields.url).toBe(url)
    expect(page.body).not.toContain('<script>')
    expect((await browser.open(HOME)).body).not.toContain(`${HOME}/`)
  })

  it.each(['free', 'pro'] as const)(
    '400 on the plan %s, which names the plans with webhooks',
    async plan => {
      const form = (await browser.open(HOME)).form(HOME)
      await setPlan(plan)
      expect((await browser.open(HOME)).text).toContain(
        'They are part of Pro+ (5 endpoints) and Enterprise',
      )
      expect((await browser.open(HOME)).forms.filter(({ action }) => action === HOME)).toEqual([])
      const page = await form.submit({ url: 'https://hooks.example.com/' })
      expect([page.status, page.body.includes('no webhooks')]).toEqual([400, true])
    },
  )

  it('are as many as the plan includes, also when twelve are made at once', async () => {
    const form = (await browser.open(HOME)).form(HOME)
    const pages = await Promise.all(
      Array.from({ length: 12 }, (_, each) =>
        form.submit({ url: `https://hooks.example.com/${each}` }),
      ),
    )
    const most = PLANS.pro_plus.alerts.endpoints
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(most)
    expect(pages.filter(({ status }) => status === 400)).toHaveLength(12 - most)
    expect(pages.find(({ status }) => status === 400)!.text).toContain(
      'Delete one, or choose a larger plan',
    )
    const [row] = await site.sql`
      select count(*) from alert_endpoints e join accounts a on a.id = e.account_id where a.owner = ${owner}`
    expect(row!.count).toBe(most)
  })

  it('that a lowered plan does not include say so, and 400 for a test', async () => {
    const path = await made()
    const form = (await browser.open(path)).form(`${path}/test`)
    await setPlan('pro')
    expect((await browser.open(path)).text).toContain('Your plan does not include this endpoint')
    const page = await form.submit()
    expect([page.status, page.text.includes('choose a larger plan')]).toEqual([400, true])
  })

  it('sign with both secrets for 24 hours after a rotation, then with the new one', async () => {
    const path = await made()
    const [old] = (await browser.open(path)).body.match(SECRET)!
    const page = await press(path, 'rotate')
    const [fresh] = page.body.match(SECRET)!
    expect(fresh).not.toBe(old)
    expect(page.text).toContain('The previous secret also signs until Nov 22, 2026, 9:30 AM UTC')
    for (const [moment, secrets] of [
      [fromNow(23 * HOUR), [old, fresh]],
      [fromNow(25 * HOUR), [fresh]],
    ] as const) {
      site.clock.now = moment
      await site.sql`update lots set ends_at = ${fromNow(9 * DAY)} where id = ${lotId}`
      await press(path, 'test')
      await deliver(moment)
      const received = receiver.received.pop()!
      expect(received.headers['webhook-signature']!.split(' ')).toHaveLength(secrets.length)
      for (const secret of secrets) expect(verified(received, secret!, moment)).toBeTruthy()
    }
    expect((await browser.open(path)).text).not.toContain('also signs until')
  })

  it('that fail or are disabled say since when and why, and are enabled again with all that failed', async () => {
    const path = await made()
    await site.sql`update alert_endpoints set failing_since = ${fromNow(-DAY)} where id = ${idOf(path)}`
    expect((await browser.open(path)).text).toContain(
      'Every attempt since Nov 20, 2026, 9:30 AM UTC failed',
    )
    const form = (await browser.open(path)).form(`${path}/test`)
    await site.sql`
      update alert_endpoints
      set warned_at = ${NOW}, disabled_at = ${NOW}, disabled_reason = 'The endpoint answered 410 (gone).'
      where id = ${idOf(path)}`
    expect((await browser.open(HOME)).text).toContain('Disabled')
    const { text, forms } = await browser.open(path)
    expect(text).toContain(
      'Disabled since Nov 21, 2026, 9:30 AM UTC : The endpoint answered 410 (gone).',
    )
    const changes = forms.filter(({ action }) => action.startsWith(path))
    expect(changes.map(({ action }) => action.slice(path.length + 1))).toEqual([
      'resume',
      'rotate',
      'delete',
    ])
    const refused = await form.submit()
    expect([refused.status, refused.text.includes('Enable it first')]).toEqual([400, true])
    const waited = await message(path)
    expect((await press(path, 'resume')).text).toMatch(/being sent again.*Working/)
    expect(await stateOf(waited)).toMatchObject({ attempts: 0, delivered_at: null })
    expect((await stateOf(waited)).due_at).not.toBeNull()
    const [row] = await site.sql`
      select failing_since, warned_at, disabled_at, disabled_reason from alert_endpoints where id = ${idOf(path)}`
    expect(Object.values(row!)).toEqual([null, null, null, null])
  })

  it('are deleted with their messages and their place in searches', async () => {
    const [path, other] = [await made(), await made()]
    await message(path)
    await site.sql`update saved_searches set endpoint_ids = ${[idOf(other), idOf(path)]}
      where account_id = (select id from accounts where owner = ${owner})`
    const page = await press(path, 'delete')
    expect(page.text).toContain('The endpoint is deleted.')
    expect(page.body).not.toContain(path)
    expect((await browser.open(path)).status).toBe(404)
    expect(
      await site.sql`select id from alert_deliveries where endpoint_id = ${idOf(path)}`,
    ).toEqual([])
    const [search] = await site.sql`
      select endpoint_ids from saved_searches where account_id = (select id from accounts where owner = ${owner})`
    expect(search!.endpoint_ids.map(Number)).toEqual([idOf(other)])
  })
})

describe('the log of an endpoint', () => {
  it('shows when, which search and lot, the state, and each attempt with its answer escaped', async () => {
    const path = await made()
    const hostile = '</pre></details><script>alert(1)</script><form method="post" action="/x">'
    const delivery = await message(path, { due_at: fromNow(5 * MINUTE), attempts: 1 })
    await attempt(delivery, hostile)
    const { body, text, forms } = await browser.open(path)
    expect(text).toMatch(
      /Price drop : Press brake <i>12 ft<\/i> for “Presses & brakes”, Nov 21, 2026, 9:30 AM UTC/,
    )
    expect(text).toContain('Waiting next attempt: Nov 21, 2026, 9:35 AM UTC')
    expect(text).toContain('status 500, 1,234 ms')
    expect(text).toContain(hostile)
    expect(body).not.toContain('<script>')
    expect(forms.map(({ action }) => action)).not.toContain('/x')
  })

  it('says whether a message was delivered, failed, waits or is being sent', async () => {
    const path = await made()
    const cases: [Stored, string][] = [
      [{ delivered_at: NOW }, 'Delivered'],
      [{}, 'Failed no more attempts'],
      [{ due_at: fromNow(HOUR) }, 'Waiting next attempt'],
      [{ due_at: fromNow(MINUTE), leased_until: fromNow(MINUTE) }, 'Being sent'],
      [{ due_at: fromNow(-MINUTE), leased_until: fromNow(-MINUTE) }, 'Waiting next attempt'],
      [{ due_at: NOW, delivered_at: NOW }, 'Waiting next attempt'],
    ]
    for (const [stored, words] of cases) {
      await message(path, stored)
      expect((await browser.open(path)).text).toContain(words)
      await site.sql`delete from alert_deliveries`
    }
  })

  it('has 50 messages a page, the latest first, each once, of the last 30 days', async () => {
    const path = await made()
    const ids: string[] = []
    // Batches of the matcher have one moment, so several messages share one.
    for (let each = 0; each < 120; each++) {
      const id = await message(path, { created_at: fromNow(-Math.floor(each / 40) * HOUR) })
      await attempt(id, id)
      ids.push(id)
    }
    await message(path, { created_at: fromNow(-31 * DAY) })
    const seen: string[] = []
    const sizes: number[] = []
    for (let next: string | undefined = path; next && sizes.length < 9; ) {
      const { body }: Page = await browser.open(next)
      const found = [...body.matchAll(/<pre>([\w-]+)<\/pre>/g)].map(([, id]) => id!)
      sizes.push(found.length)
      seen.push(...found)
      next = /href="([^"#]*\?before=[^"#]*)/.exec(body)?.[1]
    }
    expect(sizes).toEqual([50, 50, 20])
    expect([...seen].sort()).toEqual([...ids].sort())
    expect(new Set(seen.slice(0, 40))).toEqual(new Set(ids.slice(0, 40)))
  })

  it.each(["'", '0', '../x'])('404 for a page after the message %s', async before => {
    const path = await made()
    expect((await browser.open(`${path}?before=${encodeURIComponent(before)}`)).status).toBe(404)
  })
})

describe('Send what failed', () => {
  it('sends all that failed or wait for another attempt, the oldest first, with their ids and all retries', async () => {
    const path = await made()
    const other = await made()
    const at = (hours: number): Stored => ({ created_at: fromNow(-hours * HOUR) })
    const failed = [
      await message(path, at(2)),
      await message(path, at(5)),
      await message(path, at(3)),
    ]
    const retried = await message(path, { ...at(4), due_at: fromNow(9 * HOUR), attempts: 7 })
    const dead = { due_at: fromNow(-MINUTE), leased_until: fromNow(-MINUTE) }
    const left = await message(path, { ...at(1), ...dead, attempts: 1 })
    await message(path, { ...at(2), delivered_at: NOW })
    await message(path, {
      ...at(2),
      due_at: fromNow(MINUTE),
      leased_until: fromNow(MINUTE),
      attempts: 2,
    })
    await message(path, { ...at(2), due_at: fromNow(MINUTE), attempts: 0 })
    await message(other, at(2))
    const page = await press(path, 'resume')
    expect(page.text).toContain('The messages that failed are being sent again with the same ids')

    const claimed = await site.sql<{ id: string }[]>`
      select id from alert_deliveries where due_at <= ${NOW} and attempts = 0 order by due_at`
    expect(claimed.map(({ id }) => id)).toEqual([failed[1], retried, failed[2], failed[0], left])
    receiver.answer = response => response.writeHead(500).end('no')
    await deliver(NOW)
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      [...failed, retried, left].map(id => `msg_${id.replaceAll('-', '')}`).sort(),
    )
    const { attempts, due_at } = await stateOf(retried)
    expect([attempts, due_at! < fromNow(MINUTE)]).toEqual([1, true])
    receiver.answer = response => response.writeHead(204).end()
    expect((await press(other, 'resume')).text).toContain('being sent again')
    await deliver(NOW)
    expect((await press(other, 'resume')).text).toContain('None has failed in the last 30 days')
  })

  it('leaves a message alone that is being claimed', async () => {
    const path = await made()
    const { form_token = '' } = (await browser.open(path)).form(`${path}/resume`).fields
    const claimed = await message(path, { due_at: NOW, attempts: 3 })
    let answer: Promise<Page> | undefined
    await site.sql.begin(async transaction => {
      const context = { sql: transaction, publicUrl: 'http://surplus.test', now: NOW }
      const taken = await claimDue(context as never, { lane: 9, mails: 9, all: 9 }, {})
      expect(taken.map(({ id }) => id)).toEqual([claimed])
      answer = browser.submit(`${path}/resume`, { form_token })
      const waiting = () => transaction`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      // The statement of the page waits for this transaction.
      await expect.poll(waiting).not.toHaveLength(0)
    })
    expect((await answer!).headers.location).toBe(`${path}?done=nothing`)
    expect(await stateOf(claimed)).toMatchObject({ attempts: 3 })
    expect((await stateOf(claimed)).leased_until).not.toBeNull()
  })

  it('429 after 60 messages by hand in an hour', async () => {
    const path = await made()
    const test = (await browser.open(path)).form(`${path}/test`)
    const statuses: number[] = []
    for (let each = 0; each < 61; each++) statuses.push((await test.submit()).status)
    expect(statuses.filter(status => status === 303)).toHaveLength(60)
    expect(statuses.at(-1)).toBe(429)
  })
})
