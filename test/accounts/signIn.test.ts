import { beforeEach, describe, expect, it } from 'vitest'
import { newToken } from '../../src/domain/accounts/secretToken.ts'
import { serviceFor } from '../support/service/start.ts'

const site = serviceFor({ settings: { trustProxyHops: 1 } })

beforeEach(() => {
  site.clock.now = null
})

let people = 0
const stranger = () => `person${++people}@example.com`

/** Each from a network of its own, so that no test uses up the limit of another. */
const from = (network: string) => ({ 'x-forwarded-for': network })
const elsewhere = () => from(`198.51.${people >> 8}.${++people & 255}`)

const accountsOf = async (address: string) =>
  (await site.sql`select id from accounts where owner = ${address}`).length

/** Asks for a link as a browser does. */
const ask = (address: string, fields: Record<string, string> = {}, headers = elsewhere()) =>
  site.browser().submit('/account/sign-in', { address, ...fields }, headers)

async function linkFor(address: string, fields: Record<string, string> = {}): Promise<string> {
  const sent = await ask(address, fields)
  expect(sent.status, sent.text).toBe(200)
  return site.loggedLink()
}

describe('signing in', () => {
  it('takes an address, a link, and a button; the account comes into being with the first time', async () => {
    const address = stranger()
    const browser = site.browser()
    const page = await browser.open('/account')
    expect([page.status, page.headers.location]).toEqual([303, '/account/sign-in'])
    const form = (await browser.open('/account/sign-in')).form('/account/sign-in')
    const sent = await form.submit({ address: ` ${address.toUpperCase()} ` })
    expect(sent.status).toBe(200)
    expect(sent.text).toContain(address)
    expect(await accountsOf(address), 'nothing is made by asking').toBe(0)

    const opened = await browser.open(site.loggedLink())
    expect(opened.text).toContain(`sign in as ${address}`)
    expect(browser.cookies.size, 'a link that is only opened signs nobody in').toBe(0)
    const entered = await opened.form('/account/sign-in/link').submit()
    expect([entered.status, entered.headers.location]).toEqual([303, '/account'])
    expect(await accountsOf(address)).toBe(1)
    expect((await browser.open('/account')).text).toContain(`Signed in as ${address}`)
    const again = await browser.open('/account/sign-in')
    expect([again.status, again.headers.location]).toEqual([303, '/account'])
  })

  it.each([
    ['that signed in before', false],
    ['that an operator has made an account for', true],
  ])('leads to the one account of an address %s', async (_what, isMade) => {
    const address = stranger()
    if (isMade) await site.sql`insert into accounts (owner) values (${address})`
    for (let time = 0; time < 2; time++) {
      const browser = site.browser()
      await (await browser.open(await linkFor(address))).form('/account/sign-in/link').submit()
      expect((await browser.open('/account')).text).toContain(address)
    }
    expect(await accountsOf(address)).toBe(1)
  })

  it('answers the same, in the same time, whether there is an account or not', async () => {
    const known = Array.from({ length: 40 }, stranger)
    const unknown = Array.from({ length: 40 }, stranger)
    for (const address of known) await site.sql`insert into accounts (owner) values (${address})`
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let index = 0; index < known.length; index++) {
      const one = await ask(known[index]!)
      const other = await ask(unknown[index]!)
      expect(one.body.replaceAll(known[index]!, '…')).toBe(
        other.body.replaceAll(unknown[index]!, '…'),
      )
      expect(Object.keys(one.headers)).toEqual(Object.keys(other.headers))
      expect(one.status).toBe(other.status)
      times.known.push(one.tookMs)
      times.unknown.push(other.tookMs)
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
    const ratio = median(times.known) / median(times.unknown)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('a sign-in link', () => {
  const use = (link: string) =>
    site.browser().submit('/account/sign-in/link', { token: link.split('token=')[1] ?? '' })

  it('is not used up by those who only open it, however often', async () => {
    const link = await linkFor(stranger())
    for (let time = 0; time < 3; time++) expect((await site.browser().open(link)).status).toBe(200)
    expect((await site.browser().call('HEAD', link, {})).status).toBe(200)
    expect((await use(link)).status).toBe(303)
  })

  it('lets in one of eight who use it at once, and is 410 from then on', async () => {
    const link = await linkFor(stranger())
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(link)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)])
    expect(answers.filter(({ headers }) => headers['set-cookie'])).toHaveLength(1)
    expect((await site.browser().open(link)).status).toBe(410)
  })

  it('410 after 15 minutes, and not before', async () => {
    site.clock.now = new Date('2026-11-21T12:00:00Z')
    const [early, late] = [await linkFor(stranger()), await linkFor(stranger())]
    site.clock.now = new Date('2026-11-21T12:14:59Z')
    expect((await use(early)).status).toBe(303)
    site.clock.now = new Date('2026-11-21T12:15:00Z')
    expect((await site.browser().open(late)).status).toBe(410)
    expect((await use(late)).status).toBe(410)
  })

  it('410 when another link to the same address was used', async () => {
    const address = stranger()
    const [first, second] = [await linkFor(address), await linkFor(address)]
    expect((await use(second)).status).toBe(303)
    expect((await use(first)).status).toBe(410)
  })

  it.each([
    ['a token that was never made', newToken()],
    ['no token', ''],
    ['a short token', 'abc'],
    ['a token with other letters', `${newToken().slice(0, -1)}'`],
    ['a long token', newToken().repeat(40)],
  ])('410 for %s', async (_what, token) => {
    const opened = await site
      .browser()
      .open(`/account/sign-in/link?token=${encodeURIComponent(token)}`)
    expect([opened.status, (await use(`token=${token}`)).status]).toEqual([410, 410])
  })

  it('leads on to a page of this service, and never to another', async () => {
    const targets: [next: string, target: string][] = [
      ['/pricing', '/pricing'],
      ['//evil.example', '/account'],
      ['javascript:alert(1)', '/account'],
      ['/ok\r\nSet-Cookie: a=b', '/account'],
      [`/${'a'.repeat(2_900)}`, `/${'a'.repeat(2_900)}`],
    ]
    for (const [next, target] of targets) {
      const link = await linkFor(stranger(), { next })
      expect((await use(link)).headers.location, JSON.stringify(next)).toBe(target)
    }
  })

  it('takes along where one was going, from the address of the sign-in page', async () => {
    const page = await site.browser().open('/account/sign-in?next=%2Fpricing%22%3E%3Cscript%3E')
    expect(page.body).not.toContain('<script>')
    expect(page.form('/account/sign-in').fields.next).toBe('/pricing"><script>')
  })
})

describe('an address', () => {
  it.each([
    ['nothing', ''],
    ['a header more', 'a@example.com\r\nBcc: b@example.com'],
    ['two addresses', 'a@example.com,b@example.com'],
    ['a NUL', 'a\0@example.com'],
  ])('400 that says why, with the form, for %s', async (_what, address) => {
    const before = site.log().length
    const { status, text, body, forms } = await ask(address)
    expect(status).toBe(400)
    expect(text).toMatch(/email address|once, as text/)
    expect(body).not.toMatch(/<script>|\r\n\r\nBcc/)
    expect(forms.length + Number(address.includes('\0'))).toBeGreaterThan(0)
    expect(site.log().slice(before)).not.toContain('"link"')
  })

  it('is shown as text, whatever it holds', async () => {
    const typed = '"><script>alert(1)</script>@example.com'
    const page = await ask(typed)
    expect(page.body).not.toContain('<script>')
    expect(page.form('/account/sign-in').fields.address).toBe(typed)
  })
})

describe('the limits of sign-in links', () => {
  const statuses = async (count: number, call: (index: number) => Promise<{ status: number }>) => {
    const found: number[] = []
    for (let index = 0; index < count; index++) found.push((await call(index)).status)
    return found
  }

  it('429 after 3 links to one address in 15 minutes, from wherever they are asked for', async () => {
    site.clock.now = new Date('2026-11-21T12:00:00Z')
    const address = stranger()
    expect(await statuses(4, () => ask(address))).toEqual([200, 200, 200, 429])
    const refused = await ask(address.toUpperCase())
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '900'])
    expect(refused.text).toContain('Try again in 15 minutes.')
    expect((await ask(stranger())).status, 'others are let in').toBe(200)
    site.clock.now = new Date('2026-11-21T12:15:00Z')
    expect((await ask(address)).status).toBe(200)
  })

  /** One request every hour of a day. */
  const hourly = (address: string, networkOf: (hour: number) => string) => (hour: number) => {
    site.clock.now = new Date(Date.UTC(2026, 10, 21, hour))
    return ask(address, {}, from(networkOf(hour)))
  }

  it('429 after 10 links to one address from one network in a day', async () => {
    const own = hourly(stranger(), () => '192.0.2.1')
    expect(await statuses(11, own)).toEqual([...Array(10).fill(200), 429])
  })

  it('let an address in from its own network, however often others requested links for it that day', async () => {
    const address = stranger()
    const attacker = (hour: number) => `192.0.2.${10 + Math.floor(hour / 10)}`
    expect(await statuses(23, hourly(address, attacker))).toEqual(Array(23).fill(200))
    expect((await hourly(address, () => '192.0.2.2')(23)).status).toBe(200)
  })

  it('leave a working link in the mailbox whenever others have used up the limit of an address', async () => {
    site.clock.now = new Date('2026-11-21T12:00:00Z')
    const address = stranger()
    expect(await statuses(3, () => ask(address))).toEqual([200, 200, 200])
    const link = site.loggedLink()
    site.clock.now = new Date('2026-11-21T12:14:59Z')
    const refused = await ask(address)
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('still works')])
    const entered = await (await site.browser().open(link)).form('/account/sign-in/link').submit()
    expect(entered.status).toBe(303)
  })

  it('count no refused request: one that was refused for its address uses up no day, and the other way round', async () => {
    site.clock.now = new Date('2026-11-21T12:00:00Z')
    const [address, own] = [stranger(), from('192.0.2.3')]
    expect(await statuses(3, () => ask(address))).toEqual([200, 200, 200])
    expect(await statuses(12, () => ask(address, {}, own))).toEqual(Array(12).fill(429))
    site.clock.now = new Date('2026-11-21T12:15:00Z')
    expect((await ask(address, {}, own)).status).toBe(200)

    const flooded = stranger()
    const noisy = hourly(flooded, () => '192.0.2.4')
    expect(await statuses(14, noisy)).toEqual([...Array(10).fill(200), ...Array(4).fill(429)])
    expect((await ask(flooded)).status, 'refused requests of the other network did not count').toBe(
      200,
    )
  })

  it('429 after 20 links from one network in 15 minutes, for any addresses', async () => {
    const headers = from('203.0.113.7')
    expect(await statuses(21, () => ask(stranger(), {}, headers))).toEqual([
      ...Array(20).fill(200),
      429,
    ])
    const before = site.log().length
    expect((await ask(stranger(), {}, headers)).status).toBe(429)
    expect(site.log().slice(before)).not.toContain('"link"')
  })

  it('429 for an IPv6 network by its first 64 bits', async () => {
    const one = (index: number) =>
      ask(stranger(), {}, from(`2001:db8:1:2:${index.toString(16)}::1`))
    expect(await statuses(21, one)).toEqual([...Array(20).fill(200), 429])
    expect((await ask(stranger(), {}, from('2001:db8:1:3::1'))).status).toBe(200)
  })

  it('are exact for callers at once', async () => {
    const address = stranger()
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(address)))
    const found = answers.map(({ status }) => status).sort()
    expect(found).toEqual([...Array(3).fill(200), ...Array(9).fill(429)])
  })
})
