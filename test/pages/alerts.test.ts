import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PLANS, type Plan } from '../../src/contract/plans.ts'
import { DAY, fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser, Page } from '../support/site/formBrowser.ts'

const site = serviceFor()
let browser: FormBrowser
let truckId = ''
let accountId = 0

beforeAll(async () => {
  ;[truckId = ''] = await insertLots(site.sql, [
    {
      slug: 'truck',
      title: 'Ford F-150 <b>',
      category: 'vehicles',
      state: 'IL',
      ends_at: fromNow(5 * HOUR),
    },
    { slug: 'desk', title: 'Desk', category: 'office-furniture', state: 'TX' },
  ])
})

let people = 0
beforeEach(async () => {
  site.clock.now = NOW
  const address = `saver${++people}@example.com`
  browser = await site.signedIn(address)
  const [account] = await site.sql<
    { id: number }[]
  >`select id from accounts where owner = ${address}`
  accountId = account!.id
})

const setPlan = (plan: Plan) => site.sql`update accounts set plan = ${plan} where id = ${accountId}`

/** The form of a new alert, as a link of a search leads to it. */
const newForm = async (query = '') =>
  (await browser.open(`/account/alerts/new${query && `?${query}`}`)).form('/account/alerts')

async function save(query: string, typed: Record<string, string> = {}): Promise<number> {
  const { status, headers, text } = await (await newForm(query)).submit(typed)
  expect([status, headers.location], text).toEqual([303, '/account/alerts?done=saved'])
  return (await stored()).at(-1)!.id
}

const stored = async () => site.sql`
  select id::integer, by_file, name, query, lot_id, kinds, cadence, by_mail, endpoint_ids, is_paused
  from saved_searches where account_id = ${accountId} order by id`

async function makeEndpoint(of = accountId, disabled: Date | null = null): Promise<number> {
  const [row] = await site.sql<{ id: number }[]>`
    insert into alert_endpoints (account_id, url, secret, created_at, disabled_at)
    values (${of}, 'https://hooks.example/<a>', 'whsec_AA==', ${NOW}, ${disabled}) returning id`
  return row!.id
}

const editForm = async (id: number) =>
  (await browser.open(`/account/alerts/${id}`)).form(`/account/alerts/${id}`)

/** Presses a button of the list. */
async function press(id: number, what: string): Promise<Page> {
  return (await browser.open('/account/alerts')).form(`/account/alerts/${id}/${what}`).submit()
}

