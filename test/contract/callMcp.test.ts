import { describe, expect, it } from 'vitest'
import { PLAN_IDS } from '../../src/contract/plans.ts'
import { newKey } from '../../src/domain/apiKey.ts'
import { outdateAnswers } from '../support/database/database.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { legacyRequest, modernRequest } from '../support/mcp/mcp.ts'
import { itAnswersPreflights } from '../support/operations/addresses.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { callsOf, revokeKeysOf } from '../support/service/usage.ts'

const PATH = '/api/v1/mcp'
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const CALL = legacyRequest('tools/call', { name: 'search_listings', arguments: {} })

describe('callMcp', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })

  it('200 without a key, for what is free, and no month is told', async () => {
    const { status, body, headers } = await api.send('post', PATH, { key: null, body: MESSAGE })
    expect([status, body.result.tools.length]).toEqual([200, 4])
    expect(headers['ratelimit-limit']).toBeUndefined()
    expect(headers.link).toBe(`<${PUBLIC_URL}/terms>; rel="terms-of-service"`)
  })

  it.each(PLAN_IDS)('200 with a key of plan %s, and the call belongs to its owner', async plan => {
    const owner = `mcp ${plan}`
    const key = await api.makeKey(plan, { owner, monthly: 5 })
    const { status, headers } = await api.send('post', PATH, { key, body: CALL })
    expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
      200,
      '5',
      '4',
    ])
    expect(await callsOf(api.sql, owner)).toBe(1)
  })

  it.each(['initialized', 'cancelled', 'no/such'])('202 for the notification %s', async name => {
    const body = { jsonrpc: '2.0', method: `notifications/${name}` }
    const { status, text } = await api.send('post', PATH, { body })
    expect([status, text]).toEqual([202, ''])
  })

  it('400 for an array of 100 calls, and it counts as one', async () => {
    const owner = 'array'
    const key = await api.makeKey('free', { owner })
    const { status, body } = await api.send('post', PATH, { key, body: Array(100).fill(CALL) })
    expect([status, body.error.code]).toEqual([400, -32_600])
    expect(await callsOf(api.sql, owner)).toBe(1)
  })

  it('403 forbidden for a page of another origin, and it does not count', async () => {
    const owner = 'elsewhere'
    const key = await api.makeKey('free', { owner })
    const headers = { Origin: 'https://elsewhere.example' }
    const { status, body } = await api.send('post', PATH, { key, headers, body: MESSAGE })
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.error).toContain('https://elsewhere.example')
    expect(await callsOf(api.sql, owner)).toBe(0)
  })

  it('404 for an unknown method of revision 2026-07-28', async () => {
    const { message, headers } = modernRequest('no/such')
    const { status, body } = await api.send('post', PATH, { headers, body: message })
    expect([status, body.error.code]).toEqual([404, -32_601])
  })

  it.each([
    [413, 'a body over 64 kB', { body: { ...MESSAGE, more: 'a'.repeat(66_000) } }],
    [
      415,
      'another type',
      { headers: { 'Content-Type': 'text/plain' }, body: JSON.stringify(MESSAGE) },
    ],
  ])('%i invalid_request for %s', async (expected, _what, sent) => {
    expect(refusalOf(await api.send('post', PATH, sent))).toContain(`${expected} invalid_request:`)
  })

  it.each([
    ['burst_rate_exceeded', { perMinute: 0 }],
    ['monthly_quota_exceeded', { monthly: 0 }],
  ])('429 %s over the limit of a key, whatever the message', async (code, limits) => {
    const key = await api.makeKey('free', limits)
    const { status, body, headers } = await api.send('post', PATH, { key, body: MESSAGE })
    expect([status, body.code]).toEqual([429, code])
    for (const name of ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
      expect(headers[name]).toMatch(/^\d+$/)
  })

  it('500 internal_error where a tool meets a fault of ours: nothing of it is told, and the call is given back', async () => {
    const owner = 'fault mcp'
    const key = await api.makeKey('free', { owner })
    await outdateAnswers(api.sql)
    await api.sql`alter table lots rename to lots_hidden`
    const answers = await Promise.all([
      api.send('post', PATH, { key, body: CALL }),
      (({ message, headers }) => api.send('post', PATH, { key, headers, body: message }))(
        modernRequest('tools/call', { name: 'search_listings', arguments: {} }),
      ),
    ])
    await api.sql`alter table lots_hidden rename to lots`
    for (const { status, body, text } of answers) {
      expect([status, body.code]).toEqual([500, 'internal_error'])
      expect(text).not.toMatch(/relation|lots|42P01|select/)
    }
    await expect.poll(() => callsOf(api.sql, owner)).toBe(0)
  })

  it.each([
    ['a key that was never made', newKey()],
    ['something that is no key', 'nonsense'],
    ['a header of 5,000 characters', 'x'.repeat(5_000)],
  ])('401 invalid_api_key for %s: a key that is sent must be valid', async (_what, key) => {
    const { status, body, headers } = await api.send('post', PATH, { key, body: MESSAGE })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
    expect(headers['www-authenticate']).toBe('Bearer realm="mcp", error="invalid_token"')
  })

  it('401 invalid_api_key for a revoked key', async () => {
    const key = await api.makeKey('free', { owner: 'revoked' })
    await revokeKeysOf(api.sql, 'revoked')
    expect(refusalOf(await api.send('post', PATH, { key, body: MESSAGE }))).toContain(
      '401 invalid_api_key:',
    )
  })

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', newKey()])(
    '401 missing_api_key for an Authorization header without a bearer token: %s',
    async Authorization => {
      const { status, body } = await api.send('post', PATH, {
        key: null,
        headers: { Authorization },
        body: MESSAGE,
      })
      expect([status, body.code]).toEqual([401, 'missing_api_key'])
    },
  )

  it('405 invalid_request for a GET, as for an event stream', async () => {
    const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': 'a' }
    const answer = await api.get(PATH, { key: null, headers })
    expect(refusalOf(answer)).toContain('405 invalid_request:')
    expect(answer.headers.allow).toBe('POST')
  })

  it('405 invalid_request for a HEAD', async () => {
    const { status, headers } = await api.head(PATH, { key: null })
    expect([status, headers.allow]).toEqual([405, 'POST'])
  })

  itAnswersPreflights(api, PATH, 'POST')

  it.each(['/api/v1/MCP', '/api/v2/mcp'])('404 not_found for %s', async path => {
    expect(refusalOf(await api.send('post', path, { key: null, body: MESSAGE }))).toContain(
      '404 not_found:',
    )
  })
})
