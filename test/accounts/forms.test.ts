import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { newToken } from '../../src/domain/accounts/secretToken.ts'
import { serviceFor } from '../support/service/start.ts'
import { insertAlertRows } from '../support/site/accountRows.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const site = serviceFor({
  settings: {
    stripe: {
      secretKey: 'sk_test_unused',
      webhookSecret: 'whsec_unused',
      prices: { pro: 'price_a', pro_plus: 'price_b' },
      apiUrl: 'http://127.0.0.1:1',
    },
  },
})
let browser: FormBrowser
let other: FormBrowser
let own: Records

beforeAll(async () => {
  browser = await site.signedIn('forms@example.com')
  other = await site.signedIn('other@example.com')
  await browser.newKey('own')
  await site.sql`update accounts set plan = 'enterprise'`
  own = await recordsOf('forms@example.com')
})

/** A form as its page sends it. */
const SENT = { origin: 'http://surplus.test', 'content-type': 'application/x-www-form-urlencoded' }

/** What changes something; `:name` is the id of a record. */
const CHANGES = [
  '/account/keys',
  '/account/keys/:key/rotate',
  '/account/keys/:key/revoke',
  '/account/plan',
  '/account/payments',
  '/account/sign-out',
  '/account/sign-out-everywhere',
  '/account/alerts/times',
  '/account/alerts/watch',
  '/account/alerts/:alert/pause',
  '/account/alerts/:alert/resume',
  '/account/alerts/:alert/feed',
  '/account/alerts/:alert/delete',
  '/account/alerts/endpoints/:endpoint/rotate',
  '/account/alerts/endpoints/:endpoint/resume',
  '/account/alerts/endpoints/:endpoint/test',
  '/account/alerts/endpoints/:endpoint/delete',
]

const RECORD_CHANGES = ['/account/alerts/:alert', ...CHANGES.filter(path => path.includes(':'))]
const RECORD_PAGES = ['/account/alerts/:alert', '/account/alerts/endpoints/:endpoint']

/** As they stand in a path. */
const NO_IDS = [
  ...[
    '0',
    '-1',
    '1.5',
    '01',
    '1e3',
    '9007199254740993',
    '99999999999999999999',
    'x',
    'constructor',
  ],
  ...['00000000-0000-4000-8000-000000000000', '1%27%20or%20%271%27%3D%271', '%00', 'a'.repeat(500)],
]

type Records = Record<string, string>

/**
 * Gives an account a saved search, an endpoint and a message.
 * @returns the ids of all that it has.
 */
async function recordsOf(owner: string): Promise<Records> {
  const account = await insertAlertRows(site.sql, owner)
  await site.sql`
    update alert_deliveries d
    set endpoint_id = e.id
    from alert_endpoints e
    where d.account_id = ${account} and e.account_id = ${account}`
  const [ids] = await site.sql<Records[]>`
    select
      (select id from keys where account_id = ${account}) as key,
      (select id from saved_searches where account_id = ${account}) as alert,
      (select id from alert_endpoints where account_id = ${account}) as endpoint,
      (select id from alert_deliveries where account_id = ${account}) as message`
  return ids!
}

const pathOf = (path: string, ids: Records) =>
  path.replace(/:(\w+)/g, (_, name) => String(ids[name]))

describe.each(CHANGES)('POST %s', pattern => {
  let path: string
  beforeAll(() => {
    path = pathOf(pattern, own)
  })

  it.each<[string, () => Record<string, string>]>([
    ['without a token', () => ({})],
    ['with an empty token', () => ({ form_token: '' })],
    ["with another session's token", () => ({ form_token: other.formToken() })],
    ['with a token that was never made', () => ({ form_token: newToken() })],
    [
      'with the token of the session itself',
      () => ({ form_token: browser.cookies.get('surplus-session')! }),
    ],
    ['with a token and a letter', () => ({ form_token: `${browser.formToken()}a` })],
  ])('403 %s', async (_what, fields) => {
    const { status, text } = await browser.submit(path, { name: 'forged', ...fields() })
    expect(status).toBe(403)
    expect(text).toContain('belongs to another session')
    expect((await browser.open('/account')).status, 'and nobody is signed out').toBe(200)
    expect(
      await site.sql`select from keys where revoked_at is null`,
      'and no key is made',
    ).toHaveLength(1)
  })

  it.each([
    ['another site', 'https://evil.example'],
    ['a site whose name begins like ours', 'http://surplus.test.evil.example'],
    ['a subdomain', 'http://a.surplus.test'],
    ['our host by another scheme', 'https://surplus.test'],
    ['a page that hides where it is', 'null'],
    ['nowhere', ''],
  ])('403 from %s, even with the right token', async (_what, origin) => {
    const { status, text } = await browser.submit(
      path,
      { form_token: browser.formToken() },
      { origin },
    )
    expect(status).toBe(403)
    expect(text).toContain('not sent from a page of this service')
  })

  it('405 for anything but POST, and nothing is changed', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await browser.call(
        method,
        `${path}?form_token=${browser.formToken()}&name=x`,
        {},
      )
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST'])
    }
    expect((await browser.open('/account')).status).toBe(200)
  })

  it('303 to the sign-in page without a session', async () => {
    const { status, headers } = await site
      .browser()
      .submit(path, { form_token: browser.formToken() })
    expect([status, headers.location]).toEqual([303, '/account/sign-in'])
  })
})