describe('the way to an alert', () => {
  it('leads from a search, with its filters but not its order or page', async () => {
    const { body } = await browser.open('/search?q=ford&category=vehicles&sort=newest&page=1')
    expect(body).toContain('href="/account/alerts/new?q=ford&amp;category=vehicles"')
    const nothing = await browser.open('/search?q=nothing+at+all&price_max=3')
    expect(nothing.body).toContain('href="/account/alerts/new?q=nothing+at+all&amp;price_max=3"')
  })

  it('leads from a lot until that is over', async () => {
    const link = `href="/account/alerts/new?listing_id=${truckId}"`
    const visitor = site.browser()
    expect((await visitor.open('/listings/truck')).body).toContain(link)
    await site.sql`update lots set outcome = 'withdrawn', is_open = false where id = ${truckId}::uuid`
    await site.sql`update data_version set version = version + 1`
    expect((await visitor.open('/listings/truck')).body).not.toContain(link)
    expect((await browser.open('/listings/truck')).forms.map(({ action }) => action)).not.toContain(
      '/account/alerts/watch',
    )
    expect((await visitor.open('/listings/truck/end.ics')).status).toBe(404)
    await site.sql`update lots set outcome = null, is_open = true where id = ${truckId}::uuid`
    await site.sql`update data_version set version = version + 1`
  })

  it('leads through signing in, and keeps the search, in any letters', async () => {
    const words = '日本語'.repeat(66)
    const path = `/account/alerts/new?q=${encodeURIComponent(words)}&state=TX`
    const visitor = site.browser()
    const { status, headers } = await visitor.open(path)
    expect([status, headers.location]).toEqual([
      303,
      `/account/sign-in?next=${encodeURIComponent(path)}`,
    ])
    const form = (await visitor.open(headers.location!)).form('/account/sign-in')
    expect((await form.submit({ address: `reader${people}@example.com` })).status).toBe(200)
    const entered = await (await visitor.open(site.loggedLink()))
      .form('/account/sign-in/link')
      .submit()
    expect(entered.headers.location).toBe(path)
    const { fields } = (await visitor.open(path)).form('/account/alerts')
    expect(fields).toMatchObject({ q: words, state: 'TX' })
    const again = await visitor.open(`/account/sign-in?next=${encodeURIComponent(path)}`)
    expect(again.headers.location, 'also for one who is signed in already').toBe(path)
  })

  it('leaves out what a shared link has beside the parameters of a search, and says so', async () => {
    const page = await browser.open(
      '/account/alerts/new?q=ford&utm_source=%3Cb%3E&%3Cscript%3E=1&kinds=bid,nothing&cadence=hourly&sort=newest',
    )
    expect(page.text).toContain('left out: “utm_source”, “<script>”, “kinds”, “cadence”.')
    expect(page.body).not.toContain('<script>')
    const { fields } = page.form('/account/alerts')
    expect(fields).toMatchObject({ q: 'ford', kind_bid: 'true', cadence: 'daily' })
    expect(fields).not.toHaveProperty('kind_new')
  })

  it('takes name, kinds and rhythm from a ready link of an agent', async () => {
    const link = 'category=vehicles&min_flip_score=70&kinds=new,bid&cadence=weekly&name=Good+trucks'
    await save(link)
    expect(await stored()).toMatchObject([
      {
        name: 'Good trucks',
        query: { category: 'vehicles', min_flip_score: 70 },
        kinds: ['new', 'bid'],
        cadence: 'weekly',
      },
    ])
  })

  it.each([
    ['q=%00', 'NUL'],
    ['min_flip_score=101', 'min_flip_score'],
  ])('400 with the form for a link with %s', async (query, reason) => {
    const page = await browser.open(`/account/alerts/new?${query}`)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(reason)])
    expect(page.form('/account/alerts').fields.name).toBe('')
  })

  it('404 for a lot that does not exist', async () => {
    for (const id of ['nothing', '00000000-0000-4000-8000-000000000000', '%3Cb%3E'])
      expect((await browser.open(`/account/alerts/new?listing_id=${id}`)).status).toBe(404)
  })
})

