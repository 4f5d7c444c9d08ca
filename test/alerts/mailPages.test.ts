import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { feedToken, unsubscribeToken } from '../../src/domain/alerts/savedSearch.ts'
import { createLog } from '../../src/infra/log.ts'
import { createMailer, type Mailer } from '../../src/infra/mail/mailer.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { sendMail } from '../../src/usecases/alerts/sendDelivery.ts'
import { deliverAt, deliverySettings, fixedAt, queueDueMails } from '../support/alerts/deliverer.ts'
import { fromNow, HOUR, insertAppraisal, insertLots, NOW } from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'
import { unescaped } from '../support/site/readPage.ts'
import { part, startSmtpStandIn } from '../support/standIns/smtpStandIn.ts'

const HOSTILE =
  '<img src=x onerror=alert(1)> "F-150" \r\nBcc: y@example.com\r\n\r\n\u202ehttps://evil.example/'

const site = serviceFor({ now: NOW })
const smtp = shared(startSmtpStandIn)
type MailDelivery = Parameters<typeof sendMail>[1]
let mailer: Mailer
/** The status of SMTP; null when nothing is to be sent or the attempt may be repeated. */
const send = async (mail: MailDelivery) =>
  sendMail(deliverySettings(site.sql, { mailer, ...fixedAt(NOW) }), mail)
let lotIds: string[]

beforeAll(async () => {
  const settings = { smtpUrl: smtp.url, from: 'Surplus <no-reply@surplus.example>' }
  mailer = await createMailer(settings, createLog('silent'), async () => false)
  lotIds = await insertLots(site.sql, [
    {
      slug: 'truck',
      title: '2014 FORD F-150 XL',
      current_bid_cents: 412_500,
      num_bids: 11,
      flip_score: 64,
      verdict: 'at_limit',
      city: 'CHICAGO',
      state: 'IL',
      latitude: 41.6,
      longitude: -87.3,
    },
    { slug: 'hostile', title: HOSTILE },
    ...Array.from({ length: 30 }, (_, index) => ({ slug: `more-${index}` })),
  ])
  await insertAppraisal(site.sql, {
    lot_id: lotIds[0]!,
    estimated_value_cents: 602_000,
    flip_score: 64,
    similarities: [0.3, 0.5, 0.2],
    factors: {
      all_in_cost_cents: 412_500,
      likely_low_cents: 301_000,
      likely_high_cents: 1_204_000,
    },
    grade: 'few',
  })
})
afterEach(async () => {
  smtp.refusesRecipients = null
  await site.sql`update data_version set kind = 'live'`
  site.deps.data.kind = 'live'
})

let made = 0

async function search(
  name = 'Trucks near Chicago',
): Promise<{ id: number; account_id: number; owner: string }> {
  const owner = `owner${++made}@example.com`
  const [row] = await site.sql<{ id: number; account_id: number }[]>`
    with account as (
      insert into accounts (owner, plan, time_zone) values (${owner}, 'pro_plus', 'America/Los_Angeles') returning id
    )
    insert into saved_searches (account_id, name, query, kinds, cadence, created_at)
    select id, ${name}, '{}', '{bid}', 'instant', ${NOW} from account
    returning id, account_id`
  return { ...row!, owner }
}

/** Matches of a search, one lot after the other. */
async function match(searchId: number, lots: string[], kind = 'price_drop'): Promise<void> {
  for (const lot of lots)
    await site.sql`
      insert into alert_matches (search_id, lot_id, kind, value, former_price_cents, current_bid_cents, num_bids, ends_at, observed_at, matched_at)
      select ${searchId}, id, ${kind}, ${String(++made)}, 450000, current_bid_cents, 1, 'infinity', ${NOW}, ${NOW}
      from lots
      where id = ${lot}`
}

/** The delivery that the next tick makes for a search. */
async function delivery(searchId: number, owner: string): Promise<MailDelivery> {
  await queueDueMails(site.sql, NOW)
  const [row] = await site.sql<{ id: string; content: Record<string, unknown> }[]>`
    select id, content from alert_deliveries where search_id = ${searchId}`
  return { ...row!, kind: 'digest', owner }
}

