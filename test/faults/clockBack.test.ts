import { describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { readSweepHistories } from '../../src/infra/ingestion/sweeps.ts'
import { revokeKeyById } from '../../src/infra/metering/keys.ts'
import { OFFICIAL_KEYS } from '../../src/infra/sources/registry.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const HOUR_MS = 3_600_000
const TRUE_TIME = new Date('2026-11-21T12:00:00Z')
const at = (hours: number) => new Date(TRUE_TIME.getTime() + hours * HOUR_MS)

const api = serviceFor()

describe('after a clock of the database that was an hour ahead', () => {
  it('a sign-in link is sent again to who had used up those of 15 minutes, and counted anew', async () => {
    const links = () => api.log().split('/account/sign-in/link?token=').length - 1
    const request = (hours: number) => {
      api.clock.now = at(hours)
      return api.browser().submit('/account/sign-in', { address: 'clock@back.example' })
    }
    for (let n = 0; n < 4; n++) await request(1)
    expect(links()).toBe(3)
    for (let n = 0; n < 4; n++) await request(0)
    expect(links()).toBe(6)
    await request(0.3)
    expect(links()).toBe(7)
  })

  it('a source is fetched when it is due: neither its last attempt nor its Retry-After holds it back', async () => {
    await api.sql`
      insert into sweeps (source, last_attempt_at, finished_at, outcome, failures, wait_until)
      values ('gsa', now() + interval '1 hour', now() + interval '1 hour', 'refused', 1, now() + interval '2 hours')`
    const history = async () =>
      (await readSweepHistories(api.sql, OFFICIAL_KEYS)).find(({ source }) => source === 'gsa')
    expect(await history()).toMatchObject({ lastAttemptAt: null, waitUntil: null })
    await api.sql`
      update sweeps
      set last_attempt_at = last_attempt_at - interval '1 hour', finished_at = finished_at - interval '1 hour'`
    expect(await history()).toMatchObject({
      lastAttemptAt: expect.any(Date),
      waitUntil: expect.any(Date),
    })
  })

  it('lots that it closed are on offer again, and alerts of what begins, and those that wait, are sent', async () => {
    const { sql } = api
    const account = await insertAccount(sql)
    const endpoint_ids = [await insertEndpoint(sql, account)]
    await insertSearches(sql, [{ account_id: account, endpoint_ids, cadence: 'instant' }], at(-1))
    await matchChanges(sql, { now: at(0) })
    await insertLots(sql, [
      { slug: 'ends', starts_at: at(-9), ends_at: at(0.5), current_bid_cents: 5_000 },
      { slug: 'ended', starts_at: at(-9), ends_at: at(-0.5), current_bid_cents: 5_000 },
      { slug: 'begins', starts_at: at(0.4), ends_at: at(90) },
    ])
    await closeEndedLots(sql, at(1))
    await matchChanges(sql, { now: at(1) })
    const open = async () =>
      (await sql`select slug from lots where is_open order by slug`).map(({ slug }) => slug)
    expect(await open()).toEqual(['begins'])
    const sales = async () =>
      (await sql`select slug from lots where sold_at is not null order by slug`).map(
        ({ slug }) => slug,
      )
    expect(await sales()).toEqual(['ended', 'ends'])

    await matchChanges(sql, { now: at(0.1) })
    expect(await open()).toEqual(['begins', 'ends'])
    expect(await sales()).toEqual(['ended'])
    const late = await sql`select from alert_deliveries where due_at > ${at(0.1)}`
    expect(late).toHaveLength(0)
    await insertLots(sql, [{ slug: 'begins too', starts_at: at(0.2), ends_at: at(90) }])
    await sql`delete from alert_matches`
    await matchChanges(sql, { now: at(0.3) })
    const [found] = await sql`
      select array_agg(slug) as slugs
      from alert_matches
      join lots on lots.id = lot_id
      where kind = 'new' and slug = 'begins too'`
    expect(found!.slugs).toContain('begins too')
    await closeEndedLots(sql, at(0.6))
    expect(await sales()).toEqual(['ended', 'ends'])
  })
})

describe('a key that was revoked while the clock was an hour ahead is refused with the next call, and so is one', () => {
  const press = async (browser: FormBrowser, form: RegExp, fields = {}) => {
    const { forms } = await browser.open('/account')
    return forms.find(({ action }) => form.test(action))!.submit(fields)
  }
  const statusOf = async (key: string) => (await api.get('/api/v1/sources', { key })).status
  let people = 0

  it.each<[string, (browser: FormBrowser) => Promise<unknown>]>([
    ['that its owner revoked', browser => press(browser, /revoke$/)],
    ['that was replaced at once', browser => press(browser, /rotate$/, { hours: '0' })],
    [
      'that was to work for a day more, and was revoked',
      async browser => {
        await press(browser, /rotate$/, { hours: '24' })
        const { forms } = await browser.open('/account')
        for (const form of forms.filter(({ action }) => action.endsWith('/revoke')))
          await form.submit()
      },
    ],
    [
      'of an account that was deleted',
      async browser => {
        const page = await browser.open('/account/settings')
        await page.form('/account/delete').submit({ confirmation: `ahead${people}@example.com` })
      },
    ],
  ])('%s', async (_, end) => {
    api.clock.now = at(0)
    const browser = await api.signedIn(`ahead${++people}@example.com`)
    const key = await browser.newKey('ahead')
    expect(await statusOf(key)).toBe(200)
    api.clock.now = at(1)
    await end(browser)
    api.clock.now = at(0)
    expect(await statusOf(key)).toBe(401)
    expect((await browser.open('/account')).text).not.toContain('works until')
  })

  it('that an operator revoked', async () => {
    api.clock.now = new Date(Date.now() - HOUR_MS)
    const key = await api.makeKey('free', { owner: 'operated' })
    const [{ id }] = await api.sql<[{ id: string }]>`
      select k.id from keys k join accounts a on a.id = account_id where owner = 'operated'`
    expect(await revokeKeyById(api.sql, id)).toBe(true)
    expect(await statusOf(key)).toBe(401)
  })
})
