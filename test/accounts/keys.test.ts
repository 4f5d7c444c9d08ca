import { beforeEach, describe, expect, it } from 'vitest'
import { createKey } from '../../src/commands/createKey.ts'
import type { Plan } from '../../src/contract/plans.ts'
import { looksLikeKey, newKey } from '../../src/domain/apiKey.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import type { FormBrowser, Page } from '../support/site/formBrowser.ts'

const site = serviceFor()
let browser: FormBrowser

let people = 0
let address = ''
beforeEach(async () => {
  address = `holder${++people}@example.com`
  browser = await site.signedIn(address)
})

const KEY = /bp_live_[0-9A-Za-z]{36}/g

async function make(name: string): Promise<Page> {
  return browser.follow((await browser.open('/account')).form('/account/keys').submit({ name }))
}

async function call(key: string, path = '/api/v1/sources') {
  const { status, headers } = await site.get(path, { key })
  return { status, limit: headers['ratelimit-limit'] ?? null }
}

/** The change that the account page offers for the key of this name, and the page it leads to. */
async function change(what: 'rotate' | 'revoke', name: string, fields = {}): Promise<Page> {
  const page = await browser.open('/account')
  const row = page.body.split('<tr>').find(part => part.includes(`“${name}”`))
  const action = new RegExp(`action="([^"]*/${what})"`).exec(row ?? '')?.[1]
  return browser.follow(page.form(action ?? `none to ${what} ${name}`).submit(fields))
}

/** A key that an operator made for the holder. */
async function operatorsKey(plan: Plan, callsPerMonth: number): Promise<string> {
  const key = newKey()
  const limits = { callsPerMonth, callsPerMinute: null }
  await createKey(site.sql, PEPPER, key, {
    plan,
    owner: address,
    name: 'from the operator',
    ...limits,
  })
  return key
}

const setPlan = (plan: Plan) =>
  site.sql`update accounts set plan = ${plan} where owner = ${address}`