/** A mail about matches of a search, as it arrived. */
async function mailed(lots: string[], name?: string) {
  const { id, owner } = await search(name)
  await site.sql`update saved_searches set query = '{"zip": "60601"}' where id = ${id}`
  await match(id, lots)
  const made = await delivery(id, owner)
  expect(await send(made)).toMatchObject({ status: 250 })
  return { ...smtp.mails.at(-1)!, id, owner, deliveryId: made.id }
}

describe('a mail about a match', () => {
  it('says what the lot costs, what it is worth, when it ends, and how to stop', async () => {
    const { headers, text, to, id, owner, deliveryId } = await mailed([lotIds[0]!])
    expect(to).toEqual([owner])
    const stop = `${PUBLIC_URL}/alerts/unsubscribe/${unsubscribeToken(PEPPER, id)}`
    expect(part(text, 'text/plain')).toBe(`Your alert "Trucks near Chicago" found:

Price drop: 2014 FORD F-150 XL
Current bid $4,125, was $4,500, 11 bids
Typical price about $6,000, rough: from the words of the title, beside 3 similar sales
At the limit; Flip Score 64 of 100. Now about the price of similar sales.
Ends Nov 22, 2026, 3:30 AM CST
CHICAGO, IL (26 miles away), GSA Auctions
${PUBLIC_URL}/listings/truck

Edit or pause this alert: ${PUBLIC_URL}/account/alerts/${id}
Unsubscribe (feed and webhooks keep working): ${stop}
`)
    const unfolded = headers.replace(/\r\n\s+/g, ' ')
    expect(unfolded).toContain('Subject: Price drop: 2014 FORD F-150 XL')
    expect(unfolded).toContain(`Message-ID: <${deliveryId}@surplus.example>`)
    expect(unfolded).toMatch(new RegExp(`^List-Unsubscribe: <${stop}>`, 'm'))
    expect(unfolded).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m)
    expect(unfolded).toMatch(/^Auto-Submitted: auto-generated/m)
    const html = part(text, 'text/html')
    expect(html).toContain('<strong>Typical price about $6,000, rough')
    expect(html.match(/href="[^"]*"/g)).toEqual(
      [`/listings/truck`, `/account/alerts/${id}`, new URL(stop).pathname].map(
        path => `href="${PUBLIC_URL}${path}"`,
      ),
    )
    expect(html).not.toContain('<img')
  })

  it('about the last hour of a lot that closes on a day comes at 9 AM, and says the day and the hours', async () => {
    const [lot] = await insertLots(site.sql, [
      {
        slug: 'by-day',
        title: 'Steel desk',
        source: 'gsa',
        ends_at: new Date('2026-11-25T05:59:59Z'),
      },
    ])
    const { id, owner } = await search()
    await site.sql`update saved_searches set lot_id = ${lot!}, kinds = '{ending}', cadence = 'daily' where id = ${id}`
    const mailsAt = async (moment: string) => {
      await matchChanges(site.sql, { now: new Date(moment) })
      await queueDueMails(site.sql, new Date(moment))
      return site.sql<{ id: string; content: Record<string, unknown> }[]>`
        select id, content from alert_deliveries where search_id = ${id} and delivered_at is null`
    }
    expect(await mailsAt('2026-11-24T14:59:00Z')).toHaveLength(0)
    const [mail, ...others] = await mailsAt('2026-11-24T15:00:30Z')
    expect(others).toHaveLength(0)
    expect(await send({ ...mail!, kind: 'digest', owner })).toMatchObject({ status: 250 })
    expect(part(smtp.mails.at(-1)!.text, 'text/plain')).toContain(
      'Closes Tue, Nov 24, between 10 AM and 8 PM Central. GSA Auctions does not publish the hour.',
    )
  })

  it.each([
    [
      'that the price to buy now fell',
      { buy_now_cents: 44_000, current_bid_cents: 41_000 },
      { num_bids: 1 },
      /Current bid \$410, 1 bid/,
    ],
    [
      'that the starting bid fell, and bids came',
      { starting_bid_cents: 80_000 },
      { current_bid_cents: 90_000, num_bids: 2 },
      /Current bid \$900, 2 bids/,
    ],
    [
      'that it was sold',
      { current_bid_cents: 100_000 },
      { final_bid_cents: 150_000, is_open: false, outcome: 'sold' },
      /Last bid seen \$1,500, .*Status: sold/s,
    ],
  ])('and the feed say %s, without a price that never was', async (_what, draft, change, words) => {
    const [lot] = await insertLots(site.sql, [{ slug: `moved-${++made}`, ...draft }])
    const { id, owner } = await search()
    await match(id, [lot!])
    await site.sql`update lots set ${site.sql(change)} where id = ${lot!}`
    await site.sql`update alert_matches set former_price_cents = case when ${'buy_now_cents' in draft} then 45000 else 100000 end where lot_id = ${lot!}`
    expect(await send(await delivery(id, owner))).toMatchObject({ status: 250 })
    const feed = await site.browser().open(`/feeds/alerts/${feedToken(PEPPER, id, 1)}.rss`)
    for (const text of [part(smtp.mails.at(-1)!.text, 'text/plain'), feed.body]) {
      if (!('final_bid_cents' in change)) expect(text).not.toMatch(/was \$/i)
      expect(text).toMatch(words)
    }
  })

  it('shows a hostile title and a hostile name as text on one line, and its headers are ours', async () => {
    const { headers, text, to } = await mailed([lotIds[1]!], HOSTILE)
    expect(to).toHaveLength(1)
    expect(headers).not.toMatch(/^Bcc:/im)
    const [plain, html] = [part(text, 'text/plain'), part(text, 'text/html')]
    expect(plain).toContain(
      'Price drop: <img src=x onerror=alert(1)> "F-150" Bcc: y@example.com https://evil.example/\n',
    )
    expect(html).not.toContain('<img src=x')
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(
      [...html.matchAll(/href="([^"]*)"/g)].every(([, address]) => address!.startsWith(PUBLIC_URL)),
    ).toBe(true)
  })

  it('lists 20 lots at most, each once, and says how many there are', async () => {
    const { headers, text, id } = await mailed([...lotIds, lotIds[0]!])
    const plain = part(text, 'text/plain')
    expect(headers).toContain('Subject: 32 lots for Trucks near Chicago')
    expect([...plain.matchAll(/^Price drop: /gm)]).toHaveLength(20)
    expect([...plain.matchAll(/listings\/truck$/gm)]).toHaveLength(1)
    expect(plain).toContain(`12 more lots: ${PUBLIC_URL}/search?zip=60601\n`)
    expect(plain).toContain(`Edit or pause this alert: ${PUBLIC_URL}/account/alerts/${id}`)
  })

  it('counts the lots that were found beside those that are stored', async () => {
    const { id, owner } = await search()
    await match(id, lotIds)
    await site.sql`
      update alert_matches set others = 312
      where id = (select max(id) from alert_matches where search_id = ${id})`
    await send(await delivery(id, owner))
    expect(part(smtp.mails.at(-1)!.text, 'text/plain')).toContain('324 more lots: ')
  })

  it('is dropped for a search that was deleted or wants no mail, and for an account without an address', async () => {
    const before = smtp.mails.length
    const silent = await search()
    await match(silent.id, [lotIds[0]!])
    const one = await delivery(silent.id, silent.owner)
    await site.sql`update saved_searches set by_mail = false where id = ${silent.id}`
    const deleted = await search()
    await match(deleted.id, [lotIds[0]!])
    const other = await delivery(deleted.id, deleted.owner)
    await site.sql`delete from saved_searches where id = ${deleted.id}`
    const quota = { id: other.id, kind: 'quota', content: {} } as const
    for (const mail of [one, other, { ...quota, owner: 'The operator' }])
      expect(await send(mail)).toBeNull()
    expect(smtp.mails).toHaveLength(before)
  })
})

