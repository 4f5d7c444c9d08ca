import { beforeAll, describe, expect, it } from 'vitest'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import {
  initializeRequest,
  legacyRequest,
  MCP_PATH,
  MODERN,
  modernRequest,
  post,
} from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
const SEARCH = { name: 'search_listings', arguments: {} }

describe('the manners of the agent endpoint', () => {
  const api = serviceFor({
    now: NOW,
    settings: { mcpOrigins: ['inspector.example.com', 'moz-extension://*'] },
  })

  beforeAll(async () => {
    await insertLots(api.sql, [{ slug: 'one' }])
  })

  /** A modern request with some headers replaced (null: left out) and some `_meta` fields too. */
  async function modern(
    method: string,
    params: Record<string, unknown> = {},
    changes: { headers?: Record<string, string | null>; meta?: Record<string, unknown> } = {},
  ) {
    const { message, headers } = modernRequest(method, params)
    const sent = Object.entries({ ...headers, ...changes.headers }).filter(
      ([, value]) => value !== null,
    )
    const _meta = { ...message.params._meta, ...changes.meta }
    const written = { ...message, params: { ...message.params, _meta } }
    const answer = await post(api, written, {
      headers: Object.fromEntries(sent) as Record<string, string>,
    })
    return { status: answer.status, body: answer.body, code: answer.body.error?.code }
  }

  describe('for 2025-11-25 and older', () => {
    it.each(OLDER)(
      'answers initialize for %s with what it offers, and no session',
      async protocolVersion => {
        const { status, body, headers } = await post(api, initializeRequest(protocolVersion))
        expect(status).toBe(200)
        expect(body.result.protocolVersion).toBe(protocolVersion)
        expect(body.result.capabilities).toEqual({ tools: {}, resources: {}, prompts: {} })
        expect(headers['mcp-session-id']).toBeUndefined()
      },
    )

    it('answers initialize for an unknown version with the newest of its era', async () => {
      const { body } = await post(api, initializeRequest('1999-01-01'))
      expect(body.result.protocolVersion).toBe('2025-11-25')
    })

    it('needs no handshake before a call, and ignores a session id', async () => {
      const headers = { 'Mcp-Session-Id': 'abc', 'Last-Event-ID': '7' }
      const answer = await post(api, legacyRequest('tools/call', SEARCH), { headers })
      expect([answer.status, answer.body.result.structuredContent.total]).toEqual([200, 1])
      expect(answer.headers['mcp-session-id']).toBeUndefined()
    })

    it.each([7, 'seven'])(
      'answers what never changes with the id of each request: %j',
      async id => {
        for (const request of [initializeRequest(), legacyRequest('tools/list')])
          expect((await post(api, { ...request, id })).body).toMatchObject({
            id,
            result: expect.anything(),
          })
      },
    )

    it('answers a ping with an empty result', async () => {
      expect((await post(api, legacyRequest('ping'))).body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: {},
      })
    })

    it.each([
      ...[
        'resources/subscribe',
        'logging/setLevel',
        'completion/complete',
        'server/discover',
        '__proto__',
      ],
    ])('answers %s with the JSON-RPC error -32601', async method => {
      const { status, body } = await post(api, legacyRequest(method))
      expect([status, body.error.code, body.id]).toEqual([200, -32_601, 1])
    })

    it.each([
      ['an unknown tool', { name: 'no_such_tool' }],
      ['__proto__', { name: '__proto__' }],
      ['constructor', { name: 'constructor' }],
      ['a name that is no text', { name: 7 }],
      ['no name', {}],
      ['arguments that are a list', { name: 'search_listings', arguments: [] }],
      ['arguments that are a text', { name: 'search_listings', arguments: 'vehicles' }],
    ])('answers tools/call with %s with the JSON-RPC error -32602', async (_what, params) => {
      const { status, body } = await post(api, legacyRequest('tools/call', params))
      expect([status, body.error?.code]).toEqual([200, -32_602])
    })

    it('answers initialize without what it needs with the JSON-RPC error -32602', async () => {
      const { status, body } = await post(api, legacyRequest('initialize', { protocolVersion: 7 }))
      expect([status, body.error.code, body.id]).toEqual([200, -32_602, 1])
    })

    it('answers 400 to a version header that it does not speak', async () => {
      const headers = { 'MCP-Protocol-Version': '1999-01-01' }
      expect((await post(api, legacyRequest('tools/list'), { headers })).status).toBe(400)
    })
  })

  describe('for 2026-07-28', () => {
    it('answers server/discover with its versions, what it offers, and how long that holds', async () => {
      const { status, body } = await modern('server/discover')
      expect(status).toBe(200)
      expect(body.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: [MODERN],
        capabilities: { tools: {} },
        ttlMs: 3_600_000,
        cacheScope: 'public',
      })
      expect(Object.keys(body.result.capabilities)).toEqual(['tools', 'resources', 'prompts'])
    })

    it('answers tools/list with how long that holds, and tools/call completely', async () => {
      const list = await modern('tools/list')
      expect(list.body.result).toMatchObject({
        resultType: 'complete',
        ttlMs: 3_600_000,
        cacheScope: 'public',
      })
      const call = await modern('tools/call', SEARCH)
      expect(call.body.result).toMatchObject({
        resultType: 'complete',
        structuredContent: { total: 1 },
      })
    })

    it.each<[string, Record<string, string | null>]>([
      ['no MCP-Protocol-Version', { 'MCP-Protocol-Version': null }],
      ['another MCP-Protocol-Version', { 'MCP-Protocol-Version': '2025-11-25' }],
      ['no Mcp-Method', { 'Mcp-Method': null }],
      ['another Mcp-Method', { 'Mcp-Method': 'tools/list' }],
      ['no Mcp-Name', { 'Mcp-Name': null }],
      ['another Mcp-Name', { 'Mcp-Name': 'get_listing' }],
    ])('answers 400, -32020 to a call with %s', async (_what, headers) => {
      const { status, code } = await modern('tools/call', SEARCH, { headers })
      expect([status, code]).toEqual([400, -32_020])
    })

    it('takes a header with blanks around its value', async () => {
      const { status } = await modern('tools/call', SEARCH, {
        headers: { 'Mcp-Name': '  search_listings ' },
      })
      expect(status).toBe(200)
    })

    it.each(['protocolVersion', 'clientCapabilities'])(
      'answers 400, -32602 without _meta %s',
      async name => {
        const meta = { [`io.modelcontextprotocol/${name}`]: undefined }
        const { status, code } = await modern('tools/list', {}, { meta })
        expect([status, code]).toEqual([400, -32_602])
      },
    )

    it('answers 400, -32022 with the versions it speaks to an unknown one', async () => {
      const { status, body, code } = await modern(
        'tools/list',
        {},
        {
          headers: { 'MCP-Protocol-Version': '2030-01-01' },
          meta: { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' },
        },
      )
      expect([status, code]).toEqual([400, -32_022])
      expect(body.error.data).toMatchObject({ supported: [MODERN], requested: '2030-01-01' })
    })

    it.each([
      ...['initialize', 'ping', 'resources/subscribe', 'logging/setLevel'],
      ...['subscriptions/listen', 'no/such'],
    ])('answers 404, -32601 to %s', async method => {
      const { status, code, body } = await modern(method)
      expect([status, code, body.id]).toEqual([404, -32_601, 1])
    })

    it('answers an unknown tool with the JSON-RPC error -32602', async () => {
      const { status, code } = await modern('tools/call', { name: 'no_such_tool' })
      expect([status, code]).toEqual([200, -32_602])
    })

    it('takes a notification with 202 and no body', async () => {
      const message = {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1 },
      }
      const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'notifications/cancelled' }
      const { status, text } = await post(api, message, { headers })
      expect([status, text]).toEqual([202, ''])
    })
  })

  describe('for anybody', () => {
    it.each([
      'application/json',
      'text/event-stream',
      '*/*',
      'text/html',
      'application/json;q=0',
      '',
    ])('answers JSON whatever Accept says: %j', async Accept => {
      const { status, headers } = await post(api, legacyRequest('tools/list'), {
        headers: { Accept },
      })
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    })

    it.each([
      ...[
        'http://surplus.test',
        'https://surplus.test:8443',
        'http://localhost:3000',
        'http://127.0.0.1',
      ],
      ...['http://[::1]:6274', 'https://inspector.example.com'],
      'moz-extension://0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e',
    ])('lets pages of %s call', async Origin => {
      expect(
        (await post(api, legacyRequest('ping'), { key: null, headers: { Origin } })).status,
      ).toBe(200)
    })

    it.each([
      ...[
        'https://evil.example',
        'http://surplus.test.evil.example',
        'http://localhost.evil.example',
      ],
      ...['https://example.com', 'chrome-extension://abc', 'null', 'file://', 'nonsense'],
    ])('answers 403 to pages of %s, before the key is read', async Origin => {
      const { status, body, headers } = await post(api, legacyRequest('tools/list'), {
        headers: { Origin },
      })
      expect([status, body.code]).toEqual([403, 'forbidden'])
      expect(body.upgrade).toBeUndefined()
      expect(headers['ratelimit-limit']).toBeUndefined()
    })

    it('names no authorization server, and says why where a client looks for one', async () => {
      const message = 'There is no sign-in here. If you sent a key, it is unknown or revoked.'
      const names = [
        'oauth-protected-resource',
        'oauth-authorization-server',
        'openid-configuration',
      ]
      const wellKnown = names.flatMap(name => [
        ...[
          `/.well-known/${name}`,
          `/.well-known/${name}${MCP_PATH}`,
          `${MCP_PATH}/.well-known/${name}`,
        ],
      ])
      const answers = [
        ...(await Promise.all(wellKnown.map(path => api.get(path, { key: null })))),
        ...(await Promise.all(
          ['/register', '/token'].map(path => api.send('post', path, { key: null, body: {} })),
        )),
        await api.get('/authorize', { key: null }),
      ]
      expect(answers).toHaveLength(12)
      for (const { status, body } of answers)
        expect([status, body.code, body.error, body.error_description]).toEqual([
          404,
          'not_found',
          message,
          message,
        ])
      const others = await api.get('/registers', { key: null })
      expect(others.body.error).toContain('There is nothing at this address.')
      expect(others.body.error_description).toBeUndefined()
    })

    it('answers with a slash at its end as without one', async () => {
      for (const query of ['', '?', '?a=1']) {
        const answers = []
        for (const path of [MCP_PATH, `${MCP_PATH}/`]) {
          const { status, body } = await api.send('post', path + query, {
            body: legacyRequest('tools/list'),
          })
          answers.push([status, body])
        }
        expect(answers[1]).toEqual(answers[0])
      }
      for (const path of [MCP_PATH, `${MCP_PATH}/`]) {
        const { status, headers } = await api.get(path)
        expect([status, headers.allow]).toEqual([405, 'POST'])
      }
      expect(
        (await api.send('post', `${MCP_PATH}//`, { body: legacyRequest('ping') })).status,
      ).toBe(404)
    })

    it('answers 400 to query parameters', async () => {
      const { status, body } = await api.send('post', `${MCP_PATH}?api_key=1`, {
        body: legacyRequest('ping'),
      })
      expect([status, body.error.code]).toEqual([400, -32_600])
    })
  })
})
