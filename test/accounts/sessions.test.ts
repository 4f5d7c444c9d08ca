import { beforeEach, describe, expect, it } from 'vitest'
import { newToken } from '../../src/domain/accounts/secretToken.ts'
import { forgetExpired } from '../../src/infra/accounts/sessions.ts'
import { clock } from '../../src/infra/postgres/clock.ts'
import { SITE_SCRIPT } from '../../src/pages/kit/staticFiles.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const site = serviceFor()

/** Asks for a link and uses it, in one browser. */
async function signIn(browser: FormBrowser, address: string, of = site) {
  await browser.submit('/account/sign-in', { address })
  return (await browser.open(of.loggedLink())).form('/account/sign-in/link').submit()
}

beforeEach(async () => {
  site.clock.now = null
  await site.sql`delete from attempts`
})

const NAME = 'surplus-session'

describe('a session', () => {
  it('is a cookie that no script and no other site can use', async () => {
    const { headers } = await signIn(site.browser(), 'cookie@example.com')
    expect(headers['set-cookie']).toMatch(
      /^surplus-session=[\w-]{43}; Max-Age=1209600; Path=\/; Expires=[^;]*; HttpOnly; SameSite=Lax$/,
    )
  })

  it('is a cookie of this one host, and of HTTPS, where the service is reached by HTTPS', async () => {
    const secure = await forOneTest(start({ settings: { publicUrl: 'https://surplus.test' } }))
    const browser = secure.browser()
    const { headers } = await signIn(browser, 'cookie@example.com', secure)
    expect(headers['set-cookie']).toMatch(
      /^__Host-surplus-session=[\w-]{43}; Max-Age=1209600; Path=\/; /,
    )
    expect(headers['set-cookie']).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
    expect(headers['strict-transport-security']).toBeTruthy()
    expect((await browser.open('/account')).status).toBe(200)
    const token = browser.cookies.get('__Host-surplus-session')
    const planted = await secure.browser().open('/account', { cookie: `${NAME}=${token}` })
    expect(planted.status, 'a cookie without the prefix, as plain HTTP could set it').toBe(303)
  })

  it('has a token that nobody could choose before: the one that the browser sent is not taken up', async () => {
    const planted = newToken()
    const browser = site.browser()
    browser.cookies.set(NAME, planted)
    await signIn(browser, 'fixed@example.com')
    expect(browser.cookies.get(NAME)).not.toBe(planted)
    expect((await browser.open('/account')).status).toBe(200)
    expect((await site.browser().open('/account', { cookie: `${NAME}=${planted}` })).status).toBe(
      303,
    )
  })

  it('ends when the same browser signs in again', async () => {
    const browser = await site.signedIn('again@example.com')
    const earlier = browser.cookieHeader()
    await signIn(browser, 'another@example.com')
    expect((await browser.open('/account')).text).toContain('another@example.com')
    expect((await site.browser().open('/account', { cookie: earlier })).status).toBe(303)
  })

  it('ends by signing out, also for a kept copy of its cookie', async () => {
    const browser = await site.signedIn('leaves@example.com')
    const kept = browser.cookieHeader()
    const left = await (await browser.open('/account')).form('/account/sign-out').submit()
    expect([left.status, left.headers.location]).toEqual([303, '/account/sign-in'])
    expect(browser.cookies.size).toBe(0)
    expect((await site.browser().open('/account', { cookie: kept })).status).toBe(303)
    const late = await site.browser().submit('/account/keys', { name: 'late' }, { cookie: kept })
    expect([late.status, late.headers.location]).toEqual([303, '/account/sign-in'])
  })

  it('ends everywhere by signing out everywhere, with the links that were not used yet', async () => {
    const here = await site.signedIn('everywhere@example.com')
    const there = await site.signedIn('everywhere@example.com')
    const other = await site.signedIn('elsewhere@example.com')
    await site.browser().submit('/account/sign-in', { address: 'everywhere@example.com' })
    const link = site.loggedLink()
    await (await here.open('/account/settings')).form('/account/sign-out-everywhere').submit()
    expect((await there.open('/account')).status).toBe(303)
    expect((await site.browser().open(link)).status).toBe(410)
    expect((await other.open('/account')).status, 'of this account alone').toBe(200)
  })

  it('ends after 14 days, however it is used', async () => {
    site.clock.now = new Date('2026-11-01T12:00:00Z')
    const browser = await site.signedIn('aging@example.com')
    site.clock.now = new Date('2026-11-15T11:59:59Z')
    expect((await browser.open('/account')).status).toBe(200)
    site.clock.now = new Date('2026-11-15T12:00:00Z')
    expect((await browser.open('/account')).status).toBe(303)
  })

  it('is listed with its browser, and one of another browser ends by itself', async () => {
    const here = await site.signedIn('lists@example.com')
    const there = await site.signedIn('lists@example.com', {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    const page = await here.open('/account/settings')
    expect(page.text).toMatch(
      /Firefox on Linux \w{3} \d+, .* Sign out Unknown browser \w{3} \d+, .* This browser/,
    )
    const [end] = page.forms.filter(({ action }) => action.endsWith('/end'))
    const stranger = await site.signedIn('stranger@example.com')
    await stranger.submit(end!.action, { form_token: stranger.formToken() })
    expect((await there.open('/account')).status, 'ended by another account').toBe(200)
    expect((await here.follow(end!.submit())).text).toContain('The session has ended.')
    expect([(await there.open('/account')).status, (await here.open('/account')).status]).toEqual([
      303, 200,
    ])
  })

  it.each([
    ['a token that was never made', () => `${NAME}=${newToken()}`],
    ['a token of a link', () => `${NAME}=${site.loggedLink().split('token=')[1]}`],
    ['words', () => `${NAME}=admin`],
    ['nothing', () => `${NAME}=`],
    ['a cookie of another name', () => `x${NAME}=${newToken()}`],
    ['8,000 characters', () => `${NAME}=${'a'.repeat(8_000)}`],
    ['SQL', () => `${NAME}=' or 1=1 --`],
  ])('is none with %s', async (_what, cookie) => {
    await site.browser().submit('/account/sign-in', { address: 'nobody@example.com' })
    const { status, headers } = await site.browser().open('/account', { cookie: cookie() })
    expect([status, headers.location]).toEqual([303, '/account/sign-in'])
  })

  it('is kept as a keyed hash only, as the token of a link is', async () => {
    const browser = await site.signedIn('hashed@example.com')
    const tokens = [browser.cookies.get(NAME)!, site.loggedLink().split('token=')[1]!]
    const rows = await site.sql`
      select sessions::text as row from sessions union all select sign_in_links::text from sign_in_links`
    for (const { row } of rows)
      for (const token of tokens) {
        expect(row).not.toContain(token)
        expect(row).not.toContain(Buffer.from(token).toString('hex'))
      }
  })

  it('opens no operation of the API', async () => {
    const browser = await site.signedIn('api@example.com')
    const { status, body } = await browser.open('/api/v1/sources')
    expect([status, JSON.parse(body).code]).toEqual([401, 'missing_api_key'])
  })

  it('leaves no row behind when it has run out, nor does a link or a try', async () => {
    site.clock.now = new Date('2026-11-01T12:00:00Z')
    await site.signedIn('swept@example.com')
    await site.browser().submit('/account/sign-in', { address: 'swept@example.com' })
    site.clock.now = null
    const kept = await site.signedIn('kept@example.com')
    await forgetExpired({ sql: site.sql, now: clock(new Date('2026-11-15T12:00:00Z')) })
    const [left] = await site.sql`
      select
        (select count(*) from sessions where expires_at <= '2026-11-15T12:00:00Z') as sessions,
        (select count(*) from sign_in_links where expires_at <= '2026-11-15T12:00:00Z') as links,
        (select count(*) from attempts where ends_at <= '2026-11-15T12:00:00Z') as attempts`
    expect(left).toEqual({ sessions: 0, links: 0, attempts: 0 })
    expect((await kept.open('/account')).status).toBe(200)
  })
})

describe('a page of an account', () => {
  it.each([
    ['/account', 303],
    ['/account/sign-in', 200],
    ['/account/sign-in/link?token=x', 410],
    ['/account/nothing', 404],
    ['/account/keys', 405],
  ])(
    '%s (%i) is kept by nobody, framed by nobody, read by no other site and listed by no search engine',
    async (path, code) => {
      const { status, headers } = await site
        .browser()
        .open(path, { origin: 'https://evil.example' })
      expect(status).toBe(code)
      if (status !== 303) expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'strict-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['content-security-policy']).toMatch(/default-src '(self|none)'/)
      expect(headers['content-security-policy']).not.toContain('unsafe')
      expect(headers['x-frame-options']).toBeTruthy()
    },
  )

  it('has no script but that of the site, no style and no file of another host in it', async () => {
    const browser = await site.signedIn('plain@example.com')
    const { body } = await browser.open('/account')
    const own = `<script src="${SITE_SCRIPT.address}" defer></script>`
    expect(body).toContain(own)
    expect(body.replace(own, '')).not.toMatch(/<script|<style|\sstyle=|\son\w+=|src=|url\(/)
    for (const [, address] of body.matchAll(/(?:href|action)="([^"]*)"/g))
      expect(address).toMatch(/^\/|^mailto:|^#/)
  })

  it('names the address and signs out in its header, as every page of a browser with a session does', async () => {
    const browser = await site.signedIn('header@example.com')
    for (const path of ['/account', '/', '/search', '/pricing', '/docs/errors', '/nothing-here']) {
      const page = await browser.open(path, { accept: 'text/html' })
      const [, header] = /<header(.*?)<\/header>/s.exec(page.body)!
      expect(header).toContain('header@example.com')
      expect(page.headers['cache-control']).toMatch(/^(no-store|private, no-cache)$/)
      expect(page.headers['referrer-policy'], 'or browsers hide the origin of the form').not.toBe(
        'no-referrer',
      )
    }
    const left = await (await browser.open('/pricing')).form('/account/sign-out').submit()
    expect([left.status, (await browser.open('/account')).status]).toEqual([303, 303])
  })

  it.each([
    ['no cookie', ''],
    ['the cookie of no session', `${NAME}=${newToken()}`],
  ])('is the same for everybody with %s, and caches may keep it', async (_what, cookie) => {
    const { headers, body } = await site.browser().open('/pricing', { cookie })
    expect([headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
      'no-cache',
      '*',
    ])
    expect(body).not.toContain('sign-out')
  })

  it('503 as a page, with Retry-After, while the database takes too long', async () => {
    const browser = await site.signedIn('waits@example.com')
    await site.sql.begin(async lock => {
      await lock`lock table sessions in access exclusive mode`
      const { status, headers, text } = await browser.open('/account')
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(text).toContain('took too long')
    })
  })

  it('500 as a page that tells nothing of the failure, which the log holds; other pages come without the address', async () => {
    const browser = await site.signedIn('fails@example.com')
    await site.sql`alter table sessions rename to sessions_away`
    const [account, pricing] = [await browser.open('/account'), await browser.open('/pricing')]
    await site.sql`alter table sessions_away rename to sessions`
    expect([account.status, account.body]).toEqual([500, expect.not.stringContaining('sessions')])
    expect([pricing.status, pricing.body]).toEqual([
      200,
      expect.not.stringContaining('fails@example.com'),
    ])
    expect(site.log()).toContain('42P01')
  })
})

describe('the log', () => {
  it('holds no token and no key, but for the line of a link while no SMTP_URL is set', async () => {
    const browser = await site.signedIn('quiet@example.com')
    const key = await browser.newKey('secret')
    const link = site.loggedLink()
    const token = link.split('token=')[1]!
    await browser.open(link)
    await browser.submit('/account/sign-in/link', { token })
    await browser.open(`/account?key=${key}`)
    await browser.open(`/account/keys/${key}/revoke`)
    const lines = site.log().split('\n').filter(Boolean)
    const others = lines.filter(line => !JSON.parse(line).link)
    expect(others.length).toBeGreaterThan(10)
    for (const line of others) {
      for (const secret of [browser.cookies.get(NAME)!, browser.formToken(), key.slice(8), token])
        expect(line).not.toContain(secret)
    }
    expect(lines.filter(line => line.includes(token))).toHaveLength(1)
  })
})