it('two processes send a mail once; one that was refused comes 5 seconds later with the same Message-ID', async () => {
  const { id, owner } = await search()
  await match(id, [lotIds[0]!])
  const { id: deliveryId } = await delivery(id, owner)
  await site.sql`update alert_deliveries set due_at = null where id <> ${deliveryId}`
  const connections = [openAdminConnection(site.databaseUrl), openAdminConnection(site.databaseUrl)]
  const tick = (moment = NOW) =>
    Promise.all(connections.map(sql => deliverAt(sql, moment, { mailer })))
  const before = smtp.mails.length
  smtp.refusesRecipients = { code: 450, message: 'later' }
  await tick()
  smtp.refusesRecipients = null
  await tick()
  expect(smtp.mails).toHaveLength(before)
  expect(
    await site.sql`select status, answer from alert_attempts where delivery_id = ${deliveryId}`,
  ).toEqual([{ status: null, answer: expect.stringContaining('refused') }])
  for (const _ of [1, 2]) await tick(fromNow(6_000))
  await Promise.all(connections.map(sql => sql.end()))
  expect(smtp.mails).toHaveLength(before + 1)
  expect(smtp.mails.at(-1)!.headers).toContain(`<${deliveryId}@surplus.example>`)
})

describe('other mails', () => {
  const plain = () => smtp.mails.at(-1)!
  const id = '0b1f3c9e-5d0a-4f6b-8c1d-2f6a7b8c9d0e'
  const base = { id, owner: 'a@example.com' }
  const quota = (percent: number) =>
    send({ ...base, kind: 'quota', content: { percent, used: 800, most: 1_000, month: '2026-11' } })

  it.each([
    [80, 'When all are used'],
    [100, 'are refused with 429'],
  ])('say that %d %% of a month are used', async (percent, words) => {
    await quota(percent)
    const text = part(plain().text, 'text/plain')
    expect(text).toContain('used 800 of its 1,000 API calls in November 2026')
    expect(text).toContain(words)
    expect(plain().headers).not.toContain('List-Unsubscribe')
  })

  it('are not sent again to a mailbox that does not exist', async () => {
    smtp.refusesRecipients = { code: 550, message: 'no such user' }
    expect(await quota(80)).toMatchObject({ status: 550 })
  })

  it('say that an endpoint fails, and that it was disabled', async () => {
    const content = {
      endpoint_id: 7,
      url: 'https://hooks.example/a',
      failing_since: '2026-11-20T09:30:00Z',
      disabled_reason: null as string | null,
    }
    await send({ ...base, kind: 'endpoint', content })
    expect(part(plain().text, 'text/plain')).toContain('has failed since Nov 20, 2026')
    await send({
      ...base,
      kind: 'endpoint',
      content: { ...content, disabled_reason: 'It answered 410.' },
    })
    expect(part(plain().text, 'text/plain')).toContain('no more messages. It answered 410.')
  })
})

