import { describe, expect, it } from 'vitest'
import { hashKey } from '../../src/domain/apiKey.ts'
import { createCallLog, lastCalls } from '../../src/infra/accounts/callLog.ts'
import { sumOperationCalls } from '../../src/infra/metering/counters.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const site = serviceFor()
let browser: FormBrowser
let key: string

let people = 0
async function newHolder(): Promise<void> {
  site.clock.now = null
  browser = await site.signedIn(`counts${++people}@example.com`)
  key = await browser.newKey('counts')
}

async function call(path = '/api/v1/sources', sent = key): Promise<number> {
  const answer = await fetch(site.address + path, { headers: { authorization: `Bearer ${sent}` } })
  await answer.arrayBuffer()
  return answer.status
}

async function callAt(moment: string, times = 1): Promise<void> {
  site.clock.now = new Date(moment)
  for (let time = 0; time < times; time++) expect(await call()).toBe(200)
}

async function pageAt(moment: string) {
  site.clock.now = null
  const cookie = browser.cookieHeader()
  // A session of today is read at another moment.
  await site.sql`update sessions set expires_at = 'infinity'`
  site.clock.now = new Date(moment)
  return browser.open('/account', { cookie })
}

const rowsOf = async () =>
  site.sql<{ month: string; used: number; days: string }[]>`
    select to_char(u.month, 'YYYY-MM') as month, u.used, array_to_string(u.days, ',') as days
    from monthly_usage u
    join keys k on u.meter = 'account:' || k.account_id
    where k.secret_hash = ${hashKey(PEPPER, key)}
    order by u.month`

/** The bars of the chart: a part of a page before it may have a drawing too. */
const barsOf = (body: string) => body.slice(body.indexOf('<figure')).match(/<rect /g)?.length

/** The calls of the days that had any. */
const byDay = (days: string) =>
  Object.fromEntries(
    days.split(',').flatMap((calls, index) => (calls === '0' ? [] : [[index + 1, Number(calls)]])),
  )

