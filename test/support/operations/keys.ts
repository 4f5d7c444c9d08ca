import { expect, it } from 'vitest'
import { newKey } from '../../../src/domain/apiKey.ts'
import { refusalOf, type TestService } from '../service/start.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'
import { callsOf, revokeKeysOf } from '../service/usage.ts'
import { LADDER, type TestedOperation } from './commonTests.ts'

/** 401: the two codes, and every way to earn them. */
export function itAsksForAKey(api: TestService, { path, plan }: TestedOperation): void {
  it.each([
    ['no Authorization header', {}],
    ['an empty Authorization header', { Authorization: '' }],
    ['a scheme without a key', { Authorization: 'Bearer' }],
    ['the Basic scheme', { Authorization: 'Basic dXNlcjpwYXNz' }],
    ['a key without a scheme', { Authorization: newKey() }],
    ['a key in another header', { 'X-Api-Key': newKey() }],
  ])('401 missing_api_key for %s', async (_what, headers) => {
    const { status, body, headers: answered } = await api.get(path, { key: null, headers })
    expect([status, body.code]).toEqual([401, 'missing_api_key'])
    expect(answered['www-authenticate']).toBe('Bearer')
  })

  it.each([
    ['a key that was never made', newKey()],
    ['a key with a wrong checksum', withWrongChecksum(newKey())],
    ['a mistyped key', newKey().replace(/^bp_live_./, 'bp_live_~')],
    ['a key that is cut short', newKey().slice(0, 20)],
    ['two keys', `${newKey()} ${newKey()}`],
    ['a key in quotes', `"${newKey()}"`],
    ['a header of 5,000 characters', 'x'.repeat(5_000)],
  ])('401 invalid_api_key for %s', async (_what, key) => {
    const { status, body, headers } = await api.get(path, { key })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"')
  })

  it('401 invalid_api_key from the moment the key is revoked, and it does not count', async () => {
    const owner = `revoked ${path}`
    const key = await api.makeKey(plan, { owner })
    expect((await api.get(path, { key })).status).toBe(200)
    await revokeKeysOf(api.sql, owner)
    expect(refusalOf(await api.get(path, { key }))).toContain('401 invalid_api_key:')
    expect(await callsOf(api.sql, owner)).toBe(1)
  })
}

function withWrongChecksum(key: string): string {
  return key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
}

/** 403 for the plans below the operation's, 200 for the others. */
export function itKeepsToThePlan(api: TestService, { path, plan }: TestedOperation): void {
  const lower = LADDER.slice(0, LADDER.indexOf(plan))
  const higher = LADDER.slice(LADDER.indexOf(plan))

  it.each(lower)(
    '403 forbidden for a key of plan %s, with the way to a larger one, and it counts',
    async held => {
      const owner = `${held} ${path}`
      const { status, body, headers } = await api.get(path, {
        key: await api.makeKey(held, { owner, monthly: 5 }),
      })
      expect([status, body.code]).toEqual([403, 'forbidden'])
      expect(body.upgrade).toBe(`${PUBLIC_URL}/pricing`)
      expect(headers['ratelimit-remaining']).toBe('4')
      expect(await callsOf(api.sql, owner)).toBe(1)
    },
  )

  it.each(higher)('200 for a key of plan %s', async held => {
    expect((await api.get(path, { key: await api.makeKey(held) })).status).toBe(200)
  })
}