describe('the page to unsubscribe', () => {
  const wantsMail = async (id: number) =>
    (
      await site.sql<{ by_mail: boolean }[]>`select by_mail from saved_searches where id = ${id}`
    )[0]!.by_mail

  it('asks when it is opened, stops the mails by its button without a session, and says how to get them again', async () => {
    const { id } = await search('<b>Trucks</b>')
    const path = `/alerts/unsubscribe/${unsubscribeToken(PEPPER, id)}`
    const page = await site.browser().open(path)
    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(page.headers).not.toHaveProperty('access-control-allow-origin')
    expect(page.body).toContain('&lt;b&gt;Trucks&lt;/b&gt;')
    expect(await wantsMail(id), 'opening changes nothing').toBe(true)
    const done = await page.form(path).submit()
    expect([done.status, await wantsMail(id)]).toEqual([200, false])
    expect(done.body).toContain(`href="/account/alerts/${id}"`)
    expect((await page.form(path).submit()).status, 'again').toBe(200)
  })

  it('takes the one click of a mail program: no origin, no cookie', async () => {
    const { id } = await search()
    const { id: other } = await search()
    const path = `/alerts/unsubscribe/${unsubscribeToken(PEPPER, id)}`
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await site.browser().call('POST', path, type, 'List-Unsubscribe=One-Click')
    expect([answer.status, await wantsMail(id), await wantsMail(other)]).toEqual([200, false, true])
  })

  it('404 for a token of something else, 200 where the search was deleted', async () => {
    const { id } = await search()
    const right = unsubscribeToken(PEPPER, id)
    const wrong = [
      right.replace(/^\d+/, String(id + 1)),
      `${right.slice(0, -1)}${right.endsWith('A') ? 'B' : 'A'}`,
      feedToken(PEPPER, id, 1),
      unsubscribeToken(`${PEPPER}x`, id),
      'x',
      `${right}x`,
      `0${right}`,
    ]
    for (const token of wrong) {
      const path = `/alerts/unsubscribe/${token}`
      expect((await site.browser().open(path)).status, token).toBe(404)
      expect((await site.browser().call('POST', path, {}, '')).status, token).toBe(404)
    }
    expect(await wantsMail(id)).toBe(true)
    await site.sql`delete from saved_searches where id = ${id}`
    const page = await site.browser().open(`/alerts/unsubscribe/${right}`)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('was deleted')])
  })
})

