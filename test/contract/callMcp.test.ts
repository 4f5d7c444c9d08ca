import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { PLAN_IDS } from '../../src/domain/plans.ts'
import { callsOf, revokeKeysOf } from '../support/accounts.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { NOW } from '../support/fixtures.ts'

const PATH = '/api/v1/mcp'
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('callMcp', () => {
  let api: TestApi

  beforeAll(async () => {
    api = await startApi()
  })
  beforeEach(() => {
    api.clock.now = NOW
  })
  afterAll(() => api.close())

  it('503 without a key, while the endpoint is not in service', async () => {
    const { status, body, headers } = await api.send('post', PATH, { key: null, body: MESSAGE })
    expect([status, body.code]).toEqual([503, 'internal_error'])
    expect(headers['retry-after']).toBe('1')
    expect(headers['ratelimit-limit'], 'no key, no month').toBeUndefined()
  })

  it.each(PLAN_IDS)('503 with a key of plan %s, and the call is given back', async plan => {
    const owner = `mcp ${plan}`
    const key = await api.makeKey(plan, { owner, monthly: 5 })
    const { status, body, headers } = await api.send('post', PATH, { key, body: MESSAGE })
    expect([status, body.code]).toEqual([503, 'internal_error'])
    expect(headers['ratelimit-limit']).toBe('5')
    await expect.poll(() => callsOf(api.sql, owner)).toBe(0)
  })

  it('503 with a key while the database cannot be reached', async () => {
    const away = await startApi({ unreachable: true })
    try {
      const { status, body } = await away.send('post', PATH, {
        key: await away.makeKey('free'),
        body: MESSAGE,
      })
      expect([status, body.code]).toEqual([503, 'internal_error'])
    } finally {
      await away.close()
    }
  })

  it.each([
    ['a key that was never made', newKey()],
    ['something that is no key', 'nonsense'],
    ['a header of 5,000 characters', 'x'.repeat(5_000)],
  ])('401 invalid_api_key for %s: a key that is sent must be valid', async (_what, key) => {
    const { status, body, headers } = await api.send('post', PATH, { key, body: MESSAGE })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
    expect(headers['www-authenticate']).toBe('Bearer')
  })

  it('401 invalid_api_key for a revoked key', async () => {
    const key = await api.makeKey('free', { owner: 'revoked' })
    await revokeKeysOf(api.sql, 'revoked')
    const { status, body } = await api.send('post', PATH, { key, body: MESSAGE })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
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

  it.each(['get', 'put', 'patch', 'delete'] as const)('405 invalid_request for %s', async method => {
    const { status, body, headers } =
      method === 'get' ? await api.get(PATH, { key: null }) : await api.send(method, PATH, { key: null })
    expect([status, body.code]).toEqual([405, 'invalid_request'])
    expect(headers.allow).toBe('POST, OPTIONS')
  })

  it('405 invalid_request for a HEAD', async () => {
    const { status, headers } = await api.head(PATH, { key: null })
    expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS'])
  })

  it('204 for a preflight from any origin, without a key', async () => {
    const { status, headers } = await api.send('options', PATH, {
      key: null,
      headers: {
        Origin: 'https://somewhere.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, content-type, mcp-protocol-version',
      },
    })
    expect([status, headers.allow]).toEqual([204, 'POST, OPTIONS'])
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-methods']).toContain('POST')
    expect(headers['access-control-allow-headers']).toBe('authorization, content-type, mcp-protocol-version')
  })

  it.each([`${PATH}/`, '/api/v1/MCP', '/api/v2/mcp'])('404 not_found for %s', async path => {
    const { status, body } = await api.send('post', path, { key: null, body: MESSAGE })
    expect([status, body.code]).toEqual([404, 'not_found'])
  })
})