describe('a key', () => {
  it('is made, named, shown once, and works at once on the plan of the account', async () => {
    const page = await make('My laptop')
    const [key] = page.body.match(KEY)!
    expect(looksLikeKey(key!)).toBe(true)
    expect(page.text).toContain('shows it for 10 minutes')
    expect(await call(key!)).toEqual({ status: 200, limit: '1000' })
    expect((await call(key!, '/api/v1/export')).status).toBe(403)

    const account = await browser.open('/account')
    expect(account.text).toContain('My laptop')
    expect(account.text).toContain(`bp_live_…${key!.slice(-4)}`)
    expect(account.body).not.toMatch(KEY)
    for (const { row } of await site.sql`select keys::text as row from keys`)
      expect(row).not.toContain(key)
  })

  it('follows the plan of its account from the next call on, and back', async () => {
    const key = await browser.newKey('follows')
    await setPlan('pro_plus')
    expect(await call(key)).toEqual({ status: 200, limit: '10000' })
    expect((await call(key, '/api/v1/export')).status).toBe(200)
    expect((await browser.open('/account')).text).toContain('This account is on Pro+')
    await setPlan('free')
    expect((await call(key, '/api/v1/export')).status).toBe(403)
  })

  it('that an operator made keeps its own plan and limits, whatever the plan of the account', async () => {
    const key = await operatorsKey('enterprise', 77)
    for (const plan of ['pro', 'free'] as const) {
      await setPlan(plan)
      expect(await call(key, '/api/v1/export')).toEqual({ status: 200, limit: '77' })
    }
    expect((await browser.open('/account')).text).toMatch(
      /from the operator.*Enterprise \(set by the operator\) 77 calls a month, 600 a minute/,
    )
  })

  it('401 from the moment it is revoked, and it stays in the list of revoked keys', async () => {
    const key = await browser.newKey('leaked')
    expect((await call(key)).status).toBe(200)
    const page = await change('revoke', 'leaked')
    expect(page.text).toContain('The key is revoked.')
    expect((await call(key)).status).toBe(401)
    expect(page.text).toMatch(/You have no keys yet.*Revoked keys \(1\).*leaked bp_live_…/)
    expect(page.text).not.toContain('Revoke “leaked”')
  })

  it('is shown again by a reload, which makes no second key', async () => {
    const form = (await browser.open('/account')).form('/account/keys')
    const made = await form.submit({ name: 'reloaded' })
    expect([made.status, made.body]).toEqual([303, expect.not.stringMatching(KEY)])
    const path = made.headers.location!
    const [key] = (await browser.open(path)).body.match(KEY)!
    expect((await browser.open(path)).body).toContain(key)
    expect((await call(key!)).status).toBe(200)
    expect((await browser.open('/account')).text.match(/Revoke “reloaded”/g)).toHaveLength(1)
  })

  it('stands in the guides for the session that made it, and its last characters when it is no longer shown', async () => {
    const guide = async (reader = browser) => (await reader.open('/docs/quickstart')).body
    const key = await browser.newKey('inline')
    expect(await guide()).toContain(`SURPLUS_KEY=${key}`)
    const hint = `SURPLUS_KEY=bp_live_…${key.slice(-4)}`
    expect(await guide(await site.signedIn(address))).toContain(hint)
    site.clock.now = new Date(Date.now() + 11 * 60_000)
    expect(await guide()).toContain(hint)
    site.clock.now = null
    expect(await guide(site.browser())).toMatch(/SURPLUS_KEY=bp_live_…\s/)
  })

  it('is shown to no other session of its account, to no other account, and for 10 minutes only', async () => {
    const made = await (await browser.open('/account'))
      .form('/account/keys')
      .submit({ name: 'private' })
    const path = made.headers.location!
    const others = [await site.signedIn(address), await site.signedIn(`other${people}@example.com`)]
    for (const other of others) {
      const { status, body } = await other.open(path)
      expect([status, body]).toEqual([410, expect.not.stringMatching(KEY)])
    }
    expect((await site.browser().open(path)).headers.location).toContain('/account/sign-in')
    site.clock.now = new Date(Date.now() + 11 * 60_000)
    const late = await browser.open(path)
    site.clock.now = null
    expect([late.status, late.body]).toEqual([410, expect.not.stringMatching(KEY)])
    expect((await browser.open(path)).body, 'not used up').toMatch(KEY)
    await change('revoke', 'private')
    expect((await browser.open(path)).status).toBe(410)
  })

  it('is replaced by another of its name when it is rotated: 401 for the old, 200 for the new', async () => {
    const old = await browser.newKey('rotates')
    const page = await change('rotate', 'rotates')
    const [fresh] = page.body.match(KEY)!
    expect(fresh).not.toBe(old)
    expect([(await call(old)).status, (await call(fresh!)).status]).toEqual([401, 200])
    const { text } = await browser.open('/account')
    expect(text.match(/Revoke “rotates”/g)).toHaveLength(1)
  })

  it.each([1, 24])(
    'goes on working for %i h after a rotation, where that is chosen',
    async hours => {
      const old = await browser.newKey('overlaps')
      const page = await change('rotate', 'overlaps', { hours: String(hours) })
      const [fresh] = page.body.match(KEY)!
      expect([(await call(old)).status, (await call(fresh!)).status]).toEqual([200, 200])
      expect((await browser.open('/account')).text).toMatch(
        /overlaps Rotated works until \w{3} \d+, \d{4}, /,
      )
      site.clock.now = new Date(Date.now() + (hours * 60 - 1) * 60_000)
      expect((await call(old)).status).toBe(200)
      site.clock.now = new Date(Date.now() + (hours * 60 + 1) * 60_000)
      expect([(await call(old)).status, (await call(fresh!)).status]).toEqual([401, 200])
      site.clock.now = null
    },
  )

  it('is revoked at once although it was rotated to work for hours', async () => {
    const old = await browser.newKey('hurried')
    await change('rotate', 'hurried', { hours: '24' })
    const page = await browser.open('/account')
    const row = page.body.split('<tr>').find(part => part.includes('Rotated'))
    expect(row).not.toContain('/rotate"')
    await page.form(/action="([^"]*)"/.exec(row!)![1]!).submit()
    expect((await call(old)).status).toBe(401)
  })

  it.each(['-1', '2', '24.0', '', '1000000'])(
    '400 for a rotation in which the old key works for “%s” hours',
    async hours => {
      const old = await browser.newKey('odd hours')
      expect((await change('rotate', 'odd hours', { hours })).status).toBe(400)
      expect((await call(old)).status).toBe(200)
    },
  )

  it('keeps the plan and the limits that an operator gave it when it is rotated', async () => {
    const old = await operatorsKey('enterprise', 55)
    const [fresh] = (await change('rotate', 'from the operator')).body.match(KEY)!
    expect((await call(old)).status).toBe(401)
    expect(await call(fresh!, '/api/v1/export')).toEqual({ status: 200, limit: '55' })
  })

  it('says in which minute it was last used', async () => {
    const key = await browser.newKey('used')
    expect((await browser.open('/account')).text).toMatch(
      /used bp_live_….{4} Free 1,000 calls a month, 60 a minute \w{3} \d+, \d{4} never/,
    )
    site.clock.now = new Date('2026-11-21T13:07:30Z')
    await call(key)
    site.clock.now = null
    expect((await browser.open('/account')).text).toContain('Nov 21, 2026, 1:07 PM UTC')
  })

  it('404 the second time it is revoked or rotated', async () => {
    await browser.newKey('twice')
    const page = await browser.open('/account')
    const revoke = page.forms.find(({ action }) => action.endsWith('/revoke'))!
    const rotate = page.forms.find(({ action }) => action.endsWith('/rotate'))!
    expect((await revoke.submit()).status).toBe(303)
    expect((await revoke.submit()).status).toBe(404)
    expect((await rotate.submit()).status).toBe(404)
  })

  it('is made once of two rotations at once', async () => {
    await browser.newKey('raced')
    const rotate = (await browser.open('/account')).forms.find(({ action }) =>
      action.endsWith('/rotate'),
    )!
    const answers = await Promise.all([rotate.submit(), rotate.submit(), rotate.submit()])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404])
  })
})