describe('a record', () => {
  /** What every form of a record wants. */
  async function filledIn(): Promise<Records> {
    const { fields } = (await other.open('/account/alerts/new?q=mine')).form('/account/alerts')
    return { ...fields, hours: '0' }
  }

  /** All that belongs to the owner of the forms. */
  const stored = () => site.sql`
    select row(k, s, e, d)::text
    from keys k, saved_searches s, alert_endpoints e, alert_deliveries d
    where k.id = ${own.key!} and s.id = ${own.alert!} and e.id = ${own.endpoint!} and d.id = ${own.message!}`

  it.each(RECORD_CHANGES)('of another account is 404 for %s, and stays as it was', async path => {
    const before = await stored()
    expect(before).toHaveLength(1)
    expect((await other.submit(pathOf(path, own), await filledIn())).status).toBe(404)
    expect(await stored()).toEqual(before)
  })

  it.each(RECORD_PAGES)(
    'has a page, %s: 404 for another account, and nobody else is let in',
    async page => {
      const path = pathOf(page, own)
      expect((await browser.open(path)).status).toBe(200)
      expect((await other.open(path)).status).toBe(404)
      expect((await other.open(path.replace(/\/\d+$/, ''))).body).not.toContain(path)
      const { status, headers } = await site.browser().open(path)
      expect([status, headers.location]).toEqual([
        303,
        `/account/sign-in?next=${encodeURIComponent(path)}`,
      ])
    },
  )

  it.each(NO_IDS)('is 404 by the id %s, in every form and page', async id => {
    const ids = { key: id, alert: id, endpoint: id, message: id }
    for (const path of RECORD_PAGES)
      expect((await other.open(pathOf(path, ids))).status, path).toBe(404)
    const fields = await filledIn()
    for (const path of RECORD_CHANGES)
      expect((await other.submit(pathOf(path, ids), fields)).status, path).toBe(404)
  })
})

describe('a form', () => {
  it('is taken from the host that was asked, though PUBLIC_URL has another name', async () => {
    const { status } = await browser.submit(
      '/account/keys',
      { name: 'local', form_token: browser.formToken() },
      { origin: site.address },
    )
    expect(status).toBe(303)
  })

  it.each([
    ['another site', 'https://evil.example'],
    ['nowhere', ''],
  ])(
    '403 for a sign-in link that is used from %s: nobody is signed in as somebody else',
    async (_what, origin) => {
      await site.sql`delete from attempts`
      await site.browser().submit('/account/sign-in', { address: 'attacker@example.com' })
      const token = site.loggedLink().split('token=')[1]!
      const victim = site.browser()
      const { status } = await victim.submit('/account/sign-in/link', { token }, { origin })
      expect([status, victim.cookies.size]).toEqual([403, 0])
    },
  )

  it.each([
    ['JSON', 'application/json', '{"name":"x"}'],
    ['text', 'text/plain', 'name=x'],
    ['a file upload', 'multipart/form-data; boundary=a', '--a--'],
    ['no type', '', 'name=x'],
  ])('415 for %s', async (_what, type, body) => {
    const headers = { ...SENT, 'content-type': type }
    expect((await browser.call('POST', '/account/keys', headers, body)).status).toBe(415)
  })

  it('415 for a compressed form', async () => {
    const body = gzipSync('name=x').toString('latin1')
    const headers = { ...SENT, 'content-encoding': 'gzip' }
    expect((await browser.call('POST', '/account/keys', headers, body)).status).toBe(415)
  })

  it.each<[string, string, Record<string, string>]>([
    ['larger than any form', '/account/keys', { name: 'x'.repeat(13_000) }],
    ['much larger than any form', '/account/sign-in', { address: 'x'.repeat(100_000) }],
    [
      'with more fields than any form',
      '/account/keys',
      Object.fromEntries([...Array(61).keys()].map(n => [`f${n}`, 'x'])),
    ],
  ])('413 for one %s of the pages', async (_what, path, fields) => {
    expect((await browser.submit(path, fields)).status).toBe(413)
  })

  it.each(['name=a&name=b', 'form_token=a&form_token=b', 'name=a%00b'])(
    '400 for %s',
    async body => {
      const { status, text } = await browser.call('POST', '/account/keys', SENT, body)
      expect(status).toBe(400)
      expect(text).toContain('once, as text')
    },
  )

  it.each(['name=%', 'name=%zz', '__proto__=x&constructor=y', 'name[a]=b', '=', '&&&', ''])(
    'is refused, never a failure: %j',
    async body => {
      for (const path of [
        ...CHANGES.map(path => pathOf(path, own)),
        '/account/sign-in',
        '/account/sign-in/link',
      ]) {
        const { status } = await browser.call('POST', path, SENT, body)
        expect([path, status >= 400 && status < 500]).toEqual([path, true])
      }
    },
  )
})

describe('the token of a form', () => {
  it('differs in each response, so that sizes of compressed pages say nothing, and each one is accepted', async () => {
    const pages = [await browser.open('/account'), await browser.open('/account')]
    const tokens = pages.map(page => page.form('/account/keys').fields.form_token!)
    expect(new Set(tokens).size).toBe(2)
    for (const form_token of tokens)
      expect((await browser.submit('/account/keys', { name: 'twice', form_token })).status).toBe(
        303,
      )
  })
})