describe('an alert', () => {
  it('stores the filters of its search, by their names and types, and is named after them', async () => {
    const query =
      'q=%22ford%22&category=vehicles&state=il&source=gsa&zip=60601&radius_miles=20&price_min=1&price_max=9000.5&closing_within_hours=48&no_bids=false&buy_now=true'
    await save(query)
    expect(await stored()).toEqual([
      {
        id: expect.any(Number),
        by_file: false,
        name: expect.stringMatching(
          /^“"ford"”, Vehicles, IL, .*, within 20 miles of Chicago, IL 60601, from \$1,/,
        ),
        query: {
          q: '"ford"',
          category: 'vehicles',
          state: 'IL',
          source: 'gsa',
          zip: '60601',
          radius_miles: 20,
          price_min: 1,
          price_max: 9000.5,
          closing_within_hours: 48,
          buy_now: true,
        },
        lot_id: null,
        // With it, also a lot that was listed before its last 48 hours is reported.
        kinds: ['new', 'price_drop', 'ending'],
        cadence: 'daily',
        by_mail: true,
        endpoint_ids: [],
        is_paused: false,
      },
    ])
  })

  it('reads its words as the search page does, and keeps those that are no filter', async () => {
    const id = await save('', { q: 'pickup under 5000 near austin' })
    expect(await stored()).toMatchObject([
      { query: { q: 'pickup', price_max: 5000, zip: expect.stringMatching(/^787/) } },
    ])
    expect((await editForm(id)).fields).toMatchObject({ q: 'pickup', price_max: '5000' })
  })

  it('keeps or drops what only a link sets, in a box that says it, and says when its end has passed', async () => {
    const ends_before = '2026-11-22'
    const only = { ends_before, value_min: '500', auction: 'gsa-1' }
    const link = new URLSearchParams({ q: 'ford', ...only }).toString()
    const page = await browser.open(`/account/alerts/new?${link}`)
    for (const said of ['Ends before Nov 22, 2026', 'Typical price from, $ 500', 'Auction gsa-1'])
      expect(page.text).toContain(said)
    expect(page.body).not.toMatch(/type="hidden" name="(ends_before|value_min|auction)"/)
    const kept = await save(link)
    const [first] = await stored()
    expect(first!.query).toEqual({ q: 'ford', ...only, value_min: 500 })
    const { fields } = await editForm(kept)
    expect(fields).toMatchObject(only)
    const list = async () => (await browser.open('/account/alerts')).text
    expect(await list()).toContain('ends before Nov 22, 2026')
    site.clock.now = fromNow(15 * HOUR)
    expect(await list()).toContain('Its “ends before” has passed: it finds nothing')
    // A box that is cleared is not sent.
    const { ends_before: _, auction: __, ...cleared } = fields
    await browser.submit(`/account/alerts/${kept}`, cleared)
    expect((await stored())[0]!.query).toEqual({ q: 'ford', value_min: 500 })
    expect(await list()).not.toContain('has passed')
  })

  it('watches a lot by its id or slug, and is named after its title', async () => {
    await save('listing_id=truck&q=ignored')
    expect(await stored()).toMatchObject([
      {
        name: 'Ford F-150 <b>',
        query: {},
        lot_id: truckId,
        kinds: ['price_drop', 'bid', 'ending', 'status'],
      },
    ])
    const { text } = await browser.open('/account/alerts')
    expect(text).toContain('The lot Ford F-150 <b>')
  })

  it('of a lot is one press, once, and says where emails come too late and which plan would be in time', async () => {
    const press = async () => {
      const form = (await browser.open('/listings/truck')).form('/account/alerts/watch')
      expect((await form.submit()).headers.location).toBe('/account/alerts?done=watched')
      return (await browser.open('/account/alerts?done=watched')).text
    }
    // It ends at 9:30 AM in New York, where daily emails go out at 8:00 AM.
    expect(await press()).toContain(
      'It ends Nov 21, 2026, 9:30 AM EST ( add it to your calendar ).',
    )
    site.clock.now = fromNow(3.6 * HOUR)
    const text = await press()
    expect(text).toMatch(/You’re watching this lot.*Ford F-150 <b> Active/)
    expect(text).toMatch(
      /come too late: Sun, Nov 22, 2026, 8:00 AM EST.*It ends Nov 21, 2026, 9:30 AM EST/,
    )
    expect(text).toContain(
      'One email comes when its last hour begins. With Pro+, emails come instantly.',
    )
    await site.sql`update accounts set quiet_from = 22, quiet_until = 7`
    expect(await press()).toContain('last hour begins, unless your quiet hours hold it back.')
    await site.sql`update accounts set quiet_from = default, quiet_until = default`
    site.clock.now = fromNow(4 * HOUR)
    expect(await press()).not.toContain('last hour begins')
    expect(await stored()).toMatchObject([{ lot_id: truckId, cadence: 'daily', by_mail: true }])
    await site.sql`update saved_searches set cadence = 'instant'`
    await setPlan('pro_plus')
    expect(await press()).not.toContain('too late')
    const { status, headers, body } = await browser.open('/listings/truck/end.ics')
    expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect(body).toContain('\r\nDTSTART:20261121T143000Z\r\nSUMMARY:Ends: Ford F-150 <b>\r\n')
    expect(body).toContain('TRIGGER:-PT1H')
    await site.sql`update lots set ends_at = '2026-11-25T05:59:59Z', source = 'gsa' where slug = 'truck'`
    const day = (await browser.open('/listings/truck/end.ics')).body
    // The alarm is at 6 PM of the day before.
    expect(day).toMatch(/\r\nDTSTART;VALUE=DATE:20261124\r\n[\s\S]*\r\nTRIGGER:-PT6H\r\n/)
    expect(day).not.toContain('DTSTART:')
    await site.sql`update data_version set version = version + 1`
    await site.sql`update saved_searches set cadence = 'daily'`
    site.clock.now = new Date('2026-11-24T14:00:00Z')
    expect((await browser.open('/account/alerts')).text).toMatch(
      /come too late: Wed, Nov 25.*It ends Tue, Nov 24, between 10 AM and 8 PM Central \( add it/,
    )
    await site.sql`update lots set title = ${'Déjà vu 日本語 '.repeat(9)} where slug = 'truck'`
    await site.sql`update data_version set version = version + 1`
    const { body: long } = await browser.open('/listings/truck/end.ics')
    expect(
      Math.max(...long.split('\r\n').map(line => Buffer.byteLength(line))),
    ).toBeLessThanOrEqual(75)
    await site.sql`update lots set title = 'Ford F-150 <b>' where slug = 'truck'`
    await site.sql`update data_version set version = version + 1`
    expect(long.replaceAll('\r\n ', '')).toContain(`Closes: ${'Déjà vu 日本語 '.repeat(9).trim()}`)
  })

  it('shows before it is saved what it would have found in the last 30 days, and what that sold for', async () => {
    await observeAt(site.sql, fromNow(-31 * DAY))
    await insertLots(site.sql, [{ slug: 'too-old', title: 'Anvil', state: 'WY' }])
    await observeAt(site.sql, fromNow(-29 * DAY))
    await insertLots(site.sql, [
      ...Array.from({ length: 6 }, (_, n) => ({
        slug: `anvil-${n}`,
        title: `Anvil no. ${n}`,
        state: 'WY',
      })),
      { slug: 'vise', title: 'Vise', state: 'WY' },
      { slug: 'far', title: 'Anvil', state: 'HI' },
    ])
    await observeAt(site.sql, NOW)
    await site.sql`
      update lots
      set is_open = false, outcome = 'sold', final_bid_cents = 12300, price_basis = 'awarded', sold_at = ${NOW}
      where slug = 'anvil-3'`
    await site.sql`update lots set is_open = false, outcome = 'withdrawn' where slug = 'anvil-0'`
    const { text, body } = await browser.open(
      '/account/alerts/new?q=anvil&state=wy&no_bids=true&closing_within_hours=1',
    )
    expect(text).toMatch(
      /6 matches in the last 30 days, such as: Anvil no\. 3 , sold for \$123 Anvil no\. 0 , withdrawn/,
    )
    expect(body.match(/href="\/listings\/anvil-/g)).toHaveLength(5)
    const id = await save('q=vise')
    expect((await browser.open(`/account/alerts/${id}`)).text).toContain(
      '1 match in the last 30 days,',
    )
    const shown = async (query: string) => (await browser.open(`/account/alerts/new?${query}`)).text
    expect(await shown('q=nothing+at+all')).toContain('0 matches in the last 30 days.')
    expect(await shown('listing_id=truck')).not.toContain('in the last 30 days')
  })

  it('is listed with its filters in words, its settings, its state and what it found', async () => {
    await setPlan('pro_plus')
    const id = await save('q=ford&state=IL', { name: 'Trucks' })
    const kinds = ['new', 'price_drop', 'bid', 'ending']
    for (const [index, kind] of kinds.entries()) {
      await site.sql`
        insert into alert_matches (search_id, lot_id, kind, value, num_bids, ends_at, observed_at, matched_at)
        values (${id}, ${truckId}::uuid, ${kind}, '', 0, ${NOW}, ${NOW}, ${fromNow(index * HOUR)})`
    }
    const { text, body } = await browser.open('/account/alerts')
    expect(text).toContain('1 of 50 alerts')
    expect(text).toContain('Active Live lots: “ford”, IL')
    expect(body).toContain('href="/search?q=ford&amp;state=IL"')
    expect(text).toContain('New lot, Price drop · email instantly')
    expect(text).toMatch(/Ending soon: Ford F-150 <b> ,.*New bid: .*Price drop: /)
    expect(text, 'the three latest').not.toMatch(/New lot: /)
    expect(text).toContain('and 1 more within 24 hours')
    await site.sql`update alert_matches set others = 1312 where search_id = ${id} and kind = 'ending'`
    expect((await browser.open('/account/alerts')).text).toContain('and 1,313 more within 24 hours')
    expect(body).toContain('<a href="/listings/truck">Ford F-150 &lt;b&gt;</a>')
  })

  it('is edited: filters, name, kinds, rhythm and channels', async () => {
    await setPlan('pro_plus')
    const endpoint = await makeEndpoint()
    const id = await save('q=ford')
    await press(id, 'pause')
    const page = await browser.open(`/account/alerts/${id}`)
    const form = page.form(`/account/alerts/${id}`)
    expect(form.fields).toMatchObject({
      q: 'ford',
      name: '“ford”',
      kind_new: 'true',
      cadence: 'instant',
    })
    expect(page.text).toContain('Webhook https://hooks.example/<a>')
    delete form.fields.kind_new
    delete form.fields.by_mail
    const { headers } = await form.submit({
      q: '',
      category: 'vehicles',
      name: 'Wheels',
      kind_status: 'true',
      cadence: 'weekly',
      [`endpoint_${endpoint}`]: 'true',
    })
    expect(headers.location).toBe('/account/alerts?done=saved')
    expect(await stored()).toMatchObject([
      {
        name: 'Wheels',
        query: { category: 'vehicles' },
        kinds: ['price_drop', 'status'],
        cadence: 'weekly',
        by_mail: false,
        endpoint_ids: [endpoint],
        is_paused: true,
      },
    ])
    expect((await browser.open('/account/alerts')).text).toContain(
      'Price drop, Changed · 1 webhook',
    )
  })

  it('of a watched lot stays of that lot when it is edited', async () => {
    const id = await save('listing_id=truck')
    const typed = { listing_id: 'desk', q: 'ford', name: 'Mine' }
    expect((await (await editForm(id)).submit(typed)).status).toBe(303)
    expect(await stored()).toMatchObject([{ name: 'Mine', lot_id: truckId, query: {} }])
  })

  it('of a lot that was deleted says so, and can still be edited and deleted', async () => {
    const [goneId] = await insertLots(site.sql, [{ slug: `gone-${people}`, title: 'Soon gone' }])
    const id = await save(`listing_id=${goneId}`)
    await site.sql`delete from lots where id = ${goneId!}::uuid`
    expect((await browser.open('/account/alerts')).text).toContain('The lot was deleted')
    expect((await (await editForm(id)).submit({ name: 'Gone' })).headers.location).toBe(
      '/account/alerts?done=saved',
    )
    expect((await press(id, 'delete')).status).toBe(303)
  })

  it('is paused, resumed and deleted, each said on the list', async () => {
    const id = await save('q=ford')
    expect((await press(id, 'pause')).headers.location).toBe('/account/alerts?done=paused')
    expect((await browser.open('/account/alerts?done=paused')).text).toMatch(
      /The alert is paused.*Paused/,
    )
    expect((await press(id, 'resume')).headers.location).toBe('/account/alerts?done=resumed')
    expect(await stored()).toMatchObject([{ is_paused: false, query: { q: 'ford' } }])
    const list = await browser.open('/account/alerts')
    const form = `<form method="post" action="/account/alerts/${id}/delete">`
    expect(list.body.replace(/>\s+</g, '><')).toContain(`<details><summary>Delete</summary>${form}`)
    expect((await press(id, 'delete')).headers.location).toBe('/account/alerts?done=deleted')
    expect(await stored()).toEqual([])
    expect((await list.form(`/account/alerts/${id}/delete`).submit()).status).toBe(404)
  })

  it('has its name shown as text, whatever it holds', async () => {
    for (const name of ['<script>alert(1)</script>', `"'&<>`, 'x'.repeat(100)]) {
      const id = await save('q=ford', { name })
      const page = await browser.open('/account/alerts')
      expect(page.text).toContain(` ${name} `)
      expect(page.body).not.toContain('<script>')
      expect((await editForm(id)).fields.name).toBe(name)
    }
  })

  it('is named after words that no name may hold, too', async () => {
    await save(`q=${encodeURIComponent('ford\u202e')}`)
    expect(await stored()).toMatchObject([{ name: 'All live lots' }])
  })

  it.each<[string, Record<string, string>, string]>([
    ['two lines for a name', { name: 'a\nb' }, 'one line'],
    ['a direction mark in its name', { name: 'a\u202eb' }, 'visible characters'],
    ['101 characters for a name', { name: 'x'.repeat(101) }, 'at most 100'],
    ['no kinds', { kind_new: '', kind_price_drop: 'maybe' }, 'at least one'],
    ['another rhythm', { cadence: 'hourly' }, 'instant, daily, weekly'],
    ['a category of its own', { category: 'boats' }, '"category"'],
    ['a price in words', { price_min: '0x10' }, '"price_min"'],
    ['a ZIP code that does not exist', { zip: '00000' }, 'no ZIP code'],
    ['prices turned around', { price_min: '9', price_max: '3' }, 'must not be above'],
    ['words that are too long', { q: 'x'.repeat(201) }, '"q"'],
    [
      'instant mail without the plan',
      { cadence: 'instant' },
      'Instant alerts need Pro+. Choose daily or weekly.',
    ],
    ["another account's webhook", { endpoint_1: 'true' }, 'no such webhook'],
  ])('400 with the form as it was for %s', async (_what, typed, reason) => {
    const page = await (await newForm('q=ford&name=Kept')).submit(typed)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(reason)])
    expect(page.form('/account/alerts').fields).toMatchObject({
      name: typed.name ?? 'Kept',
      q: typed.q ?? 'ford',
    })
    expect(await stored()).toEqual([])
  })

  it('has a secret feed, whose address its owner can change', async () => {
    const id = await save('q=ford')
    const feedsOf = async () =>
      [
        ...(await browser.open('/account/alerts')).body.matchAll(
          /href="(\/feeds\/alerts\/[^"]*)"/g,
        ),
      ].map(([, path]) => path!)
    const feeds = await feedsOf()
    expect(feeds.map(path => path.split('.').at(-1))).toEqual(['rss', 'json', 'ics'])
    const anyone = site.browser()
    for (const path of feeds) expect((await anyone.open(path)).status).toBe(200)
    expect((await press(id, 'feed')).headers.location).toBe('/account/alerts?done=feed')
    for (const path of feeds) expect((await anyone.open(path)).status).toBe(404)
    const [rss = ''] = await feedsOf()
    expect((await anyone.open(rss)).status).toBe(200)
  })
})

