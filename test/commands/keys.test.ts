import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'

const site = serviceFor()

const keys = async (...args: string[]) => {
  const ran = await runSurplusHere(['keys', ...args, '--json'], {
    DATABASE_URL: site.databaseUrl,
    KEY_PEPPER: PEPPER,
  })
  return { ...ran, answer: ran.code === 0 ? JSON.parse(ran.stdout) : null }
}

describe('KEY_PEPPER', () => {
  it('is refused under 32 characters, with the command that makes one', () => {
    expect(() => readConfig({ KEY_PEPPER: 'x'.repeat(31) })).toThrow(
      'KEY_PEPPER must have at least 32 characters. Make one with: openssl rand -hex 32',
    )
    expect(readConfig({ KEY_PEPPER: 'x'.repeat(32) }).keyPepper).toHaveLength(32)
    expect(readConfig({}).keyPepper).toBeNull()
  })
})

describe('surplus keys', () => {
  it('makes a key for an address that its account page shows, on its own plan; lists and revokes the keys of the page', async () => {
    const made = await keys(
      'create',
      '--plan',
      'enterprise',
      '--owner',
      'Jane@Example.com',
      '--name',
      'For Jane',
    )
    expect(made.answer).toMatchObject({
      plan: 'enterprise',
      owner: 'jane@example.com',
      name: 'For Jane',
    })
    const browser = await site.signedIn('jane@example.com')
    const page = await browser.open('/account')
    expect(page.text).toMatch(/For Jane .* Enterprise \(set by the operator\)/)
    const own = await browser.follow(page.form('/account/keys').submit({ name: 'Her own' }))
    const key = /bp_live_\w{36}/.exec(own.body)![0]

    const { answer } = await keys('list')
    expect(answer.keys).toMatchObject([
      { owner: 'jane@example.com', name: 'Her own', plan: 'free', hint: key.slice(-4) },
      { owner: 'jane@example.com', name: 'For Jane', plan: 'enterprise' },
    ])
    expect((await keys('revoke', answer.keys[0].id)).code).toBe(0)
    expect((await site.get('/api/v1/sources', { key })).status).toBe(401)
    expect((await browser.open('/account')).text).toMatch(/Revoked keys \(1\).*Her own/)
  })

  it('ends with 2 for a name that is none', async () => {
    const { code, stderr } = await keys('create', '--plan', 'free', '--name', 'a\nb')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--name must be one line')])
  })
})
