import { beforeEach, describe, expect, it } from 'vitest'
import { newToken } from '../../src/domain/accounts/secretToken.ts'
import { serviceFor } from '../support/service/start.ts'
import { insertAlertRows } from '../support/site/accountRows.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const site = serviceFor()
let browser: FormBrowser
let people = 0
let [from, to] = ['', '']

beforeEach(async () => {
  site.clock.now = null
  people++
  from = `old${people}@example.com`
  to = `new${people}@example.com`
  browser = await site.signedIn(from)
})

const request = async (address: string) =>
  browser.follow(
    (await browser.open('/account/settings')).form('/account/address').submit({ address }),
  )

/** The path of the latest link that was mailed to an address. */
function linkTo(address: string): string {
  const lines = site
    .log()
    .split('\n')
    .filter(line => line.includes('/confirm?'))
  const { link } = lines.map(line => JSON.parse(line)).findLast(line => line.address === address)
  return link.replace('http://surplus.test', '')
}

/** Opens a mailed link in a browser without a session, and presses its button. */
async function confirm(link: string) {
  const page = await site.browser().open(link)
  if (page.status !== 200) return page
  return page.form('/account/address/confirm').submit()
}

const signsIn = async (address: string) =>
  /Signed in as (\S+)/.exec((await (await site.signedIn(address)).open('/account')).text)![1]

describe('a change of the address', () => {
  it('is made when the links to both addresses are confirmed, in any order, and keeps account and session', async () => {
    await browser.newKey('stays mine')
    await site.browser().submit('/account/sign-in', { address: from })
    const early = site.loggedLink()
    expect((await request(` ${to.toUpperCase()} `)).text).toContain('Two emails are on their way')
    const links = [linkTo(to), linkTo(from)]
    expect((await confirm(links[0]!)).text).toContain('One address is confirmed')
    expect((await browser.open('/account')).text).toContain(`Signed in as ${from}`)
    expect((await confirm(links[1]!)).text).toContain('The address is changed')
    expect((await browser.open('/account')).text).toContain(`Signed in as ${to}`)
    expect((await site.browser().open(early)).status, 'a link to the old address').toBe(410)
    expect((await (await site.signedIn(to)).open('/account')).text).toContain('stays mine')
    expect((await (await site.signedIn(from)).open('/account')).text).toContain(
      'You have no keys yet',
    )
  })

  it('is not made by opening the links, by one of them twice, or after an hour', async () => {
    await request(to)
    for (const address of [from, to])
      expect((await site.browser().open(linkTo(address))).status).toBe(200)
    expect((await confirm(linkTo(to))).status).toBe(200)
    expect((await confirm(linkTo(to))).status).toBe(410)
    site.clock.now = new Date(Date.now() + 61 * 60_000)
    expect((await confirm(linkTo(from))).status).toBe(410)
    site.clock.now = null
    expect((await browser.open('/account')).text).toContain(`Signed in as ${from}`)
  })

  it('ends when all sessions are ended, as somebody who signed in with a stolen link may have requested it', async () => {
    await request(to)
    const links = [linkTo(to), linkTo(from)]
    await (await browser.open('/account/settings')).form('/account/sign-out-everywhere').submit()
    for (const link of links) expect((await confirm(link)).status).toBe(410)
    expect(await signsIn(from)).toBe(from)
  })

  it('replaces an earlier request, whose links end', async () => {
    await request(to)
    const [earlier, confirmed] = [linkTo(to), linkTo(from)]
    await confirm(confirmed)
    await request(`other.${to}`)
    expect((await confirm(earlier)).status).toBe(410)
    await confirm(linkTo(`other.${to}`))
    expect(
      (await browser.open('/account')).text,
      'the old address confirmed another one',
    ).toContain(`Signed in as ${from}`)
  })

  it('410 for the address of another account, which both owners keep; before, nothing says that it has one', async () => {
    await site.signedIn(to)
    expect((await request(to)).text).toContain('Two emails are on their way')
    await confirm(linkTo(from))
    const refused = await confirm(linkTo(to))
    expect([refused.status, refused.text]).toEqual([
      410,
      expect.stringContaining('This address has an account'),
    ])
    expect([await signsIn(from), await signsIn(to)]).toEqual([from, to])
  })

  it.each(['', 'nothing', 'Ä@example.com', 'a@b', ' '])(
    '400 for “%s”, and no mail is sent',
    async typed => {
      const before = site.log().match(/\/confirm\?/g)?.length
      expect((await request(typed)).status).toBe(400)
      expect((await request(from)).status).toBe(400)
      expect(site.log().match(/\/confirm\?/g)?.length).toBe(before)
    },
  )

  it('429 after five in a day', async () => {
    for (let index = 0; index < 5; index++) {
      await site.sql`delete from attempts where meter like 'links%'`
      expect((await request(`${index}.${to}`)).status).toBe(200)
    }
    await site.sql`delete from attempts where meter like 'links%'`
    expect((await request(`6.${to}`)).status).toBe(429)
  })

  it.each([newToken(), 'nothing', '', "' or 1=1 --"])(
    '410 for a link with the token “%s”',
    async token => {
      const { status } = await site
        .browser()
        .open(`/account/address/confirm?token=${encodeURIComponent(token)}`)
      expect(status).toBe(410)
      expect((await site.browser().submit('/account/address/confirm', { token })).status).toBe(410)
    },
  )
})

describe('the data of an account', () => {
  it('are a file with all that is kept about it, without secrets and without others', async () => {
    const key = await browser.newKey('in the file')
    await site.get('/api/v1/sources', { key })
    await insertAlertRows(site.sql, from)
    await site.signedIn(to)

    const { headers, body } = await browser.open('/account/data.json')
    expect(headers['content-type']).toContain('application/json')
    expect(headers['content-disposition']).toBe('attachment; filename=account.json')
    expect(headers['cache-control']).toBe('no-store')
    const data = JSON.parse(body)
    expect(data).toMatchObject({
      account: { owner: from, plan: 'free' },
      sessions: [{ browser: 'Unknown browser' }],
      keys: [{ name: 'in the file', hint: key.slice(-4) }],
      calls_by_day: [{ used: 1 }],
      calls_by_operation: [{ operation: 'listSources', calls: 1 }],
      saved_searches: [{ name: 'boats', query: { q: 'boat' } }],
      webhook_endpoints: [{ url: 'https://hooks.example.com/' }],
      messages: [{ kind: 'quota' }],
    })
    expect(body).not.toMatch(/hash|secret|whsec_|bp_live_/)
    expect(body).not.toContain(to)
    expect((await site.browser().open('/account/data.json')).status).toBe(303)
  })
})
