import { describe, expect, it } from 'vitest'
import { mailAbout } from '../support/alerts/mailAbout.ts'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import type { Page } from '../support/site/formBrowser.ts'

const site = serviceFor({ now: NOW })
const LINK_FORM = '/account/sign-in/link'

/** The page of a sign-in link, whose form a script fills in. */
async function openedLink(address: string): Promise<Page> {
  await site.sql`delete from attempts`
  const browser = site.browser()
  await browser.submit('/account/sign-in', { address })
  return browser.open(site.loggedLink())
}

/** Signs in as a browser with a script does; without one where no zone is named. */
async function signIn(address: string, time_zone?: string): Promise<Page> {
  const form = (await openedLink(address)).form(LINK_FORM)
  expect(form.fields.time_zone).toBe('')
  return form.submit(time_zone === undefined ? {} : { time_zone })
}

const zoneOf = async (address: string) =>
  (await site.sql`select time_zone, is_time_zone_known from accounts where owner = ${address}`)[0]
const known = (time_zone: string) => ({ time_zone, is_time_zone_known: true })
const unknown = { time_zone: 'America/New_York', is_time_zone_known: false }

describe('the time zone of an account', () => {
  it('is that of the browser in which its owner signs in first, and is asked for once', async () => {
    await signIn('once@example.com', 'America/Denver')
    expect(await zoneOf('once@example.com')).toEqual(known('America/Denver'))
    await signIn('once@example.com', 'America/Chicago')
    await signIn('once@example.com')
    expect(await zoneOf('once@example.com')).toEqual(known('America/Denver'))
  })

  it('is set by the next sign-in where none was said, and never where the owner chose it', async () => {
    await signIn('later@example.com')
    expect(await zoneOf('later@example.com')).toEqual(unknown)
    await signIn('later@example.com', 'Pacific/Guam')
    expect(await zoneOf('later@example.com')).toEqual(known('Pacific/Guam'))
    const browser = await site.signedIn('chose@example.com')
    const times = (await browser.open('/account/alerts')).form('/account/alerts/times')
    expect((await times.submit({ time_zone: 'America/New_York' })).status).toBe(303)
    await signIn('chose@example.com', 'America/Denver')
    expect(await zoneOf('chose@example.com')).toEqual(known('America/New_York'))
  })

  it('stays in the form of the times, also one that the form does not list', async () => {
    const browser = await site.signedIn('far@example.com')
    await signIn('far@example.com', 'Europe/Berlin')
    const form = async () => (await browser.open('/account/alerts')).form('/account/alerts/times')
    expect((await form()).fields.time_zone).toBe('Europe/Berlin')
    expect((await (await form()).submit({ digest_hour: '9' })).status).toBe(303)
    expect(await zoneOf('far@example.com')).toEqual(known('Europe/Berlin'))
    const refused = await (await form()).submit({ time_zone: 'Europe/Paris' })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Choose a time zone'),
    ])
  })

  it.each(['', 'Mars/Olympus', 'america/denver', 'Etc/Unknown', '+25'])(
    'is not said by %j, and the sign-in goes on',
    async time_zone => {
      const address = `unknown-${time_zone.length}@example.com`
      expect((await signIn(address, time_zone)).headers.location).toBe('/account')
      expect(await zoneOf(address)).toEqual(unknown)
    },
  )

  it.each([
    "UTC'; drop table accounts; --",
    'America/New York',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    'Zürich',
    'x'.repeat(65),
    'UTC\n',
  ])('is refused as %j in a sentence, and the link still works', async time_zone => {
    const opened = await openedLink('hostile@example.com')
    const refused = await opened.form(LINK_FORM).submit({ time_zone })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('must be the name of a time zone, such as America/Chicago'),
    ])
    expect((await opened.form(LINK_FORM).submit()).status).toBe(303)
  })

  it('is not that of ends in mails: these are in the zone of the lot', async () => {
    const [lot] = await insertLots(site.sql, [
      { slug: 'guam', state: 'GU', ends_at: fromNow(HOUR) },
    ])
    const { text, html } = await mailAbout(site.sql, lot!)
    for (const mail of [text, html]) expect(mail).toContain('Ends Nov 21, 2026, 8:30 PM GMT+10')
  })
})