describe('the feed of a saved search', () => {
  it('has its last 50 matches, newest first, as JSON Feed and as RSS, with an ETag and out of search engines', async () => {
    const { id } = await search('Trucks <b>')
    await match(id, lotIds)
    await match(id, [...lotIds.slice(2), lotIds[1]!, lotIds[0]!], 'bid')
    const path = `/feeds/alerts/${feedToken(PEPPER, id, 1)}`
    const json = await site.browser().open(`${path}.json`)
    expect([json.status, json.headers['content-type'], json.headers['x-robots-tag']]).toEqual([
      200,
      'application/feed+json; charset=utf-8',
      'noindex',
    ])
    const feed = JSON.parse(json.body)
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Alerts: Trucks <b>',
      feed_url: `${PUBLIC_URL}${path}.json`,
      home_page_url: `${PUBLIC_URL}/account/alerts/${id}`,
    })
    expect(feed.items).toHaveLength(50)
    expect(feed.items[0]).toMatchObject({
      title: 'New bid: 2014 FORD F-150 XL',
      url: `${PUBLIC_URL}/listings/truck`,
      date_published: '2026-11-21T09:30:00Z',
    })
    expect(new Set(feed.items.map((item: { id: string }) => item.id)).size).toBe(50)
    const again = await site
      .browser()
      .open(`${path}.json`, { 'if-none-match': String(json.headers.etag) })
    expect(again.status).toBe(304)
    const rss = await site.browser().open(`${path}.rss`)
    expect([rss.status, rss.headers['content-type']]).toEqual([
      200,
      'application/rss+xml; charset=utf-8',
    ])
    expect(rss.body).toContain('<title>Alerts: Trucks &lt;b&gt;</title>')
    expect(rss.body).not.toContain('<img')
    expect([...rss.body.matchAll(/<item>/g)]).toHaveLength(50)
    await site.sql`update saved_searches set query = '{"zip": "60601"}' where id = ${id}`
    expect((await site.browser().open(`${path}.rss`)).body).toMatch(
      /\$4,125, 11 bids\. Was \$4,500\. Ends Nov .* \(26 miles away\), GSA/,
    )
  })

  it('is also the CSV of the export, from Pro+ on, and a calendar with the ends of the watched lots', async () => {
    const { id, account_id } = await search()
    const path = `/feeds/alerts/${feedToken(PEPPER, id, 1)}`
    const open = (ending: string) => site.browser().open(path + ending)
    await site.sql`update lots set title = '=1+1' where id = ${lotIds[2]!}`
    const csv = await open('.csv')
    expect([csv.status, csv.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(csv.body).toBe((await site.get('/api/v1/export')).text)
    expect(csv.body).toContain("'=1+1")
    expect((await open('.ics')).body).not.toContain('BEGIN:VEVENT')
    await site.sql`update saved_searches set lot_id = ${lotIds[0]!} where id = ${id}`
    expect((await open('.csv')).body.split('\r\n').map(line => line.split(',')[1])).toEqual([
      'title',
      '2014 FORD F-150 XL',
      undefined,
    ])
    const { headers, body } = await open('.ics')
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8')
    expect(body.match(/UID:.+/g)).toEqual([`UID:${lotIds[0]}@surplus.test`])
    await site.sql`update accounts set plan = 'pro' where id = ${account_id}`
    const refused = await site.get(`${path}.csv`)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(refused.body).toMatchObject({
      error: expect.stringContaining('needs Pro+; this account is on Pro.'),
    })
    expect(refused.body.upgrade).toBe(`${PUBLIC_URL}/pricing`)
    expect((await open('.ics')).status).toBe(200)
  })

  it('is a calendar that says when each lot last changed, whose number rises with a moved end, and 304 until then', async () => {
    const { id } = await search()
    await site.sql`update saved_searches set lot_id = ${lotIds[1]!} where id = ${id}`
    const changeAt = async (hours: number, change: () => Promise<unknown>) => {
      await observeAt(site.sql, fromNow(hours * HOUR))
      await change()
      await observeAt(site.sql, null)
    }
    const path = `/feeds/alerts/${feedToken(PEPPER, id, 1)}.ics`
    const calendar = async () => {
      const { body, headers } = await site.browser().open(path)
      const value = (name: string) => new RegExp(`^${name}:(.*)\\r$`, 'm').exec(body)?.[1]
      const stamps = [value('DTSTAMP'), value('LAST-MODIFIED')]
      return { body, etag: String(headers.etag), stamps, sequence: Number(value('SEQUENCE')) }
    }
    const setTo = (column: string, to: unknown) => () =>
      site.sql`update lots set ${site.sql({ [column]: to })} where id = ${lotIds[1]!}`
    await site.sql`delete from lot_changes where lot_id = ${lotIds[1]!}`
    await changeAt(-9, setTo('current_bid_cents', 70_000))
    const first = await calendar()
    for (const line of ['NAME:Watched lots', 'X-WR-CALNAME:Watched lots', 'X-PUBLISHED-TTL:PT1H'])
      expect(first.body.split('BEGIN:VEVENT')[0]).toContain(`\r\n${line}\r\n`)
    expect(first.body).toContain('\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n')
    expect([first.stamps, first.sequence]).toEqual([['20261121T003000Z', '20261121T003000Z'], 0])
    await changeAt(-1, setTo('flip_score', 99))
    site.clock.now = fromNow(HOUR)
    const again = await site.browser().open(path, { 'if-none-match': first.etag })
    expect(again.status).toBe(304)

    await changeAt(-8, setTo('ends_at', fromNow(50 * HOUR)))
    const moved = await calendar()
    expect([moved.stamps[0], moved.sequence > 0]).toEqual(['20261121T013000Z', true])
    await changeAt(-7, setTo('title', 'Another title'))
    expect(await calendar()).toMatchObject({
      stamps: ['20261121T023000Z', '20261121T023000Z'],
      sequence: moved.sequence,
    })
    await changeAt(-6, setTo('ends_at', fromNow(49 * HOUR)))
    const sooner = await calendar()
    expect(sooner.sequence).toBeGreaterThan(moved.sequence)
    const alone = (await site.browser().open(`/listings/hostile/end.ics`)).body
    expect(alone).toContain(`\r\nSEQUENCE:${sooner.sequence}\r\n`)
    expect(alone).not.toContain('NAME')
  })

  it('404 for an address that was revoked, of another search, or never made', async () => {
    const { id } = await search()
    const first = feedToken(PEPPER, id, 1)
    const status = async (token: string) =>
      (await site.browser().open(`/feeds/alerts/${token}.json`)).status
    expect(await status(first)).toBe(200)
    await site.sql`update saved_searches set feed_generation = 2 where id = ${id}`
    expect([await status(first), await status(feedToken(PEPPER, id, 2))]).toEqual([404, 200])
    for (const token of [
      feedToken(PEPPER, id + 1_000, 1),
      unsubscribeToken(PEPPER, id),
      feedToken('x', id, 2),
      feedToken(PEPPER, 0, 0),
      'x',
      '1-',
    ])
      expect(await status(token), token).toBe(404)
    await site.sql`delete from saved_searches where id = ${id}`
    expect(await status(feedToken(PEPPER, id, 2))).toBe(404)
  })
})

