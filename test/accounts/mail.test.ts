import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { forOneTest, shared } from '../support/run/shared.ts'
import { start, type TestService } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'
import { type SmtpStandIn, startSmtpStandIn } from '../support/standIns/smtpStandIn.ts'

const smtp = shared(startSmtpStandIn)
const mail = () => ({ smtpUrl: smtp.url, from: 'Surplus <no-reply@surplus.example>' })
const site = shared(() => start({ settings: { mail: mail() } }))
afterEach(() => {
  smtp.refusesRecipients = null
})

async function signedIn(
  service: TestService,
  address: string,
  server: SmtpStandIn,
): Promise<FormBrowser> {
  const browser = service.browser()
  await browser.submit('/account/sign-in', { address })
  const [, link = ''] = /(\/account\/sign-in\/link\?token\S+)/.exec(server.mails.at(-1)!.text)!
  await (await browser.open(link)).form('/account/sign-in/link').submit()
  return browser
}

const ask = (address: string) => site.browser().submit('/account/sign-in', { address })

describe('with SMTP_URL, the owner of an account', () => {
  it('is told of each key that is made or replaced, with the page that revokes it', async () => {
    const owner = 'keys@example.com'
    const browser = await signedIn(site, owner, smtp)
    const told = () =>
      smtp.mails.filter(
        ({ to, headers }) => to[0] === owner && /^Subject: A new key\r?$/m.test(headers),
      )
    await (await browser.open('/account')).form('/account/keys').submit({ name: 'Reader of lots' })
    await expect.poll(() => told().length).toBe(1)
    const { text } = told()[0]!
    expect(text).toContain('http://surplus.test/account#keys')
    expect(text).toContain('Reader of lots')
    expect(text).not.toMatch(/bp_live_/)
    const [key] = await site.sql<
      { id: string }[]
    >`select id from keys order by created_at desc limit 1`
    const rotation = `/account/keys/${key!.id}/rotate`
    await (await browser.open('/account')).form(rotation).submit({ hours: '24' })
    await expect.poll(() => told().length).toBe(2)
  })

  it('has a key although its mail server is gone, and one line of the log, without an address, says so', async () => {
    const server = await startSmtpStandIn()
    const mail = { smtpUrl: server.url, from: 'a@surplus.example' }
    const failing = await forOneTest(start({ settings: { mail } }))
    const browser = await signedIn(failing, 'untold@example.com', server)
    await server.close()
    await browser.newKey('mine')
    const lines = () =>
      failing
        .log()
        .split('\n')
        .filter(line => line.includes('a mail was not sent'))
    await expect
      .poll(() => lines().map(line => JSON.parse(line)))
      .toMatchObject([{ level: 40, subject: 'A new key', reason: 'ESOCKET' }])
    expect(failing.log()).not.toContain('untold@example.com')
  })
})

describe('with SMTP_URL, a sign-in link', () => {
  it('goes to its address and to no other, and works', async () => {
    const { status, text } = await ask('Mail@Example.com')
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('is on its way to mail@example.com'),
    ])
    const mail = smtp.mails.at(-1)!
    expect([mail.from, mail.to]).toEqual(['no-reply@surplus.example', ['mail@example.com']])
    expect(mail.headers).toMatch(/^From: Surplus <no-reply@surplus.example>\r?$/m)
    expect(mail.headers).toMatch(/^To: mail@example.com\r?$/m)
    expect(mail.headers).toMatch(/^Subject: Your sign-in link\r?$/m)
    expect(mail.headers).not.toMatch(/^Bcc:/im)
    const link = /^http:\/\/surplus\.test(\/account\/sign-in\/link\?token=[\w-]{43})\r?$/m.exec(
      mail.text,
    )?.[1]
    expect(link, mail.text).toBeTruthy()
    const browser = site.browser()
    await (await browser.open(link!)).form('/account/sign-in/link').submit()
    expect((await browser.open('/account')).text).toContain('mail@example.com')
  })

  it('never stands in the log', async () => {
    await ask('unlogged@example.com')
    const token = /token=([\w-]{43})/.exec(smtp.mails.at(-1)!.text)![1]!
    expect(site.log()).not.toContain(token)
    expect(site.log()).not.toContain('"link"')
  })

  it('gets the same answer when the mail server knows no such mailbox', async () => {
    smtp.refusesRecipients = { code: 550, message: 'no such mailbox' }
    const { status, text } = await ask('gone@example.com')
    expect([status, text]).toEqual([200, expect.stringContaining('is on its way')])
    expect(site.log()).toContain('"reason":"EENVELOPE (550)"')
    expect(site.log()).not.toContain('gone@example.com')
  })

  it.each<[string, (socket: Socket) => void]>([
    ['hangs up', socket => socket.destroy()],
    ['is busy', socket => void socket.end('421 too busy\r\n')],
    ['refuses the password', socket => refuse(socket, 'AUTH')],
    ['refuses the sender', socket => refuse(socket, 'MAIL')],
  ])('503 as a page, with Retry-After, when the mail server %s', async (_what, behave) => {
    const server = await forOneTest(createServer(behave))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const smtpUrl = `smtp://user:hunter2@127.0.0.1:${port}`
    const failing = await forOneTest(
      start({ settings: { mail: { smtpUrl, from: 'a@surplus.example' } } }),
    )
    const { status, headers, text } = await failing
      .browser()
      .submit('/account/sign-in', { address: 'a@example.com' })
    expect([status, headers['retry-after']]).toEqual([503, '60'])
    expect(text).toContain('The email cannot be sent')
    expect(failing.log()).not.toMatch(/hunter2|token=/)
  })
})

/** A mail server that says yes to everything before this command, and no to it. */
function refuse(socket: Socket, command: string): void {
  socket.on('error', () => {})
  socket.write('220 mail\r\n')
  socket.on('data', chunk => {
    const said = String(chunk)
    if (said.startsWith(command)) socket.write('550 no\r\n')
    else if (said.startsWith('EHLO')) socket.write('250-mail\r\n250 AUTH PLAIN\r\n')
    else if (said.startsWith('AUTH')) socket.write('235 yes\r\n')
    else socket.write('250 yes\r\n')
  })
}