describe('the name of a key', () => {
  it.each([
    ['nothing', ''],
    ['an escape', 'a\u001b[31m'],
    ['an invisible letter', 'a\u200bb'],
  ])('400 for %s', async (_what, name) => {
    const { status, text } = await make(name)
    expect([status, text]).toEqual([400, expect.stringContaining('1 to 60 visible characters')])
  })

  it('is shown as text, whatever it holds', async () => {
    for (const name of ['<script>alert(1)</script>', `"'&<>`, '日本語 ключ é', 'x'.repeat(60)]) {
      await browser.newKey(name)
      const page = await browser.open('/account')
      expect(page.text).toContain(`Rotate “${name}”`)
      expect(page.body).not.toContain('<script>')
    }
  })
})

describe('the limits of keys', () => {
  it('400 for more than 20 live keys', async () => {
    for (let index = 0; index < 20; index++) await browser.newKey(`key ${index}`)
    expect((await browser.open('/account')).text).toContain('at most 20 keys')
    const sent = { form_token: browser.formToken(), name: 'one more' }
    expect((await browser.submit('/account/keys', sent)).status).toBe(400)
    await change('revoke', 'key 3')
    expect((await make('one more')).status).toBe(200)
  })

  it('429 for more than 50 new ones in a day, rotated ones too', async () => {
    await browser.newKey('spun')
    for (let index = 0; index < 49; index++)
      expect((await change('rotate', 'spun')).status).toBe(200)
    const refused = await change('rotate', 'spun')
    expect([refused.status, Number(refused.headers['retry-after']) > 80_000]).toEqual([429, true])
    expect((await change('revoke', 'spun')).text, 'revoking is always possible').toContain(
      'is revoked',
    )
  })
})