describe('the times of mails', () => {
  const timesForm = async () =>
    (await browser.open('/account/alerts')).form('/account/alerts/times')

  it('are those of the account, for all its alerts, also for mails that wait', async () => {
    expect((await timesForm()).fields).toMatchObject({
      time_zone: 'America/New_York',
      digest_hour: '8',
    })
    const id = await save('q=ford')
    await site.sql`update saved_searches set mail_since = ${NOW}, mail_due_at = ${fromNow(9 * HOUR)} where id = ${id}`
    const typed = { digest_hour: '17', time_zone: 'UTC', quiet_from: '22', quiet_until: '7' }
    expect((await (await timesForm()).submit(typed)).headers.location).toBe(
      '/account/alerts?done=times',
    )
    expect((await timesForm()).fields).toMatchObject(typed)
    const form = await browser.open(`/account/alerts/${id}`)
    expect(form.text).toContain('5:00 PM, not from 10:00 PM to 7:00 AM (UTC)')
    expect(await site.sql`select mail_due_at from saved_searches where id = ${id}`).toEqual([
      { mail_due_at: NOW },
    ])
  })

  it.each([
    ['another time zone', { time_zone: "Europe/Berlin'" }, 'America/New_York'],
    ['a property for a time zone', { time_zone: 'constructor' }, 'Choose a time zone'],
    ['an hour too many', { digest_hour: '24' }, '"digest_hour" must be an hour'],
    ['no hour', { quiet_from: '' }, '"quiet_from" must be an hour'],
    ['half an hour', { quiet_until: '7.5' }, '"quiet_until" must be an hour'],
  ])('400 for %s', async (_what, typed, reason) => {
    const page = await (await timesForm()).submit(typed)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(reason)])
  })
})