it('the log has the search of a secret address, and not its secret', async () => {
  const { id } = await search()
  const tokens = [feedToken(PEPPER, id, 1), unsubscribeToken(PEPPER, id)] as const
  await site.browser().open(`/feeds/alerts/${tokens[0]}.rss`)
  await site.browser().open(`/feeds/alerts/${tokens[0].replace('-', '%2D')}.rss`)
  await site.browser().open(`/alerts/unsubscribe/${tokens[1]}`)
  expect(site.log()).toContain(`/feeds/alerts/${id}-….rss`)
  expect(site.log()).toContain(`/alerts/unsubscribe/${id}-…`)
  for (const token of tokens) expect(site.log()).not.toContain(token.slice(String(id).length + 1))
})

describe('the demo mailbox', () => {
  it('404 with live data, where mails are not kept', async () => {
    await site.browser().submit('/account/sign-in', { address: 'live@example.com' })
    expect((await site.browser().open('/demo/mailbox')).status).toBe(404)
    expect(await site.sql`select id from demo_mails`).toHaveLength(0)
    expect(site.loggedLink()).not.toBe('')
  })

  describe('with demo data', () => {
    beforeEach(async () => {
      await site.sql`update data_version set kind = 'demo'`
      site.deps.data.kind = 'demo'
    })

    it('shows sign-in links, which work and stay out of the log', async () => {
      const browser = site.browser()
      const logged = site.loggedLink()
      const sent = await browser.submit('/account/sign-in', { address: 'demo@example.com' })
      expect(sent.body).toContain('<a href="/demo/mailbox">')
      expect(site.loggedLink(), 'no other than before').toBe(logged)
      const mailbox = await browser.open('/demo/mailbox')
      expect(mailbox.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
      expect(mailbox.headers['access-control-allow-origin']).toBeUndefined()
      expect(mailbox.body, 'a sentence that ends in an address').not.toMatch(/href="[^"]*:"/)
      const link = /href="http:\/\/surplus\.test(\/account\/sign-in\/link\?token=[\w-]+)"/.exec(
        mailbox.body,
      )![1]!
      await (await browser.open(link)).form('/account/sign-in/link').submit()
      expect((await browser.open('/account')).text).toContain('demo@example.com')
      expect((await browser.open('/')).body, 'the banner').toContain('href="/demo/mailbox"')
    })

    it('keeps the last 50, each as text and as a card without scripts, whose links open in the window', async () => {
      await site.sql`
      insert into demo_mails (recipient, subject, content, sent_at)
      select 'a@example.com', '<b>' || n, ${HOSTILE}, ${NOW} from generate_series(1, 100) as n`
      const { id, owner } = await search(HOSTILE)
      await match(id, [lotIds[0]!])
      const settings = deliverySettings(site.sql, { mailer: site.deps.mailer, ...fixedAt(NOW) })
      await sendMail(settings, await delivery(id, owner))
      expect(await site.sql`select id from demo_mails`).toHaveLength(50)
      const { body, headers } = await site.browser().open('/demo/mailbox')
      expect(body).toContain('&lt;b&gt;100')
      expect(body).not.toMatch(/<b>|<img/)
      const [[, frame = '', card = ''] = [], ...others] = body.matchAll(
        /<iframe ([^>]*?)srcdoc="([^"]*)"/g,
      )
      expect(others).toHaveLength(0)
      expect(frame).toContain('sandbox="allow-top-navigation-by-user-activation"')
      expect(unescaped(card)).toMatch(
        /^<!DOCTYPE html>\n<html lang="en">\n<head><base target="_top">/,
      )
      expect(headers['content-security-policy']).toMatch(/;style-src-attr 'unsafe-inline'$/)
    })
  })
})