describe('the calls of an account', () => {
  it('are counted by day (UTC), and the days add up to the month', async () => {
    await newHolder()
    await callAt('2026-11-01T00:00:00Z', 2)
    await callAt('2026-11-20T23:59:59.999Z', 3)
    await callAt('2026-11-21T00:00:00Z', 4)
    await callAt('2026-11-30T23:59:59Z')
    await callAt('2026-12-01T00:00:00Z', 5)
    await callAt('2026-12-31T23:59:59Z')
    const rows = await rowsOf()
    expect(rows.map(({ month, used, days }) => [month, used, byDay(days)])).toEqual([
      ['2026-11', 10, { 1: 2, 20: 3, 21: 4, 30: 1 }],
      ['2026-12', 6, { 1: 5, 31: 1 }],
    ])
  })

  it('are shown as number, chart and table, for this month', async () => {
    await newHolder()
    await callAt('2026-10-31T12:00:00Z', 7)
    await callAt('2026-11-03T12:00:00Z', 2)
    await callAt('2026-11-21T12:00:00Z', 5)
    const { text, body } = await pageAt('2026-11-22T12:00:00Z')
    expect(body).toContain('<a href="/account" aria-current="true">Account</a>')
    expect(text).toContain('7 of 1,000 (Free)')
    expect(body).toContain('<progress max="1000" value="7"')
    expect(barsOf(body)).toBe(30)
    expect(body.match(/(?<=<text [^>]*>)Nov \d+/g)).toEqual(['Nov 1', 'Nov 8', 'Nov 15', 'Nov 22'])
    expect(body).toContain('<title>Nov 21: 5</title>')
    expect(text).toContain('Calls a day from Nov 1 to Nov 22: the most, 5, on Nov 21.')
    const table = text.slice(text.indexOf('Day (UTC)'))
    expect(table).toMatch(/Day \(UTC\) Calls Nov 22 0 Nov 21 5 Nov 20 0/)
    expect(table).toMatch(/Nov 3 2 Nov 2 0 Nov 1 0 /)
    expect(table).not.toContain('Nov 23')
  })

  it.each([
    ['2028-02-29T12:00:00Z', 29],
    ['2026-02-28T12:00:00Z', 28],
    ['2026-12-31T23:59:59Z', 31],
  ])('have a bar for each day of the month of %s: %i', async (moment, days) => {
    await newHolder()
    await callAt(moment)
    const { body } = await pageAt(moment)
    expect(barsOf(body)).toBe(days)
    expect(body).toContain('Calls a day from')
  })

  it('are a sentence instead of a chart while there are none', async () => {
    await newHolder()
    const { body } = await pageAt('2026-11-20T12:00:00Z')
    expect(barsOf(body)).toBeUndefined()
    expect(body).toContain('No calls yet this month.')
  })

  it('are given back to the day that paid, also after midnight', async () => {
    await newHolder()
    await callAt('2026-11-20T23:59:30Z', 2)
    await site.sql`alter table lots rename to lots_away`
    site.clock.now = new Date('2026-11-20T23:59:40Z')
    const failed = await call('/api/v1/listings/any')
    await site.sql`alter table lots_away rename to lots`
    expect(failed).toBe(500)
    await callAt('2026-11-21T00:00:10Z')
    await expect
      .poll(async () => (await rowsOf()).map(({ used, days }) => [used, byDay(days)]))
      .toEqual([[3, { 20: 2, 21: 1 }]])
  })

  it('are counted by key and operation, also refused ones by their code, in a table and as CSV', async () => {
    await newHolder()
    const first = key
    key = await browser.newKey('=1+1, "x"')
    await callAt('2026-10-31T23:59:59Z', 2)
    await callAt('2026-11-01T00:00:00Z', 3)
    site.clock.now = new Date('2026-11-02T00:00:00Z')
    expect(await call('/api/v1/listings?page=0', first)).toBe(400)
    expect(await call('/api/v1/export', first)).toBe(403)
    for (let time = 0; time < 2; time++) expect(await call('/api/v1/listings', first)).toBe(200)
    await site.sql`alter table sources rename to sources_away`
    expect(await call('/api/v1/sources?x', first)).toBe(400)
    expect(await call('/api/v1/sources', first)).toBe(500)
    await site.sql`alter table sources_away rename to sources`
    site.clock.now = null
    const csv = [
      'month,key,key_ends_with,operation,calls',
      `2026-11,"'=1+1, ""x""",${key.slice(-4)},listSources,3`,
      `2026-11,counts,${first.slice(-4)},searchListings,3`,
      `2026-11,counts,${first.slice(-4)},exportListings,1`,
      `2026-11,counts,${first.slice(-4)},listSources,1`,
      `2026-10,"'=1+1, ""x""",${key.slice(-4)},listSources,2`,
      '',
    ]
    const read = async () => (await browser.open('/account/calls.csv')).body.split('\r\n')
    await expect.poll(read).toEqual(csv)
    await Promise.all([1, 2, 3].map(() => site.deps.primary(sumOperationCalls)))
    expect(await read(), 'after they were added up').toEqual(csv)
    expect(await site.sql`select from operation_calls`).toHaveLength(0)
    const { text } = await browser.open('/account/calls')
    expect(text).toMatch(
      /2026-11: 8 calls .* listSources 3 counts searchListings 3 .* 2026-10: 2 calls /,
    )
    const [november] = (await rowsOf()).slice(-1)
    expect(november!.used).toBe(8)
  })

  it('of nobody else are shown', async () => {
    await newHolder()
    await callAt('2026-11-21T12:00:00Z', 3)
    await newHolder()
    expect((await pageAt('2026-11-21T13:00:00Z')).text).toContain('0 of 1,000')
  })
})

