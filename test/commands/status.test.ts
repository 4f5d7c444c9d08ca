import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { beginSweep, endSweep } from '../../src/infra/ingestion/sweeps.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY, insertLots } from '../support/lots/fixtures.ts'
import { runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { needs } from '../support/run/needs.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'
import { keyMaker } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { startSmtpStandIn } from '../support/standIns/smtpStandIn.ts'

const folder = temporaryFolder()
const database = shared(async () => {
  const { drop, ...made } = await freshDatabase()
  return { ...made, close: drop }
})
const mailServer = shared(startSmtpStandIn)
const SENDER = { MAIL_FROM: 'no-reply@surplus.test' }
const disk = join(folder, 'disk')
mkdirSync(disk)
const isMounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'surplus-test', disk]).status === 0

async function statusWith(env: Record<string, string> = {}) {
  const { code, stdout } = await runSurplusHere(['status', '--json'], {
    DATABASE_URL: database.url,
    ...env,
  })
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

describe('surplus status', () => {
  it('shows accounts, sources, alerts, database and data version on one screen', async () => {
    await insertLots(database.sql, [
      { slug: 'one', source: 'gsa', ends_at: new Date(Date.now() + DAY) },
    ])
    const { stdout } = await runSurplusHere(['status'], { DATABASE_URL: database.url })
    for (const part of [
      'Needs attention',
      'database',
      'accounts',
      'sources',
      'alerts',
      'data version',
    ])
      expect(stdout).toContain(part)
    expect(stdout, 'headings are words').not.toMatch(/^(?!- ).*[a-z]_[a-z]/m)
    expect(stdout.split('\n').length).toBeLessThan(50)
    const { sources, database: state, accounts } = await statusWith()
    expect(sources).toContainEqual(expect.objectContaining({ source: 'gsa', live_lots: 1 }))
    expect([state.data, accounts.accounts]).toEqual(['live', 0])
  })

  it('misses no source that nobody fetches, and names sold prices that cannot be loaded', async () => {
    expect((await statusWith()).attention.join()).not.toMatch(/Cincinnati|Norfolk|Seattle/)
    await database.sql`
      insert into loads (feed, started_at, state, reason)
      values ('open-data', now(), 'refused', 'lots.example is unreachable (connection refused).')`
    expect((await statusWith()).attention).toContain(
      'Sold prices: failed tries 1: lots.example is unreachable (connection refused).',
    )
    await database.sql`insert into loads (feed, started_at, state) values ('open-data', now(), 'done')`
    expect((await statusWith()).attention.join()).not.toContain('Sold prices')
  })

  it('names a source that does not answer, with the reason', async () => {
    await beginSweep(database.sql, 'irs')
    await endSweep(database.sql, 'irs', { outcome: 'refused', reason: 'The host is unreachable.' })
    const { attention } = await statusWith()
    expect(attention).toContain(
      'IRS Auctions: last loaded never, failed tries 1: The host is unreachable.',
    )
  })

  it('names a mail server that refuses, and none that takes mail', async () => {
    const refusing = await statusWith({ ...SENDER, SMTP_URL: 'smtp://127.0.0.1:1' })
    expect(refusing.attention).toContainEqual(
      expect.stringMatching(/^The mail server 127\.0\.0\.1:1 \(SMTP_URL\) refuses: /),
    )
    const taking = await statusWith({ ...SENDER, SMTP_URL: mailServer.url })
    expect(taking.attention.join()).not.toContain('mail server')
  })

  it('counts the calls of the last hour in the logs of accounts, also those of a server that has stopped, which warned of mail and archives of live data without a place', async () => {
    const makeKey = keyMaker(database.sql)
    const key = await makeKey('free', { owner: 'busy@example.com' })
    const port = String(await freePort())
    const address = `http://127.0.0.1:${port}`
    const server = startSurplus(['serve'], {
      DATABASE_URL: database.url,
      KEY_PEPPER: PEPPER,
      PORT: port,
      ALERTS: 'off',
    })
    await expect
      .poll(() => fetch(`${address}/readyz`).then(({ status }) => status, String))
      .toBe(200)
    for (const path of ['sources', 'sources', 'listings?page=0'])
      await fetch(`${address}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
    expect(await server.end('SIGTERM')).toBe(0)
    const warned = server.lines().map(({ msg }) => /SMTP_URL|ARCHIVE_DIR/.exec(String(msg))?.[0])
    expect(warned.filter(Boolean)).toEqual(['SMTP_URL', 'ARCHIVE_DIR'])
    await makeKey('free', { owner: 'earlier@example.com' })
    await database.sql`
      insert into call_logs (account_id, calls)
      select id, jsonb_build_array(jsonb_build_object('at', rfc3339(now() - interval '61 minutes')))
      from accounts where owner = 'earlier@example.com'`
    expect((await statusWith()).accounts).toMatchObject({
      calls_last_hour: 3,
      calls_from: 'the last 100 calls of each account',
    })
  })

  it('names a setting of 1.0.0 that is gone', async () => {
    expect((await statusWith({ RESPONSE_VALIDATION_PERCENT: '5' })).attention).toContainEqual(
      expect.stringMatching(/^RESPONSE_VALIDATION_PERCENT is no longer a setting\. Remove it/),
    )
  })

  it('names each setting that was left as it comes, and none that was set', async () => {
    const named = [/^SMTP_URL /, /^USER_AGENT /, /^GSA_API_KEY /, /^CONTACT_EMAIL /, /^PUBLIC_URL /]
    const left = await statusWith({ HOST: '0.0.0.0' })
    for (const sentence of named)
      expect(left.attention).toContainEqual(expect.stringMatching(sentence))
    const set = await statusWith({
      ...SENDER,
      SMTP_URL: mailServer.url,
      USER_AGENT: 'someone/1.0 (+mailto:ops@example.com)',
      GSA_API_KEY: 'a-key-of-ones-own',
      CONTACT_EMAIL: 'sales@example.com',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://auctions.example.com',
    })
    for (const sentence of named)
      expect(set.attention).not.toContainEqual(expect.stringMatching(sentence))
    expect((await statusWith()).attention.join()).not.toContain('PUBLIC_URL')
  })

  it('names a database that cannot be written', async () => {
    const url = new URL(database.url)
    url.searchParams.set('default_transaction_read_only', 'on')
    const { attention } = await statusWith({ DATABASE_URL: url.href })
    expect(attention[0]).toMatch(/^The database cannot be written: /)
  })

  describe('on a small disk', needs(isMounted, 'an account that may mount a small disk'), () => {
    it('names a full disk of the data folder', async () => {
      const env = { SURPLUS_DATA_DIR: disk }
      expect((await statusWith(env)).attention.join()).not.toContain('The disk of')
      writeFileSync(join(disk, 'filled'), Buffer.alloc(1_020_000))
      expect((await statusWith(env)).attention).toContainEqual(
        expect.stringMatching(/^The disk of \S+ is full: \d% are free\.$/),
      )
      spawnSync('umount', [disk])
    })
  })
})