describe('the plan of an account', () => {
  it.each<[Plan, number]>([
    ['free', 3],
    ['pro', 10],
    ['pro_plus', 50],
    ['enterprise', 500],
  ])('%s includes %i alerts, also when they are saved at once', async (plan, most) => {
    await setPlan(plan)
    await site.sql`
      insert into saved_searches (account_id, name, query, kinds, cadence, created_at)
      select ${accountId}, 'One of many', '{}', array['new'], 'daily', ${NOW} from generate_series(1, ${most - 2})`
    const form = await newForm('q=ford')
    const answers = await Promise.all(Array.from({ length: 8 }, () => form.submit()))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, ...Array(6).fill(400)])
    expect(await stored()).toHaveLength(most)
    const refused = answers.find(({ status }) => status === 400)!
    expect(refused.text).toContain(`The plan ${PLANS[plan].name} includes ${most} alerts`)
    const { text, body } = await browser.open('/account/alerts')
    expect(text).toContain(`${most} of ${most} alerts`)
    expect(body).not.toContain('href="/account/alerts/new"')
    expect((await browser.open('/account/alerts/new?q=ford')).text).toContain('has that many')
  })

  it('offers a file each day with the lots of a search to Enterprise, and to no other plan', async () => {
    await setPlan('pro_plus')
    const form = await newForm('q=ford')
    expect(form.fields).not.toHaveProperty('by_file')
    expect((await browser.open('/account/alerts/new')).text).not.toContain('A file each day')
    const { status, text } = await form.submit({ by_file: 'true' })
    expect([status, text]).toEqual([400, expect.stringContaining('needs the plan Enterprise')])
    await setPlan('enterprise')
    expect((await browser.open('/account/alerts/new')).text).toContain('A file each day')
    const watching = await browser.open(`/account/alerts/new?listing_id=${truckId}`)
    expect(watching.text).not.toContain('A file each day')
    await save('q=ford', { by_file: 'true' })
    expect(await stored()).toMatchObject([{ by_file: true }])
    expect((await browser.open('/account/alerts')).text).toContain('a file each day')
    await setPlan('pro')
    expect((await browser.open('/account/alerts')).text).toContain(
      'a file each day (not in your plan)',
    )
  })

  it('that is lowered keeps the alerts, and marks those that it does not include', async () => {
    await setPlan('pro_plus')
    const endpoint = await makeEndpoint()
    for (let index = 1; index <= 5; index++)
      await save('q=ford', { name: `Number ${index}`, [`endpoint_${endpoint}`]: 'true' })
    await setPlan('free')
    const { text } = await browser.open('/account/alerts')
    expect(text).toContain('5 of 3 alerts')
    expect(text.match(/Not in your plan: it finds nothing/g)).toHaveLength(2)
    expect(text).toMatch(/Number 3 Active .*Number 4 Not in your plan/)
    expect(text).toContain('email every day and 1 webhook (not in your plan)')
    const { id } = (await stored())[0]!
    expect((await (await editForm(id)).submit({ name: 'Kept' })).status).toBe(303)
    expect((await stored())[0]).toMatchObject({
      name: 'Kept',
      cadence: 'instant',
      endpoint_ids: [endpoint],
    })
  })

  it('says in the form what it does not include', async () => {
    const page = await browser.open('/account/alerts/new')
    expect(page.body).toMatch(/value="instant" disabled/)
    expect(page.text).toContain('Instantly (Pro+)')
    expect(page.text).toContain('Webhooks need Pro+')
    await setPlan('pro_plus')
    const larger = await browser.open('/account/alerts/new')
    expect(larger.form('/account/alerts').fields.cadence).toBe('instant')
    expect(larger.body).toContain('href="/account/alerts/endpoints"')
  })
})