describe('the log of the last 100 calls', () => {
  /** The rows of the page, without the head. */
  const shown = async (path = '/account/log') =>
    (await browser.open(path)).body.split('<tr>').slice(2)

  it('shows each call of the account at once, the refused ones with their reason, the latest first', async () => {
    await newHolder()
    site.clock.now = new Date('2026-11-23T10:00:00Z')
    expect(await call('/api/v1/sources')).toBe(200)
    site.clock.now = new Date('2026-11-23T10:00:01Z')
    expect(await call('/api/v1/listings?catgory=%3Cb%3E')).toBe(400)
    site.clock.now = new Date('2026-11-23T10:00:02Z')
    expect(await call('/api/v1/export')).toBe(403)
    await expect.poll(shown).toHaveLength(3)
    const { text, body } = await browser.open('/account/log')
    expect(text).toMatch(
      /2026-11-23 10:00:02 403 GET \/api\/v1\/export This operation .* forbidden counts /,
    )
    expect(text).toMatch(
      /10:00:01 400 GET \S+listings\?catgory=%3Cb%3E Unknown parameter "catgory".* invalid_request /,
    )
    expect(text).toMatch(/10:00:00 200 GET \/api\/v1\/sources counts /)
    expect(body).toContain('<a href="/docs/errors#forbidden">')
  })

  it('has no place of a buyer, however its name is written', async () => {
    await newHolder()
    const sent = [
      'buyer_zip=60607',
      'x=1&buyer%5Fzip=60607&y=2',
      'BUYER-ZIP=60607',
      'buyer_zip=%36%30607',
      'buyerzip=60607',
    ]
    for (const query of sent) await call(`/api/v1/comps?category=vehicles&${query}`)
    await expect.poll(() => shown()).toHaveLength(sent.length)
    const data = (await browser.open('/account/data.json')).body
    expect((await browser.open('/account/log')).body + data).not.toMatch(/60607|%36%30607/)
    expect(data).toContain('y=2')
  })

  it('has the call that an error links to, for its account alone, also after signing in', async () => {
    await newHolder()
    const { body, headers } = await site.get('/api/v1/listings?page=0', { key })
    const link = new URL(body.request_log_url)
    expect([link.origin, link.searchParams.get('call')]).toEqual([
      PUBLIC_URL,
      headers['x-request-id'],
    ])
    const path = link.pathname + link.search
    await expect.poll(() => shown(path)).toHaveLength(1)
    expect((await browser.open(path)).text).toMatch(/ 400 GET \/api\/v1\/listings\?page=0 /)
    const stranger = await fetch(site.address + path, { redirect: 'manual' })
    expect(stranger.headers.get('location')).toContain(encodeURIComponent(path))
    await newHolder()
    expect((await browser.open(path)).text).toContain('is not among the last 100 of this account')
  })

  it('is linked to for keys of the account page alone, and is never of an account without an owner', async () => {
    for (const sent of [null, 'bp_live_unknown', await site.masterKey()]) {
      const { body } = await site.get('/api/v1/sources?x=1', { key: sent })
      expect(Object.keys(body)).toEqual(['error', 'code', 'docs'])
    }
    await newHolder()
    await call()
    await expect.poll(shown).toHaveLength(1)
    const owners =
      await site.sql`select a.owner from call_logs join accounts a on a.id = account_id`
    expect(owners.map(({ owner }) => owner)).not.toContain(null)
  })

  it('keeps the last 100 of all processes, each once, and no key', async () => {
    await newHolder()
    const [{ id: accountId }] = await site.sql<[{ id: number }]>`
      select account_id as id from keys where secret_hash = ${hashKey(PEPPER, key)}`
    const [{ id: key_id }] = await site.sql<
      [{ id: string }]
    >`select id from keys where account_id = ${accountId}`
    const callAtSecond = (second: number) => ({
      id: `call-${second}`,
      at: new Date(Date.UTC(2026, 10, 23) + second * 1_000).toISOString(),
      key_id,
      method: 'GET',
      url: '/',
      status: 200,
      code: null,
      error: null,
      milliseconds: 1,
    })
    const [one, other] = [createCallLog(), createCallLog()]
    for (let second = 0; second < 150; second++)
      (second % 2 ? one : other).add(accountId, callAtSecond(second))
    other.add(accountId, callAtSecond(149))
    await site.deps.primary(one.store)
    await site.sql`alter table call_logs rename to call_logs_away`
    await expect(site.deps.primary(other.store)).rejects.toThrow('call_logs')
    await site.sql`alter table call_logs_away rename to call_logs`
    await site.deps.primary(other.store)
    const kept = await site.deps.primary(context => lastCalls(context, accountId))
    expect(kept.map(({ id }) => id)).toEqual(
      Array.from({ length: 100 }, (_, index) => `call-${149 - index}`),
    )
    const text = async () => (await browser.open('/account/log')).text
    // Where a key is taken out, the URL is decoded: PostgreSQL stores no NUL.
    await call(`/api/v1/sources?key=${key}&nul=%00`)
    await expect.poll(text).toContain('GET /api/v1/sources?key=bp_live_?&nul=? ')
    expect(await text()).not.toContain(key)
  })
})
